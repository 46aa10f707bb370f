/// Whether this program may use a camera: AVFoundation's `AVAuthorizationStatus`.
public enum AuthorizationStatus: String, Hashable, Sendable, CaseIterable {
    /// Nobody has been asked yet.
    case notDetermined
    /// A policy forbids it, and the user cannot change that.
    case restricted
    /// The user, or the permissions of the device's node, forbid it.
    case denied
    /// It may.
    case authorized
}

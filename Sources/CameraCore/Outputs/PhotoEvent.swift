import FoundationEssentials

/// A step in the life of one photo. Each photo ends in exactly one of ``saved(_:)`` and ``failed(_:_:)``.
public enum PhotoEvent: Hashable, Sendable {
    /// The photo was accepted and will be stored at that place.
    case started(URL)

    /// Its frame is chosen; the time is that of the frame, in seconds of running time.
    case captured(URL, presentationTime: Double)

    /// The file lies complete on disk.
    case saved(CapturedPhoto)

    /// There is no photo at that place, for this reason.
    case failed(URL, CameraError)
}

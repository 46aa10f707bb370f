/// Something that happened to a camera, in the order in which it happened.
public enum CameraEvent: Equatable, Sendable {
    /// The controller does something else now.
    case stateChanged(CameraStatus.State)

    /// A camera appeared.
    case deviceAdded(CaptureDevice)

    /// A camera went away.
    case deviceRemoved(CaptureDevice)

    /// A configuration is in force or, while the camera does not run, kept for its next start.
    case configurationApplied(AppliedConfiguration)

    /// A photo got a step further.
    case photo(PhotoEvent)

    /// The output of that name has come to its end by itself; it can be removed, or added again.
    case outputEnded(name: String)

    /// The output of that name was cut off; the rest of the graph goes on.
    case outputFailed(name: String, CameraError)

    /// Something failed that no caller is waiting for.
    case error(CameraError)
}

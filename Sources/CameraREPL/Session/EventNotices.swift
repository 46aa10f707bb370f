import CameraCore

/// Turns the camera's events into notices.
///
/// What a command did is in its answer; only what happens by itself is worth a notice.
final class EventNotices: Sendable {
    private let isInteractive: Bool
    private let wasInterrupted = Flag()

    /// - Parameter isInteractive: Whether somebody is there who may want to know of cameras coming and going.
    init(isInteractive: Bool) {
        self.isInteractive = isInteractive
    }

    /// The notice for an event, or `nil` when it is not worth one. Ask for each event once, in order.
    func notice(for event: CameraEvent) -> String? {
        switch event {
        case .stateChanged(.interrupted(let error)):
            wasInterrupted.set(true)
            return "interrupted: \(error.message)"
        case .stateChanged(.running):
            return wasInterrupted.set(false) ? "the camera is back and running" : nil
        case .deviceAdded(let device):
            return isInteractive ? "camera \(device.id) (\(device.name)) was plugged in" : nil
        case .deviceRemoved(let device):
            return isInteractive ? "camera \(device.id) (\(device.name)) was unplugged" : nil
        case .outputEnded(let name):
            return "output \(name) has ended"
        case .outputFailed(let name, let error):
            return "output \(name) failed: \(error.message)"
        case .error(let error):
            return error.message
        case .stateChanged, .configurationApplied, .photo:
            return nil
        }
    }
}

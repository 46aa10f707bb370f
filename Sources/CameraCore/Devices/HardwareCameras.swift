import Foundation
import GStreamer

/// The machine's cameras, as GStreamer's device monitor finds them. It watches from the first question on.
final class HardwareCameras: Sendable {
    private struct State {
        var monitor: DeviceMonitor?
        var hasStarted = false
    }

    private let state = Guarded(State())
    private let onChange: @Sendable (CaptureDevice, Bool) -> Void

    /// - Parameter onChange: told of each camera that comes (`true`) or goes, on a thread of GStreamer's.
    init(onChange: @escaping @Sendable (CaptureDevice, Bool) -> Void) { self.onChange = onChange }

    /// The cameras that are there now. The first call **blocks** while each camera is asked once what it can do.
    func recipes() throws(CameraError) -> [SourceBranch.Recipe] {
        guard let monitor = try monitor() else { return [] }
        let found = monitor.devices.compactMap { Self.recipe($0) }
        return found
            + V4L2Node.unreadable(besides: Set(found.compactMap(\.device.node))).map { node in
                let error = CameraError.permissionDenied(node.device)
                return SourceBranch.Recipe(
                    device: node.device(problem: error.message), isShareable: false, problem: error
                ) { _ throws(GStreamerError) in throw GStreamerError.unusable(error.message) }
            }
    }

    private func monitor() throws(CameraError) -> DeviceMonitor? {
        if let known = state.withLock({ $0.hasStarted ? .some($0.monitor) : nil }) { return known }
        let monitor: DeviceMonitor?
        do throws(GStreamerError) {
            monitor = try Self.watch(onChange)
        } catch {
            // Without a plugin that finds cameras there are none; the built-in ones remain.
            monitor = nil
        }
        state.withLock { state in
            state.hasStarted = true
            state.monitor = monitor
        }
        return monitor
    }

    private static func watch(
        _ onChange: @escaping @Sendable (CaptureDevice, Bool) -> Void
    ) throws(GStreamerError) -> DeviceMonitor? {
        try GStreamer.initialize()
        let monitor = try DeviceMonitor(deviceClass: "Video/Source")
        let isStarted = withDeadline(.seconds(20)) { monitor.start() } ?? false
        guard isStarted else { return nil }
        // Set after the start, which reports the cameras that were there all the time as added.
        monitor.bus.setHandler { message in
            switch message.payload {
            case .deviceAdded(let device): if let recipe = recipe(device) { onChange(recipe.device, true) }
            case .deviceRemoved(let device): if let recipe = recipe(device) { onChange(recipe.device, false) }
            default: break
            }
        }
        return monitor
    }

    /// Stops watching.
    func close() {
        let monitor = state.withLock { state in
            defer {
                state.monitor = nil
                state.hasStarted = true
            }
            return state.monitor
        }
        monitor?.bus.setHandler(nil)
        monitor?.stop()
    }

    private static func recipe(_ found: Device) -> SourceBranch.Recipe? {
        let properties = found.properties
        guard case .string(let path)? = properties["device.path"] ?? properties["api.v4l2.path"] else {
            return nil
        }
        let node = V4L2Node(
            path: path, name: found.displayName, busInfo: properties["v4l2.device.bus_info"]?.text ?? "")
        // The node's own capabilities, not the driver's: a UVC camera's metadata node has the camera's name, but
        // captures no video.
        if let capabilities = properties["v4l2.device.device_caps"]?.number,
            capabilities & V4L2Node.captureCapabilities == 0
        {
            return nil
        }
        let formats = CapsFormats.formats(found.caps)
        guard !formats.isEmpty else { return nil }
        return SourceBranch.Recipe(device: node.device(formats: formats), isShareable: false) {
            _ throws(GStreamerError) in try found.makeElement(name: "camera")
        }
    }
}

extension Value {
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
    fileprivate var number: UInt? {
        switch self {
        case .uint(let number): number
        case .int(let number): UInt(exactly: number)
        default: nil
        }
    }
}

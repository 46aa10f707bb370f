import GStreamer

/// A device as one of GStreamer's providers describes it, in plain values: a test makes one as easily.
struct FoundDevice: Sendable {
    /// Where a description comes from. The cases stand in order of preference for one and the same camera.
    enum Provider: Hashable, Sendable, Comparable {
        case v4l2
        case libcamera
        case pipeWire
        case other(String)

        /// The name in lists and replies.
        var name: String {
            switch self {
            case .v4l2: "v4l2"
            case .libcamera: "libcamera"
            case .pipeWire: "pipewire"
            case .other(let name): name
            }
        }
    }

    /// Tells this device from all others as long as it is listed; nothing more.
    let key: String
    let provider: Provider
    let displayName: String
    let properties: [String: Value]
    let caps: Caps
    /// Makes a source element for the device, which is going to run in the format.
    let makeElement: @Sendable (ActiveFormat?) throws(GStreamerError) -> Element
}

extension FoundDevice {
    /// The first of some properties that holds text.
    func text(_ names: String...) -> String? {
        for name in names {
            if case .string(let text)? = properties[name], !text.isEmpty { return text }
        }
        return nil
    }

    /// A property that is a number. PipeWire has nothing but text; there such numbers are hexadecimal.
    func number(_ name: String) -> UInt? {
        switch properties[name] {
        case .uint(let number): number
        case .int(let number): UInt(exactly: number)
        case .string(let text): UInt(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text, radix: 16)
        default: nil
        }
    }

    /// The node of V4L2 that is behind the device, `/dev/video0`.
    var nodePath: String? {
        if let path = text("device.path", "api.v4l2.path") { return path }
        guard let object = text("object.path"), object.hasPrefix("v4l2:/") else { return nil }
        return String(object.dropFirst("v4l2:".count))
    }

    /// The name that libcamera has for the camera; firmware gives it, so that it stays.
    var libcameraName: String? {
        if provider == .libcamera { return displayName }
        if let path = text("api.libcamera.path") { return path }
        guard let object = text("object.path"), object.hasPrefix("libcamera:") else { return nil }
        return String(object.dropFirst("libcamera:".count))
    }

    /// The kernel's numbers of the devices behind this one: separated by blanks, in newer versions a JSON array.
    var deviceNumbers: [Int] {
        (text("device.devids") ?? "").split { !$0.isNumber }.compactMap { Int($0) }
    }

    /// Whether the device gives pictures, for all that its provider tells of V4L2's capabilities.
    ///
    /// What counts is what this node can do, and not what its driver can do with some node or other: a UVC camera's
    /// metadata node has the camera's name and its driver's capabilities. Drivers of old tell the latter only.
    var capturesVideo: Bool {
        let whole = number("v4l2.device.capabilities") ?? number("api.v4l2.cap.capabilities")
        let own = number("v4l2.device.device_caps") ?? number("api.v4l2.cap.device-caps")
        guard let capabilities = whole.map({ $0 & V4L2Capabilities.tellsOwn == 0 ? $0 : own ?? $0 }) ?? own
        else { return true }
        return capabilities & V4L2Capabilities.capture != 0
            && capabilities & V4L2Capabilities.touch == 0
    }
}

/// Bits of `v4l2_capability` in videodev2.h.
enum V4L2Capabilities {
    /// V4L2_CAP_VIDEO_CAPTURE and V4L2_CAP_VIDEO_CAPTURE_MPLANE.
    static let capture: UInt = 0x1 | 0x1000
    /// V4L2_CAP_TOUCH: a touch screen's raw pictures.
    static let touch: UInt = 0x1000_0000
    /// V4L2_CAP_DEVICE_CAPS: the node tells its own capabilities.
    static let tellsOwn: UInt = 0x8000_0000
}

/// Finds devices and tells when they come and go: GStreamer's device monitor, or a test's list.
protocol DeviceFinder: Sendable {
    /// Begins to watch. **Blocks** while each device is asked once what it can do.
    ///
    /// - Parameter onChange: told that ``devices`` are others now, on any thread.
    func start(onChange: @escaping @Sendable () -> Void) throws(GStreamerError)

    /// The devices that are there now.
    var devices: [FoundDevice] { get }

    /// Stops to watch.
    func stop()
}

/// GStreamer's device monitor.
final class MonitorFinder: DeviceFinder {
    /// How long the cameras have to say what they can do, before the list is given without them.
    private static let patience = Duration.seconds(10)
    /// A node that is being opened by the monitor holds up its end.
    private static let farewell = Duration.seconds(1)

    private struct State {
        var monitor: DeviceMonitor?
        var isStopped = false
    }
    private let state = Guarded(State())
    /// What was read of each device, which stays as it is.
    private let read = Guarded<[(address: UInt, device: FoundDevice)]>([])

    func start(onChange: @escaping @Sendable () -> Void) throws(GStreamerError) {
        try GStreamer.initialize()
        // PipeWire would hide what V4L2 says of the same cameras, which is more.
        let new = try DeviceMonitor(deviceClass: "Video/Source", showsAll: true)
        new.bus.setHandler { message in
            switch message.payload {
            case .deviceAdded, .deviceRemoved: onChange()
            default: break
            }
        }
        _ = withDeadline(Self.patience) { [self] in
            let isStarted = new.start()
            let isWanted = state.withLock { state in
                guard isStarted, !state.isStopped else { return false }
                state.monitor = new
                return true
            }
            guard isWanted else {
                new.bus.setHandler(nil)
                if isStarted { new.stop() }
                return
            }
            // Who waited no longer has a list without them.
            onChange()
        }
    }

    var devices: [FoundDevice] {
        let listed = state.withLock { $0.monitor }?.devices ?? []
        return read.withLock { read in
            let devices = listed.map { device in
                let address = device.address
                return (address, read.first { $0.address == address }?.device ?? FoundDevice(device))
            }
            read = devices
            return devices.map(\.1)
        }
    }

    func stop() {
        let known = state.withLock { state in
            state.isStopped = true
            defer { state.monitor = nil }
            return state.monitor
        }
        known?.bus.setHandler(nil)
        // Its thread may be with a driver that does not answer.
        _ = withDeadline(Self.farewell) { known?.stop() }
        // Only now: PipeWire's provider looks at its devices once more when it stops, and holds no reference.
        read.withLock { $0 = [] }
    }
}

extension FoundDevice {
    /// What a device of the monitor's says of itself.
    init(_ device: Device) {
        let type = device.typeName
        let provider: Provider =
            switch type {
            case "GstV4l2Device": .v4l2
            case "GstPipeWireDevice": .pipeWire
            case "GstLibcameraDevice": .libcamera
            default: .other(type.lowercased().replacing("gst", with: "").replacing("device", with: ""))
            }
        self.init(
            key: "\(device.address)", provider: provider, displayName: device.displayName,
            properties: device.properties, caps: device.caps
        ) { _ throws(GStreamerError) in
            let source = try device.makeElement(name: "camera")
            // PipeWire takes its memory back when the stream ends; a frame may be looked at for longer.
            if source.hasProperty("always-copy") { try source.set("always-copy", .bool(true)) }
            return source
        }
    }
}

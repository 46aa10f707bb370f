import Foundation
import GStreamer
import Synchronization

@testable import CameraCore

/// A machine with the cameras that a test plugs in: what providers say of them, and what the kernel does.
final class StubMachine: DeviceFinder {
    let nodes: VideoNodes
    private let folder: URL
    private let listed = Guarded<[FoundDevice]>([])
    private let onChange = Guarded<(@Sendable () -> Void)?>(nil)

    init(in folder: URL, isPermitted: @escaping @Sendable (String) -> Bool = { _ in true }) throws {
        self.folder = folder
        nodes = VideoNodes(
            classFolder: folder.appendingPathComponent("class"),
            deviceFolder: folder.appendingPathComponent("dev"), isPermitted: isPermitted)
        try FileManager.default.createDirectory(at: nodes.classFolder, withIntermediateDirectories: true)
        try GStreamer.initialize()
    }

    // MARK: DeviceFinder

    func start(onChange: @escaping @Sendable () -> Void) { self.onChange.withLock { $0 = onChange } }

    var devices: [FoundDevice] { listed.withLock { $0 } }

    func stop() { onChange.withLock { $0 = nil } }

    // MARK: What happens to it

    /// Providers report devices.
    func report(_ devices: FoundDevice...) {
        for device in devices { listed.withLock { $0.append(device) } }
        onChange.withLock { $0 }?()
    }

    /// A provider has a device no more.
    func withdraw(_ keys: String...) {
        for key in keys { listed.withLock { $0.removeAll { $0.key == key } } }
        onChange.withLock { $0 }?()
    }

    /// Plugs a USB camera in, or one sensor of it: the kernel shows its node, and V4L2 reports it.
    func plug(_ camera: StubCamera, as number: Int) throws {
        try makeNode(camera, number)
        report(camera.v4l2(number))
    }

    /// Pulls a camera out.
    func unplug(_ number: Int) throws {
        // The kernel's files go first; who hears of it cannot look at them any more.
        try FileManager.default.removeItem(at: nodes.classFolder.appendingPathComponent("video\(number)"))
        withdraw("v4l2:\(number)")
    }

    /// The list of its cameras, with what is told of changes.
    func cameras(_ onChange: @escaping @Sendable (CaptureDevice, Bool) -> Void = { _, _ in })
        -> HardwareCameras
    {
        HardwareCameras(finder: self, nodes: nodes, portal: nil, onChange: onChange)
    }

    /// What the kernel shows of a node: links from the class to the device, whose interface and USB device are above.
    func makeNode(_ camera: StubCamera, _ number: Int) throws {
        let root = folder.appendingPathComponent("devices/pci0000:00/0000:00:14.0/usb1")
        let device = root.appendingPathComponent("1-\(camera.port)")
        let interface = device.appendingPathComponent("1-\(camera.port):1.\(camera.interface)")
        let node = interface.appendingPathComponent("video4linux/video\(number)")
        try? FileManager.default.removeItem(at: node)
        try FileManager.default.createDirectory(at: node, withIntermediateDirectories: true)
        for (folder, files) in [
            (root, ["idVendor": "1d6b", "idProduct": "0002", "devpath": "0"]),
            (
                device,
                [
                    "idVendor": camera.vendor, "idProduct": camera.product, "serial": camera.serial ?? "",
                    "devpath": camera.port, "removable": camera.isFixed ? "fixed" : "removable",
                ]
            ),
            (interface, ["bInterfaceNumber": String(camera.interface, radix: 16)]),
            (node, ["name": camera.name, "index": "\(camera.index)", "dev": "81:\(number)"]),
        ] {
            for (file, text) in files {
                try Data("\(text)\n".utf8).write(to: folder.appendingPathComponent(file))
            }
        }
        try FileManager.default.createSymbolicLink(
            at: node.appendingPathComponent("device"), withDestinationURL: interface)
        try FileManager.default.createSymbolicLink(
            at: nodes.classFolder.appendingPathComponent("video\(number)"), withDestinationURL: node)
    }
}

/// A USB camera, or one node of it.
struct StubCamera: Sendable {
    var name: String
    var vendor = "046d"
    var product = "0825"
    var serial: String?
    var port: String
    var interface = 0
    var index = 0
    var isFixed = false
    /// V4L2_CAP_VIDEO_CAPTURE, or V4L2_CAP_META_CAPTURE for a node with metadata.
    var capabilities: UInt = 0x0420_0001
    var pattern = "smpte"
    var caps = StubCamera.caps((.yuy2, 640, 480, [FrameRate(30)]))

    init(_ name: String, serial: String? = nil, port: String) {
        self.name = name
        self.serial = serial
        self.port = port
    }

    /// A copy with changes.
    func with(_ change: (inout StubCamera) -> Void) -> StubCamera {
        var copy = self
        change(&copy)
        return copy
    }

    static func caps(_ formats: (PixelFormat, Int, Int, [FrameRate])...) -> Caps {
        Caps(
            formats.map { pixelFormat, width, height, rates in
                var fields: [String: Value] = [
                    "width": .int(width), "height": .int(height),
                    "framerate": .list(rates.map { .fraction($0.numerator, $0.denominator) }),
                ]
                if !pixelFormat.isCompressed { fields["format"] = .string(pixelFormat.rawValue) }
                return Caps.Structure(pixelFormat.isCompressed ? "image/jpeg" : "video/x-raw", fields)
            })
    }

    /// What V4L2's provider says.
    func v4l2(_ number: Int) -> FoundDevice {
        found(
            "v4l2:\(number)", .v4l2, name,
            [
                "udev-probed": .bool(true),
                "device.bus_path": .string("pci-0000:00:14.0-usb-0:\(port):1.\(interface)"),
                "device.bus": .string("usb"), "device.api": .string("v4l2"),
                "device.path": .string("/dev/video\(number)"), "v4l2.device.driver": .string("uvcvideo"),
                "v4l2.device.card": .string(name),
                "v4l2.device.bus_info": .string("usb-0000:00:14.0-\(port)"),
                // The driver's capabilities are those of all its nodes together.
                "v4l2.device.capabilities": .uint(0x84A0_0001),
                "v4l2.device.device_caps": .uint(capabilities),
            ])
    }

    /// What PipeWire's provider says, of a node whose number counts up with every session.
    func pipeWire(_ number: Int, serial: Int = 49, hasPath: Bool = true) -> FoundDevice {
        var properties: [String: Value] = [
            "object.id": .string("\(serial)"), "object.serial": .string("\(serial)"),
            "media.class": .string("Video/Source"), "media.role": .string("Camera"),
            "device.api": .string("v4l2"), "node.description": .string("\(name) (V4L2)"),
            "node.name": .string("v4l2_input.pci-0000_00_14.0-usb-0_\(port)_1.\(interface)"),
        ]
        if hasPath {
            properties["api.v4l2.path"] = .string("/dev/video\(number)")
            properties["object.path"] = .string("v4l2:/dev/video\(number)")
        }
        return found("pipewire:\(serial)", .pipeWire, "\(name) (V4L2)", properties)
    }

    /// What PipeWire's provider says of a camera that only libcamera can run.
    func libcamera(_ path: String, serial: Int = 50, devices: String? = nil) -> FoundDevice {
        var properties: [String: Value] = [
            "object.serial": .string("\(serial)"), "media.class": .string("Video/Source"),
            "device.api": .string("libcamera"), "api.libcamera.path": .string(path),
            "api.libcamera.location": .string("front"), "node.description": .string(name),
            "node.name": .string("libcamera_input.\(path)"),
        ]
        if let devices { properties["device.devids"] = .string(devices) }
        return found("pipewire:\(serial)", .pipeWire, name, properties)
    }

    private func found(
        _ key: String, _ provider: FoundDevice.Provider, _ name: String, _ properties: [String: Value]
    ) -> FoundDevice {
        FoundDevice(key: key, provider: provider, displayName: name, properties: properties, caps: caps) {
            [pattern] format throws(GStreamerError) in
            let test = "videotestsrc is-live=true pattern=\(pattern)"
            guard let format, format.pixelFormat.isCompressed else {
                return try Bin(description: test, name: "camera", ends: .source)
            }
            let raw = "video/x-raw,format=I420,width=\(format.width),height=\(format.height),framerate="
            return try Bin(
                description: "\(test) ! \(raw)\(format.frameRate.fraction) ! jpegenc", name: "camera",
                ends: .source)
        }
    }
}

/// Runs `body` with a machine of its own, and removes what it left.
func withMachine(
    isPermitted: @escaping @Sendable (String) -> Bool = { _ in true },
    _ body: (StubMachine) async throws -> Void
) async throws {
    try await withFolder { try await body(StubMachine(in: $0, isPermitted: isPermitted)) }
}

/// Runs `body` with a controller whose real cameras are those of the machine, and closes it whatever happens.
func withCamera(on machine: StubMachine, _ body: (CameraController) async throws -> Void) async throws {
    let camera = try CameraController(
        options: .init(pipelines: pipelinesFolder), deadlines: .init(), makeHardware: machine.cameras)
    do { try await body(camera) } catch {
        try await camera.close()
        throw error
    }
    try await camera.close()
}

extension HardwareCameras {
    /// The cameras that are there now.
    var devices: [CaptureDevice] { get throws(CameraError) { try recipes().map(\.device) } }
}

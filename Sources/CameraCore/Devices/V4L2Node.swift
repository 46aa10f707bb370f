import FoundationEssentials
import GStreamer
import Glibc

/// A camera's node, and what the kernel tells of it without opening it.
struct V4L2Node: Sendable, Hashable {
    let path: String
    /// Where the kernel shows the node; the folder need not exist.
    private let system: URL

    /// - Parameter nodes: where to look.
    init(path: String, in nodes: VideoNodes) {
        self.path = path
        system = nodes.classFolder.appendingPathComponent(URL(fileURLWithPath: path).lastPathComponent)
    }

    /// Whether the kernel shows the node at all; inside a sandbox it may not.
    var isKnown: Bool { FileManager.default.fileExists(atPath: system.path) }

    /// The name that the driver gave the node.
    var name: String? { text("name") }

    /// The node's place among those of one interface; the first is for pictures, the others as a rule are not.
    var index: Int { text("index").flatMap { Int($0) } ?? 0 }

    /// The kernel's number of the device, as `stat` has it.
    var deviceNumber: Int? {
        let parts = (text("dev") ?? "").split(separator: ":").compactMap { Int($0) }
        guard parts.count == 2 else { return nil }
        // makedev is a macro over a function whose header is in no module; this is it for what Linux gives out.
        return parts[0] << 8 | parts[1] & 0xFF | (parts[1] & ~0xFF) << 12
    }

    /// Who the camera is, as far as that can be told.
    ///
    /// - Parameter busInfo: where the driver says that the camera is plugged in.
    func identity(busInfo: String) -> CameraIdentity {
        guard let usb = USBDevice(interface: hardware) else {
            let place = busInfo.isEmpty ? "v4l2:\(path)" : busInfo
            return CameraIdentity(place: place, part: index > 0 ? "#\(index)" : "")
        }
        // A camera with an infrared sensor beside the other has an interface for each, and the first node of both is
        // number 0.
        var part = ""
        if usb.interfaceNumber > 0 || index > 0 { part = "#\(usb.interfaceNumber)" }
        if index > 0 { part += ".\(index)" }
        let product = "usb:\(usb.vendor):\(usb.product)"
        return CameraIdentity(
            serial: usb.serial.map { "\(product):\($0)" }, place: "\(product)@\(usb.port)", part: part)
    }

    /// What kind of camera is behind the node.
    func deviceType(busInfo: String) -> CaptureDevice.DeviceType {
        let target = system.resolvingSymlinksInPath().path
        if target.contains("/devices/virtual/") || busInfo.contains("vivid") { return .virtual }
        if let usb = USBDevice(interface: hardware) { return usb.isFixed ? .builtIn : .external }
        return busInfo.hasPrefix("usb") ? .external : .builtIn
    }

    /// The device that the node belongs to: of a USB camera, the interface.
    private var hardware: URL { system.appendingPathComponent("device").resolvingSymlinksInPath() }

    private func text(_ file: String) -> String? { VideoNodes.text(of: file, in: system) }
}

/// The places where video nodes are.
struct VideoNodes: Sendable {
    /// Where the kernel tells of them.
    var classFolder = URL(fileURLWithPath: "/sys/class/video4linux")
    /// Where they are opened.
    var deviceFolder = URL(fileURLWithPath: "/dev")
    /// Whether this user may open the node at a path.
    var isPermitted: @Sendable (String) -> Bool = Self.isPermitted

    /// The nodes that are there and that this user may not open, so that nothing but their names is known.
    func unreadable(besides known: Set<String>) -> [V4L2Node] {
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: classFolder.path) } catch {
            // A kernel without video has no such folder.
            return []
        }
        let numbered = names.filter { $0.hasPrefix("video") }
        return numbered.sorted(by: FileNames.precedes).compactMap { name in
            let node = V4L2Node(path: deviceFolder.appendingPathComponent(name).path, in: self)
            // Further nodes of a camera are as a rule not for pictures; whether these are, only opening would tell.
            let isHidden = known.contains(node.path) || node.index > 0
            return isHidden || isPermitted(node.path) ? nil : node
        }
    }

    /// Whether a node may be opened.
    static func isPermitted(_ path: String) -> Bool { access(path, R_OK | W_OK) == 0 || errno != EACCES }

    /// The one line of a file of the kernel's; `nil` when it is not there or empty.
    static func text(of file: String, in folder: URL) -> String? {
        guard let data = FileManager.default.contents(atPath: folder.appendingPathComponent(file).path) else {
            return nil
        }
        let text = String(decoding: data, as: UTF8.self).trimmed
        return text.isEmpty ? nil : text
    }
}

/// What the kernel tells of a USB device.
private struct USBDevice {
    let vendor: String
    let product: String
    let serial: String?
    /// The controller and the way from it to the device. Buses are numbered as they are found, controllers are not.
    let port: String
    let interfaceNumber: Int
    /// Whether the device cannot be taken out.
    let isFixed: Bool

    /// - Parameter interface: the folder of one of the device's interfaces.
    init?(interface: URL) {
        let device = interface.deletingLastPathComponent()
        guard let vendor = VideoNodes.text(of: "idVendor", in: device),
            let product = VideoNodes.text(of: "idProduct", in: device)
        else { return nil }
        self.vendor = vendor
        self.product = product
        serial = VideoNodes.text(of: "serial", in: device)
        interfaceNumber =
            VideoNodes.text(of: "bInterfaceNumber", in: interface).flatMap { Int($0, radix: 16) } ?? 0
        isFixed = VideoNodes.text(of: "removable", in: device) == "fixed"
        // …/0000:00:14.0/usb1/1-2/1-2.3: the root hub is the folder above which no USB device is.
        var root = device
        while VideoNodes.text(of: "idVendor", in: root.deletingLastPathComponent()) != nil {
            root = root.deletingLastPathComponent()
        }
        let controller = root.deletingLastPathComponent().lastPathComponent
        let way = VideoNodes.text(of: "devpath", in: device) ?? device.lastPathComponent
        port = "\(controller)-\(way)"
    }
}

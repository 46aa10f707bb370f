import Foundation
import Glibc

/// What the kernel tells of a camera's node, and the identity that follows from it.
struct V4L2Node: Sendable {
    /// V4L2_CAP_VIDEO_CAPTURE and V4L2_CAP_VIDEO_CAPTURE_MPLANE of videodev2.h.
    static let captureCapabilities: UInt = 0x1 | 0x1000

    let path: String
    let name: String
    let busInfo: String

    private var system: URL {
        URL(fileURLWithPath: "/sys/class/video4linux").appendingPathComponent(
            URL(fileURLWithPath: path).lastPathComponent)
    }

    /// An id that a replug and a changed node number leave as it is.
    ///
    /// With a serial number the camera is known wherever it is plugged in; otherwise by the bus path it is plugged in
    /// at. A camera with more than one capture node has the kernel's index of the node behind it.
    var id: CaptureDevice.ID {
        let usb = system.appendingPathComponent("device").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        var id: String
        if let serial = text(usb, "serial"), let vendor = text(usb, "idVendor"),
            let product = text(usb, "idProduct")
        {
            id = "usb:\(vendor):\(product):\(serial)"
        } else {
            id = busInfo.isEmpty ? "v4l2:\(path)" : busInfo
        }
        if let index = text(system, "index"), index != "0" { id += "#\(index)" }
        return id.replacing(" ", with: "_")
    }

    var deviceType: CaptureDevice.DeviceType {
        let target = system.resolvingSymlinksInPath().path
        if target.contains("/devices/virtual/") || busInfo.contains("vivid") { return .virtual }
        return busInfo.hasPrefix("usb") ? .external : .builtIn
    }

    /// The side that the name tells: V4L2 has no standard property for it.
    var position: CaptureDevice.Position {
        let words = name.lowercased().split { !$0.isLetter }
        if words.contains("front") || words.contains("user") { return .front }
        if words.contains("back") || words.contains("rear") || words.contains("world") { return .back }
        return deviceType == .external ? .external : .unspecified
    }

    var device: CaptureDevice { device() }

    func device(formats: [CaptureDevice.Format] = [], problem: String? = nil) -> CaptureDevice {
        CaptureDevice(
            id: id, name: name, position: position, deviceType: deviceType, provider: "v4l2", node: path,
            formats: formats, problem: problem)
    }

    /// Whether the node may be opened.
    static func isPermitted(_ path: String) -> Bool { access(path, R_OK | W_OK) == 0 || errno != EACCES }

    /// Cameras whose nodes this user may not open, so that nothing but their names is known.
    static func unreadable(besides known: Set<String>) -> [V4L2Node] {
        let folder = "/sys/class/video4linux"
        // A kernel without video has no such folder.
        guard FileManager.default.fileExists(atPath: folder),
            let names = FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String })
        else { return [] }
        return names.filter { $0.hasPrefix("video") && !$0.contains("/") }.sorted().compactMap { name in
            let path = "/dev/\(name)"
            let system = URL(fileURLWithPath: folder).appendingPathComponent(name)
            let node = V4L2Node(path: path, name: Self.text(system, "name") ?? name, busInfo: "")
            // Further nodes of a camera are as a rule not for pictures; whether these are, only opening would tell.
            guard !known.contains(path), !isPermitted(path), Self.text(system, "index") == "0" else {
                return nil
            }
            return node
        }
    }

    private func text(_ folder: URL, _ file: String) -> String? { Self.text(folder, file) }

    private static func text(_ folder: URL, _ file: String) -> String? {
        let url = folder.appendingPathComponent(file)
        guard let data = FileManager.default.contents(atPath: url.path) else { return nil }
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }
}

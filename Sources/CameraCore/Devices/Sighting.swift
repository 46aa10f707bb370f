import FoundationEssentials
import GStreamer

/// A camera as one provider sees it. Several sightings may be of one and the same camera.
struct Sighting: Sendable {
    let found: FoundDevice
    let formats: [CaptureDevice.Format]
    let identity: CameraIdentity
    let deviceType: CaptureDevice.DeviceType
    private let deviceNumber: Int?
    private let placeName: String?

    /// Looks at a device; `nil` when it gives no pictures, as metadata nodes do not.
    init?(_ found: FoundDevice, in nodes: VideoNodes) {
        let formats = CapsFormats.formats(found.caps)
        guard found.capturesVideo, !formats.isEmpty else { return nil }
        self.found = found
        self.formats = formats
        let busInfo = found.text("v4l2.device.bus_info", "api.v4l2.cap.bus_info") ?? ""
        let node = found.nodePath.map { V4L2Node(path: $0, in: nodes) }
        // A node is who the camera is for as long as one can see it, whoever else reports it too.
        if let node, node.isKnown || found.provider == .v4l2 {
            identity = node.identity(busInfo: busInfo)
            deviceType = node.deviceType(busInfo: busInfo)
        } else {
            identity = Self.identity(found)
            deviceType = Self.deviceType(found)
        }
        deviceNumber = node?.deviceNumber
        let name = found.text("device.bus_path") ?? found.text("node.name")?.firstSuffix(after: "v4l2_input.")
        placeName = name.map { String($0.map { $0.isLetter || $0.isNumber ? $0 : "_" }) }
    }

    private static func identity(_ found: FoundDevice) -> CameraIdentity {
        if let name = found.libcameraName { return CameraIdentity(place: "libcamera:\(name)") }
        // The names of nodes are made of the place they are plugged in at. Their numbers count up with every session.
        let name = found.text("node.name", "object.path") ?? found.displayName
        return CameraIdentity(place: "\(found.provider.name):\(name)")
    }

    private static func deviceType(_ found: FoundDevice) -> CaptureDevice.DeviceType {
        let location = found.text("api.libcamera.location")
        if location == "external" || found.text("device.bus") == "usb" { return .external }
        let isHardware = location != nil || found.libcameraName != nil || found.nodePath != nil
        return isHardware ? .builtIn : .virtual
    }

    /// Whether both are of the same camera. Two nodes of V4L2 are two cameras, or two sensors of one.
    func isSameCamera(as other: Sighting) -> Bool {
        if let path = found.nodePath, let otherPath = other.found.nodePath { return path == otherPath }
        if let name = found.libcameraName, name == other.found.libcameraName { return true }
        if let deviceNumber, other.found.deviceNumbers.contains(deviceNumber) { return true }
        if let otherNumber = other.deviceNumber, found.deviceNumbers.contains(otherNumber) { return true }
        return placeName != nil && placeName == other.placeName
    }

    /// One sighting for each camera: of those that the graph can use, the one whose provider tells most.
    static func cameras(of sightings: [Sighting]) -> [Sighting] {
        var cameras: [[Sighting]] = []
        for sighting in sightings.sorted(by: precedes) {
            if let index = cameras.firstIndex(where: { $0[0].isSameCamera(as: sighting) }) {
                cameras[index].append(sighting)
            } else {
                cameras.append([sighting])
            }
        }
        return cameras.map { same in
            same.first { $0.formats.contains { $0.pixelFormat.isUsable } } ?? same[0]
        }
    }

    private static func precedes(_ left: Sighting, _ right: Sighting) -> Bool {
        if left.found.provider != right.found.provider { return left.found.provider < right.found.provider }
        let (first, second) = (left.found.nodePath ?? "", right.found.nodePath ?? "")
        return FileNames.precedes(first, second)
    }

    /// The camera for lists.
    func device(id: CaptureDevice.ID) -> CaptureDevice {
        var device = CaptureDevice(
            id: id, name: found.displayName, position: position, deviceType: deviceType,
            provider: found.provider.name, node: found.nodePath, formats: formats)
        device.aliases = identity.aliases(of: id)
        return device
    }

    /// The side that libcamera or else the name tells: V4L2 has no standard property for it.
    private var position: CaptureDevice.Position {
        if let told = found.text("api.libcamera.location").flatMap(CaptureDevice.Position.init) {
            return told
        }
        return CaptureDevice.Position(name: found.displayName, deviceType)
    }
}

extension CaptureDevice.Position {
    /// The side that a camera's name tells.
    init(name: String, _ type: CaptureDevice.DeviceType) {
        let words = name.lowercased().split { !$0.isLetter }
        if words.contains("front") || words.contains("user") {
            self = .front
        } else if words.contains("back") || words.contains("rear") || words.contains("world") {
            self = .back
        } else {
            self = type == .external ? .external : .unspecified
        }
    }
}

extension String {
    fileprivate func firstSuffix(after prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}

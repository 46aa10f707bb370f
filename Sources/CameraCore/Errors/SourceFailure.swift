import FoundationEssentials
import GStreamer
import Glibc

/// Says what a source's error means: the camera is busy, refused, gone, or cannot do the format.
enum SourceFailure {
    static func error(_ error: GStreamerError, on device: CaptureDevice, format: ActiveFormat?) -> CameraError
    {
        let underlying = CameraError.Underlying(error)
        let debug = error.debug ?? ""
        switch error.kind {
        case .busy: return .busy(device, isOpened: true, underlying: underlying)
        case .notAuthorized: return .permissionDenied(device, underlying: underlying)
        case .notFound where device.deviceType != .file:
            return CameraError(
                .deviceLost, "\(device.label) is not there any more; plug it in again", underlying: underlying
            )
        case .openRead where debug.reports(EACCES) || !device.mayBeOpened:
            return .permissionDenied(device, underlying: underlying)
        case .link where format == nil:
            return CameraError(
                .pipelineInvalid, "\(device.label) delivers no video: \(error.message.sentenceBody)",
                underlying: underlying)
        case .notNegotiated, .link:
            let wish = format.map { " \($0)" } ?? " a raw format"
            return CameraError(
                .formatUnsupported, "\(device.label) did not agree to\(wish); 'devices' lists what it offers",
                underlying: underlying)
        case _ where device.deviceType == .file:
            return CameraError(
                .deviceLost,
                "\(device.label) stopped working: \(error.message.sentenceBody); check its file in pipelines/sources, "
                    + "and the address and settings that it names", underlying: underlying)
        case .missingElement, .parse, .missingProperty:
            return CameraError(error, in: device.label, otherwise: .pipelineInvalid)
        default:
            // V4L2 answers EBUSY to a format change or to streaming while somebody else streams; the element
            // reports it as a settings or read error with the system's words in the debug text.
            // To a request for buffers too, of which only the consequence is reported.
            if debug.reports(EBUSY) || debug.contains("is busy")
                || debug.contains("Buffer pool activation failed")
            {
                return .busy(device, isOpened: error.kind != .openRead, underlying: underlying)
            }
            return CameraError(
                .deviceLost,
                "\(device.label) stopped working: \(error.message.sentenceBody); check that it is plugged in, then 'start' tries "
                    + "again", underlying: underlying)
        }
    }
}

extension CameraError {
    static func permissionDenied(
        _ device: CaptureDevice, _ status: AuthorizationStatus = .denied, underlying: Underlying? = nil
    ) -> CameraError {
        let reason: String
        switch status {
        case .restricted:
            reason = "a policy of this computer forbids cameras; ask its administrator"
        case .notDetermined:
            reason =
                "the desktop's question whether this program may use \(device.name) was not answered; "
                + "try again and allow it"
        case .denied where device.node == nil || device.provider != "v4l2":
            reason =
                "you did not allow this program to use \(device.name); allow it in the desktop's settings, "
                + "as a rule under Privacy and Camera"
        case .denied, .authorized:
            let node = device.node ?? device.id
            reason = "you may not open \(node) (\(device.name)): \(NodeAccess(node: node).advice)"
        }
        return CameraError(.permissionDenied, reason, underlying: underlying)
    }

    /// Somebody else has the camera.
    ///
    /// - Parameter isOpened: whether this program's own attempt got as far as opening the node, so that it is among
    ///   those who hold it.
    static func busy(
        _ device: CaptureDevice, isOpened: Bool = false, underlying: Underlying? = nil
    ) -> CameraError {
        let holders = device.node.map { NodeHolder.all(of: $0) } ?? []
        return CameraError(
            .deviceBusy, "\(device.label) is \(holders.explanation(ownHandles: isOpened ? 1 : 0))",
            underlying: underlying)
    }

    static func noAnswer(from device: CaptureDevice, to call: String, after deadline: Duration) -> CameraError
    {
        CameraError(
            .timeout,
            "\(device.label) did not answer \(call) within \(deadline.seconds.plainText) s; unplug it and plug it in "
                + "again, or use another device")
    }

    static func noFrame(from device: CaptureDevice, after deadline: Duration) -> CameraError {
        noFrame(from: device.label, after: deadline)
    }

    static func noFrame(from camera: String, after deadline: Duration) -> CameraError {
        CameraError(
            .deviceStalled,
            "\(camera) runs but gave no frame within \(deadline.seconds.plainText) s; try another format, or "
                + "unplug it and plug it in again")
    }
}

extension CaptureDevice {
    /// Whether the permissions of the node, where there is one, let this user open it.
    fileprivate var mayBeOpened: Bool { node.map(VideoNodes.isPermitted) ?? true }
}

extension String {
    /// Whether the text has the system's words for an error, in English or in the process's language.
    fileprivate func reports(_ number: Int32) -> Bool {
        let english = [EACCES: "Permission denied", EBUSY: "Device or resource busy"][number]
        return english.map(contains) ?? false
            || strerror(number).map { contains(String(cString: $0)) } ?? false
    }

    /// Without the full stop that GStreamer ends its messages with, to go on after it.
    var sentenceBody: String { hasSuffix(".") ? String(dropLast()) : self }
}

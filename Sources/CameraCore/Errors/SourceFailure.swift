import Foundation
import GStreamer

/// Says what a source's error means: the camera is busy, refused, gone, or cannot do the format.
enum SourceFailure {
    static func error(_ error: GStreamerError, on device: CaptureDevice, format: ActiveFormat?) -> CameraError
    {
        let underlying = CameraError.Underlying(error)
        let debug = error.debug ?? ""
        switch error.kind {
        case .busy:
            return CameraError(
                .deviceBusy, "\(device.label) is in use by another program; close that program and try again",
                underlying: underlying)
        case .notAuthorized: return .permissionDenied(device, underlying: underlying)
        case .notFound where device.deviceType != .file:
            return CameraError(
                .deviceLost, "\(device.label) is not there any more; plug it in again", underlying: underlying
            )
        case .openRead where debug.contains("Permission denied"):
            return .permissionDenied(device, underlying: underlying)
        case .link where format == nil:
            return CameraError(
                .pipelineInvalid, "\(device.label) delivers no video: \(error.message)",
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
            if debug.contains("Device or resource busy") || debug.contains("is busy") {
                return CameraError(
                    .deviceBusy,
                    "\(device.label) is in use by another program; close that program and try again",
                    underlying: underlying)
            }
            return CameraError(
                .deviceLost,
                "\(device.label) stopped working: \(error.message.sentenceBody); check that it is plugged in, then 'start' tries "
                    + "again", underlying: underlying)
        }
    }
}

extension CameraError {
    static func permissionDenied(_ device: CaptureDevice, underlying: Underlying? = nil) -> CameraError {
        let node = device.node ?? device.id
        return CameraError(
            .permissionDenied,
            "You may not open \(node) (\(device.name)): it belongs to the group '\(group(of: node))'. "
                + "Join it with 'sudo usermod -aG \(group(of: node)) $USER' and log in again",
            underlying: underlying)
    }

    private static func group(of node: String) -> String {
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: node)
            return attributes[.groupOwnerAccountName] as? String ?? "video"
        } catch {
            // A node that cannot even be looked at; on every distribution cameras belong to this group.
            return "video"
        }
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

extension String {
    /// Without the full stop that GStreamer ends its messages with, to go on after it.
    var sentenceBody: String { hasSuffix(".") ? String(dropLast()) : self }
}

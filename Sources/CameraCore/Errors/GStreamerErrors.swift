import GStreamer

extension CameraError.Underlying {
    init(_ error: GStreamerError) {
        self.init(domain: error.domain, code: error.code, message: error.message, debug: error.debug)
    }
}

extension CameraError {
    /// What a failure inside the graph means to somebody who uses a camera.
    ///
    /// - Parameter whole: what failed, for the message, such as "the output 'recording'".
    init(_ error: GStreamerError, in whole: String, otherwise code: Code) {
        let underlying = Underlying(error)
        switch error.kind {
        case .missingElement:
            self.init(
                .missingPlugin,
                "\(whole): \(error.message.sentenceBody); install the package that has it: "
                    + "'apt-cache search gstreamer1.0' lists them, 'scripts/setup' installs the usual ones",
                underlying: underlying)
        case .parse, .missingProperty:
            self.init(
                .pipelineInvalid, "\(whole) is not a valid pipeline: \(error.message.sentenceBody)",
                underlying: underlying
            )
        case .noSpaceLeft:
            self.init(
                .diskFull, "\(whole): the disk is full; make room or choose another folder",
                underlying: underlying)
        // Some elements do not tell a full disk from other trouble, but the system does.
        case .write where error.reason?.contains("No space left") ?? false:
            self.init(
                .diskFull, "\(whole): the disk is full; make room or choose another folder",
                underlying: underlying)
        // What opens no file, such as a connection, has no system's word on it.
        case .openWrite where error.reason?.hasPrefix("system error") ?? false:
            self.init(
                .directoryUnwritable,
                "\(whole): \(error.message.sentenceBody); choose another folder with --output-directory",
                underlying: underlying)
        case .openRead where error.reason?.contains("Address already in use") ?? false:
            self.init(
                code,
                "\(whole): another program has its port (\(error.reason ?? "")); end that one, or choose another "
                    + "port: the head of the output's file tells how", underlying: underlying)
        default:
            let reason = error.reason.map { ": \($0)" } ?? ""
            self.init(code, "\(whole): \(error.message.sentenceBody)\(reason)", underlying: underlying)
        }
    }

    /// An error of GStreamer's that can only come from a mistake in this library.
    static func `internal`(_ error: GStreamerError) -> CameraError {
        CameraError(error, in: "the camera's pipeline could not be built", otherwise: .internal)
    }
}

/// Runs a step of building the graph; its errors are the library's own.
func building<Result>(_ body: () throws(GStreamerError) -> Result) throws(CameraError) -> Result {
    do { return try body() } catch { throw .internal(error) }
}

extension CameraError {
    /// The machine-readable reason of a ``CameraError``.
    ///
    /// A structure and not an enumeration, so that a later version can add a code without breaking a
    /// `switch` in somebody's program: keep a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// The code as it appears in JSON replies, for example `device-not-found`.
        public let rawValue: String

        /// Makes a code from its spelling; an unknown spelling is kept as it is.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// An argument is malformed or out of its range.
        public static let usage = Code(rawValue: "usage")
        /// There is no command of that name.
        public static let unknownCommand = Code(rawValue: "unknown-command")
        /// No camera matches what was asked for, or more than one does.
        public static let deviceNotFound = Code(rawValue: "device-not-found")
        /// There is no camera at all to choose from.
        public static let noDevice = Code(rawValue: "no-device")
        /// Another program holds the camera.
        public static let deviceBusy = Code(rawValue: "device-busy")
        /// The user may not open the camera.
        public static let permissionDenied = Code(rawValue: "permission-denied")
        /// The camera was unplugged or its source ended.
        public static let deviceLost = Code(rawValue: "device-lost")
        /// The camera is there and delivers no frames.
        public static let deviceStalled = Code(rawValue: "device-stalled")
        /// The camera lacks the requested size, pixel format or frame rate.
        public static let formatUnsupported = Code(rawValue: "format-unsupported")
        /// The camera lacks the size of the requested preset.
        public static let presetUnsupported = Code(rawValue: "preset-unsupported")
        /// The zoom factor or the zoom centre lies outside its range.
        public static let zoomOutOfRange = Code(rawValue: "zoom-out-of-range")
        /// The call needs a running camera.
        public static let notRunning = Code(rawValue: "not-running")
        /// A photo is still being taken.
        public static let photoInProgress = Code(rawValue: "photo-in-progress")
        /// The file exists and overwriting was not asked for.
        public static let fileExists = Code(rawValue: "file-exists")
        /// An output branch failed or cannot be added.
        public static let outputFailed = Code(rawValue: "output-failed")
        /// The target folder is missing or may not be written to.
        public static let directoryUnwritable = Code(rawValue: "directory-unwritable")
        /// The file system that holds the target folder is full.
        public static let diskFull = Code(rawValue: "disk-full")
        /// Writing failed for another reason than a full disk.
        public static let writeFailed = Code(rawValue: "write-failed")
        /// A GStreamer element is not installed.
        public static let missingPlugin = Code(rawValue: "missing-plugin")
        /// A pipeline description cannot be parsed or linked.
        public static let pipelineInvalid = Code(rawValue: "pipeline-invalid")
        /// Something did not happen before its deadline.
        public static let timeout = Code(rawValue: "timeout")
        /// A defect of this library.
        public static let `internal` = Code(rawValue: "internal")
        /// The caller cancelled the call.
        public static let cancelled = Code(rawValue: "cancelled")

        /// Every code that this version uses.
        public static let allCases: [Code] = [
            .usage, .unknownCommand, .deviceNotFound, .noDevice, .deviceBusy, .permissionDenied, .deviceLost,
            .deviceStalled, .formatUnsupported, .presetUnsupported, .zoomOutOfRange, .notRunning,
            .photoInProgress, .fileExists, .outputFailed, .directoryUnwritable, .diskFull, .writeFailed,
            .missingPlugin, .pipelineInvalid, .timeout, .internal, .cancelled,
        ]

        /// The spelling of the code.
        public var description: String { rawValue }
    }
}

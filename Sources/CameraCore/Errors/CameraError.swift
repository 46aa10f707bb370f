/// What went wrong, in a form that a program can branch on and a person can act on.
///
/// Every throwing call of this module throws this type. Branch on ``code``, show ``message``, log
/// ``underlying``.
public struct CameraError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stable reason; never localised and never renamed.
    public let code: Code

    /// One sentence for people: it names the thing concerned and says what to do about it.
    ///
    /// It goes on after `error: ` and the like: it begins in lower case, unless with a name, and has no full stop.
    public let message: String

    /// The report of GStreamer that led to this error, where there was one.
    public let underlying: Underlying?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The stable reason.
    ///   - message: Names the thing concerned and the remedy.
    ///   - underlying: GStreamer's own report, if that is where the error began.
    public init(_ code: Code, _ message: String, underlying: Underlying? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The code, the message and, where there is one, the report of GStreamer, on one line.
    public var description: String {
        guard let underlying else { return "\(code): \(message)" }
        return "\(code): \(message) [\(underlying)]"
    }
}

extension CameraError {
    /// A GStreamer error as it was reported, kept for the log.
    public struct Underlying: Sendable, Hashable, CustomStringConvertible {
        /// The error domain, for example `gst-resource-error-quark`.
        public let domain: String

        /// The number of the error within its domain.
        public let code: Int

        /// GStreamer's message, possibly localised.
        public let message: String

        /// Where in GStreamer it happened, if the report says so.
        public let debug: String?

        /// Creates the record of a GStreamer error.
        public init(domain: String, code: Int, message: String, debug: String? = nil) {
            self.domain = domain
            self.code = code
            self.message = message
            self.debug = debug
        }

        /// Domain, number, message and debug text on one line.
        public var description: String {
            let report = "\(domain) \(code): \(message)"
            guard let debug, !debug.isEmpty else { return report }
            return "\(report) (\(debug))"
        }
    }
}

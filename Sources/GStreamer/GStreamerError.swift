import CGStreamer

/// An error of GStreamer or GLib: `GError` with the debug text that a bus message adds to it.
public struct GStreamerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of thing failed, as far as a caller can act on it.
    public enum Kind: Sendable, Hashable {
        case missingElement, missingProperty, parse, link, stateChange
        case notFound, busy, notAuthorized, noSpaceLeft, openRead, openWrite, read, write, settings
        case notNegotiated, other
    }

    /// What kind of thing failed.
    public let kind: Kind
    /// GError's domain, such as "gst-resource-error-quark".
    public let domain: String
    /// GError's code inside its domain.
    public let code: Int
    /// GError's message.
    public let message: String
    /// Where in GStreamer it happened and what the system said, when known.
    public let debug: String?

    /// What the element itself had to say, without the place in GStreamer's source that ``debug`` begins with.
    public var reason: String? {
        guard let debug, let end = debug.firstIndex(of: "\n") else { return nil }
        let reason = debug[debug.index(after: end)...].split(separator: "\n").joined(separator: " ")
        return reason.isEmpty ? nil : reason
    }

    /// "message (domain code)".
    public var description: String { "\(message) (\(domain) \(code))" }

    init(_ kind: Kind, _ message: String, debug: String? = nil) {
        self.init(kind: kind, domain: "camera-core", code: 0, message: message, debug: debug)
    }

    init(kind: Kind, domain: String, code: Int, message: String, debug: String?) {
        self.kind = kind
        self.domain = domain
        self.code = code
        self.message = message
        self.debug = debug
    }

    /// Takes over a `GError *` (transfer full).
    ///
    /// - Parameter overridingKind: what the caller knows better than the error's code tells.
    init(
        adopting error: UnsafeMutablePointer<GError>?, debug: String? = nil, overridingKind: Kind? = nil
    ) {
        guard let error = unsafe error else {
            self.init(.other, "an operation failed without saying why")
            return
        }
        defer { unsafe g_error_free(error) }
        unsafe self.init(
            kind: overridingKind ?? Self.kind(of: error.pointee),
            domain: g_quark_to_string(error.pointee.domain).map { unsafe String(cString: $0) } ?? "unknown",
            code: unsafe Int(error.pointee.code), message: unsafe String(cString: error.pointee.message),
            debug: debug)
    }

    private static func kind(of error: GError) -> Kind {
        if unsafe error.domain == gst_resource_error_quark() {
            switch unsafe GstResourceError(UInt32(bitPattern: error.code)) {
            case GST_RESOURCE_ERROR_NOT_FOUND: return .notFound
            case GST_RESOURCE_ERROR_BUSY: return .busy
            case GST_RESOURCE_ERROR_NOT_AUTHORIZED: return .notAuthorized
            case GST_RESOURCE_ERROR_NO_SPACE_LEFT: return .noSpaceLeft
            case GST_RESOURCE_ERROR_OPEN_READ, GST_RESOURCE_ERROR_OPEN_READ_WRITE: return .openRead
            case GST_RESOURCE_ERROR_OPEN_WRITE: return .openWrite
            case GST_RESOURCE_ERROR_READ: return .read
            case GST_RESOURCE_ERROR_WRITE: return .write
            case GST_RESOURCE_ERROR_SETTINGS: return .settings
            default: return .other
            }
        }
        if unsafe error.domain == gst_parse_error_quark() {
            return unsafe error.code == GST_PARSE_ERROR_NO_SUCH_ELEMENT.rawValue ? .missingElement : .parse
        }
        if unsafe error.domain == gst_stream_error_quark(),
            unsafe error.code == GST_STREAM_ERROR_FORMAT.rawValue
        {
            return .notNegotiated
        }
        if unsafe error.domain == gst_core_error_quark() {
            if unsafe error.code == GST_CORE_ERROR_MISSING_PLUGIN.rawValue { return .missingElement }
            if unsafe error.code == GST_CORE_ERROR_NEGOTIATION.rawValue { return .notNegotiated }
        }
        return .other
    }
}

// MARK: - Errors of this module's own

extension GStreamerError {
    /// No installed plugin has this kind of element.
    static func missingElement(_ factory: String) -> GStreamerError {
        GStreamerError(.missingElement, "there is no GStreamer element '\(factory)' on this machine")
    }

    /// An element lacks a pad that its kind always has.
    public static func missingPad(_ pad: String, of element: Element) -> GStreamerError {
        GStreamerError(.link, "the element '\(element.name)' has no pad '\(pad)'")
    }

    /// An element did not take a buffer, and gave no reason.
    public static func refused(by element: Element) -> GStreamerError {
        GStreamerError(.other, "the element '\(element.name)' did not take the frame")
    }

    /// A description that was found to be unusable before.
    public static func unusable(_ reason: String) -> GStreamerError { GStreamerError(.parse, reason) }

    /// A call that did not come back in time.
    public static func noAnswer(from element: Element, to call: String, seconds: Double) -> GStreamerError {
        GStreamerError(.stateChange, "'\(element.name)' did not answer \(call) within \(seconds) s")
    }

    /// Something that an element needs, and that somebody else did not give.
    public static func withheld(_ reason: String, isRefusal: Bool) -> GStreamerError {
        GStreamerError(isRefusal ? .notAuthorized : .other, reason)
    }
}

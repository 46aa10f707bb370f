import CGStreamer

/// What an element said: `GstMessage`, with its payload copied out.
public struct Message: Sendable {
    /// The kinds of message that a program acts on.
    public enum Payload: Sendable {
        case error(GStreamerError)
        case warning(GStreamerError)
        case endOfStream
        case stateChanged(from: Element.State, to: Element.State)
        /// A device came; only on a ``DeviceMonitor``'s bus.
        case deviceAdded(Device)
        /// A device went; only on a ``DeviceMonitor``'s bus.
        case deviceRemoved(Device)
        /// A message of an element's own kind: its name and fields.
        case element(name: String, fields: [String: Value])
        case other
    }

    /// Kinds of message, to choose from: of `GstMessageType`.
    public struct Kinds: OptionSet, Sendable {
        /// Bits of `GstMessageType`.
        public let rawValue: Int32

        /// Kinds by their bits.
        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// What cannot go on.
        public static let errors = Kinds(rawValue: GST_MESSAGE_ERROR.rawValue)
        /// The end of a stream.
        public static let ends = Kinds(rawValue: GST_MESSAGE_EOS.rawValue)
        /// Every kind.
        public static let all = Kinds(rawValue: -1)

        fileprivate func contains(_ type: GstMessageType) -> Bool {
            // The newer types are numbers and not bits.
            let isNumber = type.rawValue & GST_MESSAGE_EXTENDED.rawValue != 0
            return isNumber ? self == .all : rawValue & type.rawValue != 0
        }
    }

    /// The name of the object that posted it.
    public let source: String
    /// The path of the object that posted it, such as "/GstPipeline:camera/GstBin:source/GstV4l2Src:v4l2src0".
    public let sourcePath: String
    /// What it says.
    public let payload: Payload

    /// Reads a message, if it is of these kinds; of one that a bin forwards from inside, what was said there.
    init?(reading raw: UnsafeMutablePointer<GstMessage>, of kinds: Kinds) {
        let raw = unsafe Self.forwarded(by: raw) ?? raw
        guard unsafe kinds.contains(raw.pointee.type) else { return nil }
        if let object = unsafe raw.pointee.src {
            let (name, path) = unsafe (gst_object_get_name(object), gst_object_get_path_string(object))
            defer {
                unsafe g_free(name)
                unsafe g_free(path)
            }
            source = unsafe name.map { unsafe String(cString: $0) } ?? ""
            sourcePath = unsafe path.map { unsafe String(cString: $0) } ?? ""
        } else {
            (source, sourcePath) = ("", "")
        }
        payload = unsafe Self.payload(raw)
    }

    private static func payload(_ raw: UnsafeMutablePointer<GstMessage>) -> Payload {
        switch unsafe raw.pointee.type {
        case GST_MESSAGE_ERROR:
            return unsafe .error(error(raw, gst_message_parse_error, isRefusal: refusedFormat(raw)))
        case GST_MESSAGE_WARNING: return unsafe .warning(error(raw, gst_message_parse_warning))
        case GST_MESSAGE_EOS: return .endOfStream
        case GST_MESSAGE_STATE_CHANGED:
            var (old, new) = (GST_STATE_NULL, GST_STATE_NULL)
            unsafe gst_message_parse_state_changed(raw, &old, &new, nil)
            return .stateChanged(from: .init(old), to: .init(new))
        case GST_MESSAGE_DEVICE_ADDED:
            var device: UnsafeMutablePointer<GstDevice>?
            unsafe gst_message_parse_device_added(raw, &device)
            return unsafe device.map { unsafe .deviceAdded(Device(adopting: $0)) } ?? .other
        case GST_MESSAGE_DEVICE_REMOVED:
            var device: UnsafeMutablePointer<GstDevice>?
            unsafe gst_message_parse_device_removed(raw, &device)
            return unsafe device.map { unsafe .deviceRemoved(Device(adopting: $0)) } ?? .other
        case GST_MESSAGE_ELEMENT:
            guard let structure = unsafe gst_message_get_structure(raw),
                let name = unsafe gst_structure_get_name(structure)
            else {
                return .other
            }
            return unsafe .element(name: String(cString: name), fields: Caps.fields(UnsafePointer(structure)))
        default: return .other
        }
    }

    /// A bin with `message-forward` wraps messages that it would only count, such as the end of a part.
    private static func forwarded(
        by raw: UnsafeMutablePointer<GstMessage>
    ) -> UnsafeMutablePointer<GstMessage>? {
        guard unsafe raw.pointee.type == GST_MESSAGE_ELEMENT,
            let structure = unsafe gst_message_get_structure(raw),
            unsafe gst_structure_has_name(structure, "GstBinForwarded") != 0,
            let value = unsafe gst_structure_get_value(structure, "message")
        else { return nil }
        return unsafe g_value_get_boxed(value)?.assumingMemoryBound(to: GstMessage.self)
    }

    private static func error(
        _ raw: UnsafeMutablePointer<GstMessage>,
        _ parse: (
            UnsafeMutablePointer<GstMessage>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
        ) -> Void,
        isRefusal: Bool = false
    ) -> GStreamerError {
        var error: UnsafeMutablePointer<GError>?
        var debug: UnsafeMutablePointer<gchar>?
        unsafe parse(raw, &error, &debug)
        defer { unsafe g_free(debug) }
        return unsafe GStreamerError(
            adopting: error, debug: debug.map { unsafe String(cString: $0) },
            overridingKind: isRefusal ? .notNegotiated : nil)
    }

    /// Whether a source stopped because nobody downstream took its format. The error's own code says only that the
    /// stream failed; the reason is in the details.
    private static func refusedFormat(_ raw: UnsafeMutablePointer<GstMessage>) -> Bool {
        var details: UnsafePointer<GstStructure>?
        unsafe gst_message_parse_error_details(raw, &details)
        var flow: gint = 0
        guard let details = unsafe details, unsafe gst_structure_get_int(details, "flow-return", &flow) != 0
        else { return false }
        return flow == GST_FLOW_NOT_NEGOTIATED.rawValue
    }
}

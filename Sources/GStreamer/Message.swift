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

    /// The name of the object that posted it.
    public let source: String
    /// The path of the object that posted it, such as "/GstPipeline:camera/GstBin:source/GstV4l2Src:v4l2src0".
    public let sourcePath: String
    /// What it says.
    public let payload: Payload

    init(reading raw: UnsafeMutablePointer<GstMessage>) {
        if let object = raw.pointee.src {
            let (name, path) = (gst_object_get_name(object), gst_object_get_path_string(object))
            defer {
                g_free(name)
                g_free(path)
            }
            source = name.map { String(cString: $0) } ?? ""
            sourcePath = path.map { String(cString: $0) } ?? ""
        } else {
            (source, sourcePath) = ("", "")
        }
        payload = Self.payload(raw)
    }

    private static func payload(_ raw: UnsafeMutablePointer<GstMessage>) -> Payload {
        switch raw.pointee.type {
        case GST_MESSAGE_ERROR: return .error(error(raw, gst_message_parse_error))
        case GST_MESSAGE_WARNING: return .warning(error(raw, gst_message_parse_warning))
        case GST_MESSAGE_EOS: return .endOfStream
        case GST_MESSAGE_STATE_CHANGED:
            var (old, new) = (GST_STATE_NULL, GST_STATE_NULL)
            gst_message_parse_state_changed(raw, &old, &new, nil)
            return .stateChanged(from: .init(old), to: .init(new))
        case GST_MESSAGE_DEVICE_ADDED:
            var device: UnsafeMutablePointer<GstDevice>?
            gst_message_parse_device_added(raw, &device)
            return device.map { .deviceAdded(Device(adopting: $0)) } ?? .other
        case GST_MESSAGE_DEVICE_REMOVED:
            var device: UnsafeMutablePointer<GstDevice>?
            gst_message_parse_device_removed(raw, &device)
            return device.map { .deviceRemoved(Device(adopting: $0)) } ?? .other
        case GST_MESSAGE_ELEMENT:
            guard let structure = gst_message_get_structure(raw), let name = gst_structure_get_name(structure)
            else {
                return .other
            }
            return .element(name: String(cString: name), fields: Caps.fields(UnsafePointer(structure)))
        default: return .other
        }
    }

    private static func error(
        _ raw: UnsafeMutablePointer<GstMessage>,
        _ parse: (
            UnsafeMutablePointer<GstMessage>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
        ) -> Void
    ) -> GStreamerError {
        var error: UnsafeMutablePointer<GError>?
        var debug: UnsafeMutablePointer<gchar>?
        parse(raw, &error, &debug)
        defer { g_free(debug) }
        return GStreamerError(adopting: error, debug: debug.map { String(cString: $0) })
    }
}

import CGStreamer

// Sendable unchecked: as Bin is; this adds no state of its own.
/// A bin that asks before it changes its state: a subclass of `GstBin` with a `change_state` of its own.
///
/// It lets a program play a device that is slow, busy, or does not answer.
public final class GatedBin: Bin, @unchecked Sendable {
    /// A step between two neighbouring states: `GstStateChange`.
    public enum Transition: Sendable, Hashable {
        case nullToReady, readyToPaused, pausedToPlaying, playingToPaused, pausedToReady, readyToNull

        init?(_ raw: GstStateChange) {
            switch raw {
            case GST_STATE_CHANGE_NULL_TO_READY: self = .nullToReady
            case GST_STATE_CHANGE_READY_TO_PAUSED: self = .readyToPaused
            case GST_STATE_CHANGE_PAUSED_TO_PLAYING: self = .pausedToPlaying
            case GST_STATE_CHANGE_PLAYING_TO_PAUSED: self = .playingToPaused
            case GST_STATE_CHANGE_PAUSED_TO_READY: self = .pausedToReady
            case GST_STATE_CHANGE_READY_TO_NULL: self = .readyToNull
            default: return nil
            }
        }
    }

    /// An empty bin.
    ///
    /// - Parameter gate: called with the bin on the thread that changes the state, before the change; it may block. With
    ///   an error the change fails, and the error is posted as the bin's, as by ``Element/post(_:)``.
    /// - Throws: ``GStreamerError`` when GStreamer gives no bin, as before it is initialised.
    public convenience init(
        name: String, gate: @escaping @Sendable (Element, Transition) -> GStreamerError?
    ) throws(GStreamerError) {
        guard let made = unsafe g_object_new_with_properties(Self.type, 0, nil, nil) else {
            throw GStreamerError(.other, "GStreamer gave no bin")
        }
        let element = unsafe UnsafeMutableRawPointer(made).assumingMemoryBound(to: GstElement.self)
        unsafe self.init(sinking: element)
        unsafe gst_object_set_name(cast(element), name)
        unsafe g_object_set_data_full(
            made, gateKey, CallbackBox<Gate>(gate).handOver(), releaseCallbackBox)
    }

    // Registered once for the process, on first use.
    private static let type: GType = unsafe g_type_register_static_simple(
        gst_bin_get_type(), "CameraGatedBin", guint(MemoryLayout<GstBinClass>.size), initializeClass,
        guint(MemoryLayout<GstBin>.size), { _, _ in }, GTypeFlags(rawValue: 0))
}

private typealias Gate = @Sendable (Element, GatedBin.Transition) -> GStreamerError?

private let gateKey = "camera-gate"

private let initializeClass: GClassInitFunc = { type, _ in
    unsafe type?.assumingMemoryBound(to: GstElementClass.self).pointee.change_state = changeState
}

private let changeState:
    @convention(c) (UnsafeMutablePointer<GstElement>?, GstStateChange) ->
        GstStateChangeReturn = { element, change in
            guard let element = unsafe element else { return GST_STATE_CHANGE_FAILURE }
            let object: UnsafeMutablePointer<GObject> = unsafe cast(element)
            if let transition = GatedBin.Transition(change),
                let gate = unsafe CallbackBox<Gate>.body(g_object_get_data(object, gateKey)),
                let error = unsafe gate(Element(sinking: element), transition)
            {
                unsafe error.post(from: element)
                return GST_STATE_CHANGE_FAILURE
            }
            // The parent is GstBin: the type is registered below it, and nothing is below this type.
            let parent = unsafe g_type_class_peek(gst_bin_get_type())?.assumingMemoryBound(
                to: GstElementClass.self)
            return unsafe parent?.pointee.change_state(element, change) ?? GST_STATE_CHANGE_FAILURE
        }

extension GStreamerError {
    /// Puts the error on the bus as an element's own.
    func post(from element: UnsafeMutablePointer<GstElement>) {
        let error = unsafe g_error_new_literal(g_quark_from_string(domain), gint(code), message)
        defer { unsafe g_error_free(error) }
        unsafe gst_element_post_message(
            element, gst_message_new_error(cast(element), error, debug ?? message))
    }

    /// An error of a device, as its driver would report it. A kind that is none of a device's becomes `other`, which it
    /// would be on the bus.
    public static func device(_ kind: Kind, _ message: String, debug: String? = nil) -> GStreamerError {
        let code: GstResourceError? =
            switch kind {
            case .notFound: GST_RESOURCE_ERROR_NOT_FOUND
            case .busy: GST_RESOURCE_ERROR_BUSY
            case .notAuthorized: GST_RESOURCE_ERROR_NOT_AUTHORIZED
            case .noSpaceLeft: GST_RESOURCE_ERROR_NO_SPACE_LEFT
            case .openRead: GST_RESOURCE_ERROR_OPEN_READ
            case .openWrite: GST_RESOURCE_ERROR_OPEN_WRITE
            case .read: GST_RESOURCE_ERROR_READ
            case .write: GST_RESOURCE_ERROR_WRITE
            case .settings: GST_RESOURCE_ERROR_SETTINGS
            default: nil
            }
        return GStreamerError(
            kind: code == nil ? .other : kind, domain: "gst-resource-error-quark",
            code: Int((code ?? GST_RESOURCE_ERROR_FAILED).rawValue), message: message,
            debug: debug)
    }
}

extension Element {
    /// Puts an error on the bus as this element's own. Only the domain and the code travel: who hears of it reads the
    /// kind from these, so that an error of this module's own, not GStreamer's, arrives as one of kind `other`.
    public func post(_ error: GStreamerError) { unsafe error.post(from: element) }
}

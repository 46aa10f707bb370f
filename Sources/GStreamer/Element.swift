import CGStreamer

// Sendable unchecked: GObject's reference count is atomic, and GstElement locks itself.
/// A building block of a pipeline: `GstElement`.
///
/// GStreamer's elements may be used from any thread. An element is never set to NULL when the last Swift reference
/// goes: stopping is explicit, because it can block.
@safe
public class Element: @unchecked Sendable {
    let element: UnsafeMutablePointer<GstElement>

    /// Takes over a reference (transfer full).
    init(adopting element: UnsafeMutablePointer<GstElement>) { unsafe self.element = element }

    /// Adds a reference (transfer none); a floating one is sunk.
    init(sinking element: UnsafeMutablePointer<GstElement>) {
        unsafe gst_object_ref_sink(element)
        unsafe self.element = element
    }

    /// Makes an element of a kind that a plugin provides, such as "videocrop". Wraps `gst_element_factory_make`.
    ///
    /// - Throws: ``GStreamerError`` of kind `missingElement` when no installed plugin has it.
    public convenience init(_ factory: String, name: String? = nil) throws(GStreamerError) {
        guard let made = unsafe gst_element_factory_make(factory, name) else {
            throw .missingElement(factory)
        }
        unsafe self.init(sinking: made)
    }

    deinit { unsafe gst_object_unref(element) }

    /// The element's name, unique inside its bin.
    public var name: String {
        let text = unsafe gst_object_get_name(cast(element))
        defer { unsafe g_free(text) }
        return unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    /// The kind of the element, such as "videocrop"; "bin" for a ``Bin``. `nil` for one that no plugin registered.
    public var factoryName: String? {
        unsafe camera_element_factory_name(element).map { unsafe String(cString: $0) }
    }

    /// Whether a plugin that provides this kind of element is installed.
    public static func isAvailable(_ factory: String) -> Bool {
        guard let found = unsafe gst_element_factory_find(factory) else { return false }
        unsafe gst_object_unref(UnsafeMutableRawPointer(found))
        return true
    }
}

// MARK: - Properties

extension Element {
    /// Whether the element has this property.
    public func hasProperty(_ name: String) -> Bool { unsafe camera_find_property(element, name) != nil }

    /// Sets a property. Enumerations and flags are set by their nicknames, as `gst-launch` does.
    ///
    /// - Throws: ``GStreamerError`` of kind `missingProperty` when the element has no such property, or `settings`
    ///   when it does not take this value: the wrong type, out of range, an unknown nickname. It is unchanged then.
    public func set(_ name: String, _ value: Value) throws(GStreamerError) {
        guard let property = unsafe camera_find_property(element, name) else {
            throw GStreamerError(.missingProperty, "the element '\(self.name)' has no property '\(name)'")
        }
        var converted = GValue()
        unsafe g_value_init(&converted, property.pointee.value_type)
        defer { unsafe g_value_unset(&converted) }
        // GLib itself would only print a warning, and leave the property as it was.
        guard unsafe Self.canSet(property), unsafe value.convert(to: property, &converted) else {
            throw GStreamerError(
                .settings, "the property '\(name)' of the element '\(self.name)' does not take \(value)")
        }
        unsafe g_object_set_property(cast(element), name, &converted)
    }

    private static func canSet(_ property: UnsafePointer<GParamSpec>) -> Bool {
        let flags = unsafe property.pointee.flags.rawValue
        return flags & G_PARAM_WRITABLE.rawValue != 0 && flags & G_PARAM_CONSTRUCT_ONLY.rawValue == 0
    }

    /// Reads a property; `nil` when the element has no such property or does not let it be read.
    public func get(_ name: String) -> Value? {
        guard let property = unsafe camera_find_property(element, name),
            unsafe property.pointee.flags.rawValue & G_PARAM_READABLE.rawValue != 0
        else { return nil }
        var value = GValue()
        unsafe g_value_init(&value, property.pointee.value_type)
        defer { unsafe g_value_unset(&value) }
        unsafe g_object_get_property(cast(element), name, &value)
        return unsafe Value(reading: &value)
    }
}

// MARK: - States

extension Element {
    /// `GstState` without "void pending".
    public enum State: Sendable, Hashable {
        case null, ready, paused, playing

        var raw: GstState {
            switch self {
            case .null: GST_STATE_NULL
            case .ready: GST_STATE_READY
            case .paused: GST_STATE_PAUSED
            case .playing: GST_STATE_PLAYING
            }
        }

        init(_ raw: GstState) {
            self =
                switch raw {
                case GST_STATE_READY: .ready
                case GST_STATE_PAUSED: .paused
                case GST_STATE_PLAYING: .playing
                default: .null
                }
        }
    }

    /// What a state change came to, when it did not fail: `GstStateChangeReturn`.
    public enum StateChange: Sendable, Hashable {
        case success, asynchronous
        /// Paused, but a live source gives no data before it plays.
        case noPreroll
    }

    /// Asks for a state. **May block** for as long as a driver takes; never call it from a streaming thread.
    ///
    /// - Throws: ``GStreamerError`` of kind `stateChange`; the reason is on the bus.
    @discardableResult
    public func setState(_ state: State) throws(GStreamerError) -> StateChange {
        switch unsafe gst_element_set_state(element, state.raw) {
        case GST_STATE_CHANGE_SUCCESS: return .success
        case GST_STATE_CHANGE_ASYNC: return .asynchronous
        case GST_STATE_CHANGE_NO_PREROLL: return .noPreroll
        default: throw GStreamerError(.stateChange, "'\(name)' did not go to the state \(state)")
        }
    }

    /// The state that the element is in now. Never blocks.
    public var state: State {
        // GStreamer writes the field under this lock, from whichever thread changes the state.
        unsafe g_mutex_lock(&element.pointee.object.lock)
        defer { unsafe g_mutex_unlock(&element.pointee.object.lock) }
        return unsafe State(element.pointee.current_state)
    }

    /// Takes over the parent's state. **May block**. Wraps `gst_element_sync_state_with_parent`.
    ///
    /// - Throws: ``GStreamerError`` of kind `stateChange`; the reason is on the bus.
    public func syncStateWithParent() throws(GStreamerError) {
        guard unsafe gst_element_sync_state_with_parent(element) != 0 else {
            throw GStreamerError(.stateChange, "'\(name)' did not take over its parent's state")
        }
    }

    /// Whether the parent's state changes pass this element by.
    public func setLockedState(_ isLocked: Bool) {
        unsafe gst_element_set_locked_state(element, isLocked ? 1 : 0)
    }

    /// Makes the element count its running time from `base`, an absolute time of the clock, whatever its parent does.
    public func detachRunningTime(base: ClockTime) {
        unsafe gst_element_set_start_time(element, ClockTime.none)
        unsafe gst_element_set_base_time(element, base.raw)
    }

    /// The clock time at which the running time of the element was 0.
    public var baseTime: ClockTime { unsafe ClockTime(gst_element_get_base_time(element)) ?? .zero }
}

// MARK: - Pads and links

extension Element {
    /// A pad that is always there, such as "sink". Wraps `gst_element_get_static_pad`.
    public func staticPad(_ name: String) -> Pad? {
        unsafe gst_element_get_static_pad(element, name).map { unsafe Pad(adopting: $0) }
    }

    /// A new pad of an element that makes them on request, such as "src_%u" of a tee.
    public func requestPad(_ template: String) -> Pad? {
        unsafe gst_element_request_pad_simple(element, template).map { unsafe Pad(adopting: $0) }
    }

    /// Gives a requested pad back.
    public func releaseRequestPad(_ pad: Pad) { unsafe gst_element_release_request_pad(element, pad.pointer) }

    /// Links the source pad of this element to the sink pad of the next.
    ///
    /// - Parameter isChecked: whether GStreamer compares what both can carry first, which asks everything that is linked
    ///   already; leave it out where the link is known to be right.
    /// - Throws: ``GStreamerError`` of kind `link` when there are no two free pads that fit, or no common parent.
    public func link(to next: Element, isChecked: Bool = true) throws(GStreamerError) {
        let checks = isChecked ? GST_PAD_LINK_CHECK_DEFAULT : GST_PAD_LINK_CHECK_NOTHING
        guard unsafe gst_element_link_pads_full(element, nil, next.element, nil, checks) != 0 else {
            throw GStreamerError(.link, "'\(name)' does not link to '\(next.name)'")
        }
    }

    /// Whether the element says of itself that it is a source.
    public var isSource: Bool { unsafe element.pointee.object.flags & GST_ELEMENT_FLAG_SOURCE.rawValue != 0 }

    /// Whether the element says of itself that it is a sink.
    public var isSink: Bool { unsafe element.pointee.object.flags & GST_ELEMENT_FLAG_SINK.rawValue != 0 }
}

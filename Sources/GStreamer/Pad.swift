import CGStreamer

// Sendable unchecked: GObject's reference count is atomic, and GstPad locks itself.
/// Where data enters or leaves an element: `GstPad`.
@safe
public final class Pad: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GstPad>

    /// Takes over a reference (transfer full).
    init(adopting pointer: UnsafeMutablePointer<GstPad>) { unsafe self.pointer = pointer }

    deinit { unsafe gst_object_unref(pointer) }

    /// The pad's name.
    public var name: String {
        let text = unsafe gst_object_get_name(cast(pointer))
        defer { unsafe g_free(text) }
        return unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    /// The pad at the other end of the link.
    public var peer: Pad? { unsafe gst_pad_get_peer(pointer).map { unsafe Pad(adopting: $0) } }

    /// The pad of an element that this one stands for: itself, unless it is a ghost pad (`GstGhostPad`) of a plain bin.
    /// What is in any other bin is that bin's own, and may be exchanged while it runs.
    public var innermost: Pad {
        var pad = self
        while unsafe g_type_check_instance_is_a(cast(pad.pointer), gst_ghost_pad_get_type()) != 0,
            let parent = unsafe gst_pad_get_parent_element(pad.pointer),
            unsafe Element(adopting: parent).factoryName == "bin",
            let target = unsafe gst_ghost_pad_get_target(cast(pad.pointer))
        {
            pad = unsafe Pad(adopting: target)
        }
        return pad
    }

    /// The caps that were negotiated, once they were.
    public var currentCaps: Caps? {
        unsafe gst_pad_get_current_caps(pointer).map { unsafe Caps(adopting: $0) }
    }

    /// The caps that the pad can do now, given what it is linked to.
    public func queryCaps() -> Caps { unsafe Caps(adopting: gst_pad_query_caps(pointer, nil)) }

    /// Links this source pad to a sink pad.
    ///
    /// - Parameters:
    ///   - isChecked: whether GStreamer compares caps first. A comparison asks every element around, from
    ///   this thread; on a running graph leave it out where the link is known to be right.
    ///   - renegotiates: whether the elements before are told that what follows may take other caps.
    /// - Throws: ``GStreamerError`` of kind `link` when a pad is linked already, or what they can carry does not fit.
    public func link(
        to sink: Pad, isChecked: Bool = true, renegotiates: Bool = true
    ) throws(GStreamerError) {
        var checks = isChecked ? GST_PAD_LINK_CHECK_DEFAULT : GST_PAD_LINK_CHECK_NOTHING
        if !renegotiates {
            checks = GstPadLinkCheck(checks.rawValue | GST_PAD_LINK_CHECK_NO_RECONFIGURE.rawValue)
        }
        guard unsafe gst_pad_link_full(pointer, sink.pointer, checks) == GST_PAD_LINK_OK else {
            throw GStreamerError(.link, "the pad '\(name)' does not link to '\(sink.name)'")
        }
    }

    /// Undoes a link.
    public func unlink(from sink: Pad) { unsafe gst_pad_unlink(pointer, sink.pointer) }

    /// Shifts the running time of what leaves the pad from now on, in nanoseconds.
    public func setOffset(_ nanoseconds: Int64) { unsafe gst_pad_set_offset(pointer, gint64(nanoseconds)) }

    /// Calls `body` while no data flows through the pad, holding its stream lock; waits for what is in flight.
    public func withStreamLock<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe camera_pad_stream_lock(pointer)
        defer { unsafe camera_pad_stream_unlock(pointer) }
        return try body()
    }

    /// Whether nobody holds the stream lock at this moment, as those do who bring data through the pad.
    public var isStreamUnlocked: Bool {
        guard unsafe camera_pad_stream_trylock(pointer) != 0 else { return false }
        unsafe camera_pad_stream_unlock(pointer)
        return true
    }

    /// Tells this sink pad that the stream has ended. **May block** until what is queued before it has gone on.
    ///
    /// Nothing is returned, since a refusal does not tell a failure: a queue refuses the end also when what is behind it
    /// has ended already. What fails says so on the bus, and what ends too.
    public func sendEndOfStream() { unsafe gst_pad_send_event(pointer, gst_event_new_eos()) }

    /// What a push through a pad can come to: `GstFlowReturn`.
    public enum Flow: Sendable, Hashable {
        /// What was pushed was taken.
        case taken
        /// What is behind the pad wants no more.
        case ended
        /// What is behind the pad cannot take it.
        case failed
    }

    /// What the last push through this pad came to.
    public var lastFlow: Flow {
        switch unsafe gst_pad_get_last_flow_return(pointer) {
        case GST_FLOW_EOS: .ended
        case let flow: flow.rawValue < 0 ? .failed : .taken
        }
    }
}

// MARK: - Probes

/// What a probe sees of one item on a pad: `GstPadProbeInfo`. Valid only during the call.
@safe
public struct ProbeInfo: ~Copyable {
    let pointer: UnsafeMutablePointer<GstPadProbeInfo>

    /// What the item is.
    public var item: Item {
        let type = unsafe pointer.pointee.type.rawValue
        if type & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 { return .buffer }
        if type & GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue != 0 { return .bufferList }
        if type & GST_PAD_PROBE_TYPE_EVENT_BOTH.rawValue != 0 { return .event(eventType) }
        if type & GST_PAD_PROBE_TYPE_QUERY_BOTH.rawValue != 0 { return .query }
        return .other
    }

    /// The kinds of item.
    public enum Item: Sendable { case buffer, bufferList, event(EventType), query, other }

    /// The events that this project looks at.
    public enum EventType: Sendable { case caps, segment, endOfStream, reconfigure, flush, gap, other }

    // What the pointer points to depends on the type, so each kind is read only through one of these.
    private func data<Target>(of type: GstPadProbeType, as target: Target.Type) -> UnsafeMutablePointer<
        Target
    >? {
        guard unsafe pointer.pointee.type.rawValue & type.rawValue != 0 else { return nil }
        return unsafe pointer.pointee.data?.assumingMemoryBound(to: target)
    }

    var buffer: UnsafeMutablePointer<GstBuffer>? {
        unsafe data(of: GST_PAD_PROBE_TYPE_BUFFER, as: GstBuffer.self)
    }

    private var event: UnsafeMutablePointer<GstEvent>? {
        unsafe data(of: GST_PAD_PROBE_TYPE_EVENT_BOTH, as: GstEvent.self)
    }

    private var query: UnsafeMutablePointer<GstQuery>? {
        unsafe data(of: GST_PAD_PROBE_TYPE_QUERY_BOTH, as: GstQuery.self)
    }

    private func event(_ type: GstEventType) -> UnsafeMutablePointer<GstEvent>? {
        unsafe event.flatMap { unsafe $0.pointee.type == type ? $0 : nil }
    }

    private var eventType: EventType {
        guard let event = unsafe event else { return .other }
        switch unsafe event.pointee.type {
        case GST_EVENT_CAPS: return .caps
        case GST_EVENT_SEGMENT: return .segment
        case GST_EVENT_EOS: return .endOfStream
        case GST_EVENT_RECONFIGURE: return .reconfigure
        case GST_EVENT_FLUSH_START, GST_EVENT_FLUSH_STOP: return .flush
        case GST_EVENT_GAP: return .gap
        default: return .other
        }
    }

    /// The timestamp of a buffer; `nil` when it has none, or when the item is no buffer.
    public var timestamp: ClockTime? { unsafe buffer.flatMap { unsafe ClockTime($0.pointee.pts) } }

    /// The number that the source gave a buffer, if it numbers them.
    public var offset: UInt64? {
        guard let offset = unsafe buffer?.pointee.offset, offset != .max else { return nil }
        return UInt64(offset)
    }

    /// Whether a buffer says that something before it is missing.
    public var isDiscontinuity: Bool {
        guard let buffer = unsafe buffer else { return false }
        return unsafe buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_DISCONT.rawValue != 0
    }

    /// The caps of a caps event.
    public var caps: Caps? {
        guard let event = unsafe event(GST_EVENT_CAPS) else { return nil }
        var caps: UnsafeMutablePointer<GstCaps>?
        unsafe gst_event_parse_caps(event, &caps)
        return unsafe caps.map { unsafe Caps(retaining: $0) }
    }

    /// The segment of a segment event.
    public var segment: Segment? {
        guard let event = unsafe event(GST_EVENT_SEGMENT) else { return nil }
        var segment: UnsafePointer<GstSegment>?
        unsafe gst_event_parse_segment(event, &segment)
        return unsafe segment.map { unsafe Segment(raw: $0.pointee) }
    }

    /// Whether an event of a stream's start, caps, segment or tags says what `pad` was told already.
    public func repeatsEvent(on pad: Pad) -> Bool {
        guard let event = unsafe event else { return false }
        let type = unsafe event.pointee.type
        guard [GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_SEGMENT, GST_EVENT_TAG].contains(type) else {
            return false
        }
        // A pad keeps several tag events, and one of each other kind.
        var index: guint = 0
        while let told = unsafe gst_pad_get_sticky_event(pad.pointer, type, index) {
            defer { unsafe gst_event_unref(told) }
            if unsafe Self.saysTheSame(event, told) { return true }
            index += 1
        }
        return false
    }

    private static func saysTheSame(
        _ event: UnsafeMutablePointer<GstEvent>, _ other: UnsafeMutablePointer<GstEvent>
    ) -> Bool {
        if unsafe event == other { return true }
        // GLib's values cannot be compared that hold a segment.
        if unsafe event.pointee.type == GST_EVENT_SEGMENT {
            var (segment, before): (UnsafePointer<GstSegment>?, UnsafePointer<GstSegment>?) = (nil, nil)
            unsafe gst_event_parse_segment(event, &segment)
            unsafe gst_event_parse_segment(other, &before)
            return unsafe gst_segment_is_equal(segment, before) != 0
        }
        guard let content = unsafe gst_event_get_structure(event),
            let before = unsafe gst_event_get_structure(other)
        else { return false }
        return unsafe gst_structure_is_equal(content, before) != 0
    }

    /// Puts a caps event with other caps in the place of this one; does nothing to any other item.
    public func replaceCaps(_ caps: Caps) {
        guard let old = unsafe event(GST_EVENT_CAPS), let new = unsafe gst_event_new_caps(caps.pointer) else {
            return
        }
        unsafe gst_event_set_seqnum(new, gst_event_get_seqnum(old))
        unsafe pointer.pointee.data = UnsafeMutableRawPointer(new)
        unsafe gst_event_unref(old)
    }

    /// Whether the item is a query that is serialized with the data, and so waits in every queue.
    public var isSerializedQuery: Bool {
        unsafe query.map { unsafe camera_query_is_serialized($0) != 0 } ?? false
    }

    /// Answers a caps query with `caps`, as far as the one who asks can use them, and a question whether certain caps
    /// are accepted with whether they are among them.
    ///
    /// - Returns: whether the query was one of these.
    public func answerCaps(_ caps: Caps) -> Bool {
        guard let query = unsafe query else { return false }
        switch unsafe query.pointee.type {
        case GST_QUERY_CAPS:
            var filter: UnsafeMutablePointer<GstCaps>?
            unsafe gst_query_parse_caps(query, &filter)
            guard let filter = unsafe filter else {
                unsafe gst_query_set_caps_result(query, caps.pointer)
                return true
            }
            let usable = unsafe gst_caps_intersect_full(filter, caps.pointer, GST_CAPS_INTERSECT_FIRST)
            unsafe gst_query_set_caps_result(query, usable)
            unsafe gst_caps_unref(usable)
            return true
        case GST_QUERY_ACCEPT_CAPS:
            var asked: UnsafeMutablePointer<GstCaps>?
            unsafe gst_query_parse_accept_caps(query, &asked)
            let isAccepted = unsafe asked.map { unsafe gst_caps_can_intersect($0, caps.pointer) } ?? 0
            unsafe gst_query_set_accept_caps_result(query, isAccepted)
            return true
        default: return false
        }
    }

    /// Answers an allocation query: what is downstream reads strides and offsets from GstVideoMeta. Does nothing to
    /// any other item.
    public func acceptVideoMeta() {
        guard let query = unsafe query, unsafe query.pointee.type == GST_QUERY_ALLOCATION else { return }
        unsafe camera_query_add_video_meta(query)
    }

    /// What GStreamer is to do with the item.
    func raw(_ result: ProbeResult) -> GstPadProbeReturn {
        guard result == .handled, unsafe query == nil else { return result.raw }
        // Whoever handles an event frees it. One that is thrown away instead would come again with every frame, as an
        // event that the pad has still to be told of.
        guard let event = unsafe event else { return GST_PAD_PROBE_DROP }
        unsafe gst_event_unref(event)
        return GST_PAD_PROBE_HANDLED
    }
}

/// What becomes of an item that a probe saw: `GstPadProbeReturn`.
public enum ProbeResult: Sendable {
    /// It goes on.
    case pass
    /// It is thrown away.
    case drop
    /// The query was answered here, or the event counts as told. A buffer is thrown away.
    case handled
    /// The buffer was given away by ``ProbeInfo/forward(to:)``.
    case forwarded
    /// It goes on, and the probe is taken away.
    case remove

    var raw: GstPadProbeReturn {
        switch self {
        case .pass: GST_PAD_PROBE_OK
        case .drop: GST_PAD_PROBE_DROP
        case .handled, .forwarded: GST_PAD_PROBE_HANDLED
        case .remove: GST_PAD_PROBE_REMOVE
        }
    }
}

extension Pad {
    /// What a probe is called for: `GstPadProbeType`.
    public struct ProbeMask: OptionSet, Sendable {
        /// GStreamer's bits.
        public let rawValue: UInt32
        /// A mask of GStreamer's bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Buffers.
        public static let buffer = ProbeMask(rawValue: GST_PAD_PROBE_TYPE_BUFFER.rawValue)
        /// Events that go with the data.
        public static let eventDownstream = ProbeMask(rawValue: GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue)
        /// Events that go against the data.
        public static let eventUpstream = ProbeMask(rawValue: GST_PAD_PROBE_TYPE_EVENT_UPSTREAM.rawValue)
        /// Queries that go with the data.
        public static let queryDownstream = ProbeMask(rawValue: GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM.rawValue)
        /// Any item, once no data flows: called at once on an idle pad, and blocks the pad until removed.
        public static let idle = ProbeMask(rawValue: GST_PAD_PROBE_TYPE_IDLE.rawValue)
        /// Blocks what it is called for until it is removed.
        public static let block = ProbeMask(rawValue: GST_PAD_PROBE_TYPE_BLOCK.rawValue)
    }

    /// Names a probe on a pad.
    public struct ProbeID: Sendable, Hashable { let raw: gulong }

    /// Has `handler` called for what flows through the pad, on the thread that brings it. It must not block.
    ///
    /// An ``ProbeMask/idle`` probe on an idle pad is called by this call itself, on the caller's thread.
    ///
    /// - Returns: the probe's id, or `nil` when the handler already asked to be removed.
    @discardableResult
    public func addProbe(
        _ mask: ProbeMask, _ handler: @escaping @Sendable (borrowing ProbeInfo) -> ProbeResult
    ) -> ProbeID? {
        let box = CallbackBox<ProbeHandler>(handler)
        let id = unsafe gst_pad_add_probe(
            pointer, GstPadProbeType(mask.rawValue), probeCallback, box.handOver(), releaseCallbackBox)
        return id == 0 ? nil : ProbeID(raw: id)
    }

    /// Takes a probe away.
    public func removeProbe(_ id: ProbeID) { unsafe gst_pad_remove_probe(pointer, id.raw) }
}

private typealias ProbeHandler = @Sendable (borrowing ProbeInfo) -> ProbeResult

private let probeCallback: GstPadProbeCallback = { _, info, data in
    guard let info = unsafe info, let handler = unsafe CallbackBox<ProbeHandler>.body(data) else {
        return GST_PAD_PROBE_OK
    }
    let seen = unsafe ProbeInfo(pointer: info)
    return seen.raw(handler(seen))
}

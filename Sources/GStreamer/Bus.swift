import CGStreamer

// Sendable unchecked: the one stored pointer never changes, and GstBus locks itself.
/// Where a pipeline's elements post what happened: `GstBus`.
@safe
public final class Bus: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GstBus>

    /// Takes over a reference (transfer full).
    init(adopting pointer: UnsafeMutablePointer<GstBus>) { unsafe self.pointer = pointer }

    deinit { unsafe gst_object_unref(pointer) }

    /// Has each message handed to `handler` as a value, at once, on the thread that posted it.
    ///
    /// Messages are not queued: nothing waits on the bus and nothing is lost. The handler must not block and must not
    /// change states. It replaces an earlier one; `nil` takes it away.
    ///
    /// - Parameter kinds: the messages that the handler is to have. Reading one takes longer than posting it, and a
    ///   pipeline that starts or stops posts a hundred.
    public func setHandler(for kinds: Message.Kinds = .all, _ handler: (@Sendable (Message) -> Void)?) {
        guard let handler else {
            unsafe gst_bus_set_sync_handler(pointer, nil, nil, nil)
            return
        }
        let box = CallbackBox<Listener>(Listener(kinds: kinds, handler: handler))
        unsafe gst_bus_set_sync_handler(pointer, busSyncHandler, box.handOver(), releaseCallbackBox)
    }
}

private struct Listener: Sendable {
    let kinds: Message.Kinds
    let handler: @Sendable (Message) -> Void
}

private let busSyncHandler: GstBusSyncHandler = { _, raw, data in
    guard let raw = unsafe raw, let listener = unsafe CallbackBox<Listener>.body(data) else {
        return GST_BUS_PASS
    }
    if let message = unsafe Message(reading: raw, of: listener.kinds) { listener.handler(message) }
    // GST_BUS_DROP hands the reference over to the handler.
    unsafe gst_message_unref(raw)
    return GST_BUS_DROP
}

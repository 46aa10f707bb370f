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
    public func setHandler(_ handler: (@Sendable (Message) -> Void)?) {
        guard let handler else {
            unsafe gst_bus_set_sync_handler(pointer, nil, nil, nil)
            return
        }
        let box = CallbackBox<@Sendable (Message) -> Void>(handler)
        unsafe gst_bus_set_sync_handler(pointer, busSyncHandler, box.handOver(), releaseCallbackBox)
    }
}

private let busSyncHandler: GstBusSyncHandler = { _, raw, data in
    guard let raw = unsafe raw, let handler = unsafe CallbackBox<@Sendable (Message) -> Void>.body(data)
    else {
        return GST_BUS_PASS
    }
    unsafe handler(Message(reading: raw))
    // GST_BUS_DROP hands the reference over to the handler.
    unsafe gst_message_unref(raw)
    return GST_BUS_DROP
}

import CGStreamer

/// Where a pipeline's elements post what happened: `GstBus`.
public final class Bus: @unchecked Sendable {  // GstBus locks itself
    let pointer: UnsafeMutablePointer<GstBus>

    /// Takes over a reference (transfer full).
    init(adopting pointer: UnsafeMutablePointer<GstBus>) { self.pointer = pointer }

    deinit { gst_object_unref(pointer) }

    /// Has each message handed to `handler` as a value, at once, on the thread that posted it.
    ///
    /// Messages are not queued: nothing waits on the bus and nothing is lost. The handler must not block and must not
    /// change states. It replaces an earlier one; `nil` takes it away.
    public func setHandler(_ handler: (@Sendable (Message) -> Void)?) {
        guard let handler else {
            gst_bus_set_sync_handler(pointer, nil, nil, nil)
            return
        }
        let box = CallbackBox<@Sendable (Message) -> Void>(handler)
        gst_bus_set_sync_handler(pointer, busSyncHandler, box.handOver(), releaseCallbackBox)
    }
}

private let busSyncHandler: GstBusSyncHandler = { _, raw, data in
    guard let raw, let handler = CallbackBox<@Sendable (Message) -> Void>.body(data) else {
        return GST_BUS_PASS
    }
    handler(Message(reading: raw))
    // GST_BUS_DROP hands the reference over to the handler.
    gst_message_unref(raw)
    return GST_BUS_DROP
}

import CGStreamer

// Sendable unchecked: as Element is; this adds no state of its own.
/// The end of a branch, where samples come to the program: `GstAppSink`.
///
/// Made so that a slow program drops frames and keeps nothing back: one sample at most is queued, the newest, and the
/// sink neither waits for the clock nor for a preroll.
public final class AppSink: Element, @unchecked Sendable {
    private var sink: UnsafeMutablePointer<GstAppSink> {
        unsafe cast(element)
    }

    /// A sink that accepts `caps`, or anything.
    ///
    /// - Throws: ``GStreamerError`` of kind `missingElement` without GStreamer's app plugin.
    public init(name: String? = nil, caps: Caps? = nil) throws(GStreamerError) {
        guard let made = unsafe gst_element_factory_make("appsink", name) else {
            throw .missingElement("appsink")
        }
        unsafe super.init(sinking: made)
        unsafe gst_app_sink_set_drop(sink, 1)
        unsafe gst_app_sink_set_max_buffers(sink, 1)
        // Preroll would hold the whole pipeline back until this branch has data; a sample kept as "last" is a frame
        // that a driver's small pool misses.
        try set("async", .bool(false))
        try set("sync", .bool(false))
        try set("enable-last-sample", .bool(false))
        // By default the end of the stream waits until the queued sample is taken, which nobody may ever do.
        try set("wait-on-eos", .bool(false))
        if let caps { unsafe gst_app_sink_set_caps(sink, caps.pointer) }
    }

    /// Has each sample handed to `handler`, on the streaming thread; the queue stays empty then.
    public func setHandler(_ handler: @escaping @Sendable (Sample) -> Void) {
        let box = CallbackBox<SampleHandler>(handler)
        var callbacks = GstAppSinkCallbacks()
        unsafe callbacks.new_sample = newSample
        unsafe gst_app_sink_set_callbacks(sink, &callbacks, box.handOver(), releaseCallbackBox)
    }

    /// Takes the queued sample, or waits up to `timeout` for the next. Without a timeout it does not wait.
    ///
    /// Wraps `gst_app_sink_try_pull_sample`. Not to be mixed with ``setHandler(_:)``.
    public func pull(timeout: ClockTime = .zero) -> Sample? {
        unsafe gst_app_sink_try_pull_sample(sink, timeout.raw).map { unsafe Sample(adopting: $0) }
    }
}

private typealias SampleHandler = @Sendable (Sample) -> Void

private func newSample(_ sink: UnsafeMutablePointer<GstAppSink>?, _ data: gpointer?) -> GstFlowReturn {
    guard let sink = unsafe sink, let handler = unsafe CallbackBox<SampleHandler>.body(data) else {
        return GST_FLOW_OK
    }
    if let sample = unsafe gst_app_sink_try_pull_sample(sink, 0) { unsafe handler(Sample(adopting: sample)) }
    return GST_FLOW_OK
}

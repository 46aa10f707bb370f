import CGStreamer

/// A source pad that the program itself pushes samples out of, on its own thread.
///
/// A push returns when everything downstream on this thread is done: with a converter, an encoder and a file sink
/// behind it, when the file is written or has failed. No end-of-stream and no waiting are needed to know.
public final class PushPad: Sendable {
    private struct Stream {
        var caps: Caps?
        var hasStarted = false
    }

    let pad: Pad
    // Held during a push, so that pushes from several threads follow one another with the caps that belong to each.
    private let stream = Guarded(Stream())

    /// A pad of its own, linked to the sink pad of the first element of a branch.
    ///
    /// - Throws: ``GStreamerError`` of kind `link` when the sink pad is linked already.
    public init(linkedTo sink: Pad) throws(GStreamerError) {
        guard let made = unsafe gst_pad_new("program", GST_PAD_SRC) else {
            throw GStreamerError(.other, "GStreamer gave no pad")
        }
        unsafe gst_object_ref_sink(made)
        pad = unsafe Pad(adopting: made)
        unsafe gst_pad_set_active(made, 1)
        try pad.link(to: sink, isChecked: false)
    }

    /// Unlinks and ends the pad; later pushes fail. **Blocks** until a push that is under way has returned.
    public func close() {
        stream.withLock { _ in
            if let peer = pad.peer { pad.unlink(from: peer) }
            unsafe gst_pad_set_active(pad.pointer, 0)
        }
    }

    /// Pushes a sample; **blocks** until what is downstream has taken it.
    ///
    /// - Returns: whether all went well. An element that could not do its part says why on the bus. Nobody says anything
    ///   when the pad is closed, the sample has no buffer or no caps, or what is downstream was stopped or has ended.
    public func push(_ sample: Sample) -> Bool {
        guard let buffer = unsafe sample.buffer, let caps = sample.caps else { return false }
        return stream.withLock { stream in
            if !stream.hasStarted {
                unsafe gst_pad_push_event(pad.pointer, gst_event_new_stream_start("camera-photo"))
            }
            if unsafe stream.caps?.pointer != caps.pointer {
                stream.caps = caps
                unsafe gst_pad_push_event(pad.pointer, gst_event_new_caps(caps.pointer))
            }
            if !stream.hasStarted {
                var segment = GstSegment()
                unsafe gst_segment_init(&segment, GST_FORMAT_TIME)
                unsafe gst_pad_push_event(pad.pointer, gst_event_new_segment(&segment))
                stream.hasStarted = true
            }
            return unsafe gst_pad_push(pad.pointer, gst_buffer_ref(buffer)) == GST_FLOW_OK
        }
    }
}

import CGStreamer

/// A source pad that the program itself pushes samples out of, on its own thread.
///
/// A push returns when everything downstream on this thread is done: with a converter, an encoder and a file sink
/// behind it, when the file is written or has failed. No end-of-stream and no waiting are needed to know.
public final class PushPad: @unchecked Sendable {  // one owner pushes; GstPad locks the rest
    private let pad: Pad
    private var caps: Caps?
    private var hasStarted = false

    /// A pad of its own, linked to the sink pad of the first element of a branch.
    public init(linkedTo sink: Pad) throws(GStreamerError) {
        guard let made = gst_pad_new("program", GST_PAD_SRC) else {
            throw GStreamerError(.other, "GStreamer gave no pad")
        }
        gst_object_ref_sink(made)
        pad = Pad(adopting: made)
        gst_pad_set_active(made, 1)
        try pad.link(to: sink, isChecked: false)
    }

    /// Unlinks and ends the pad.
    public func close() {
        if let peer = pad.peer { pad.unlink(from: peer) }
        gst_pad_set_active(pad.pointer, 0)
    }

    /// Pushes a sample; **blocks** until what is downstream has taken it.
    ///
    /// - Returns: whether all went well; if not, the reason is on the bus.
    public func push(_ sample: Sample) -> Bool {
        guard let buffer = sample.buffer, let sampleCaps = sample.rawCaps else { return false }
        if !hasStarted {
            gst_pad_push_event(pad.pointer, gst_event_new_stream_start("camera-photo"))
        }
        if caps?.pointer != sampleCaps {
            caps = Caps(retaining: sampleCaps)
            gst_pad_push_event(pad.pointer, gst_event_new_caps(sampleCaps))
        }
        if !hasStarted {
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            gst_pad_push_event(pad.pointer, gst_event_new_segment(&segment))
            hasStarted = true
        }
        return gst_pad_push(pad.pointer, gst_buffer_ref(buffer)) == GST_FLOW_OK
    }
}

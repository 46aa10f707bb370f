import CGStreamer

/// Questions about GStreamer's table of raw video formats.
public enum VideoFormats {
    /// Whether there is a raw format of this name. Wraps `gst_video_format_from_string`.
    public static func contains(_ name: String) -> Bool {
        let format = unsafe gst_video_format_from_string(name)
        return format != GST_VIDEO_FORMAT_UNKNOWN && format != GST_VIDEO_FORMAT_ENCODED
    }
}

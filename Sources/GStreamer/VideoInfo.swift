import CGStreamer

/// The layout of a raw video frame: `GstVideoInfo`.
@safe
public struct VideoInfo: Sendable {
    // Plain numbers and a pointer to GStreamer's constant table of formats.
    nonisolated(unsafe) let raw: GstVideoInfo

    /// Reads fixed caps of type video/x-raw; `nil` for anything else.
    public init?(_ caps: Caps) { unsafe self.init(caps.pointer) }

    init?(_ caps: UnsafePointer<GstCaps>) {
        var info = unsafe GstVideoInfo()
        guard unsafe gst_caps_is_fixed(caps) != 0, unsafe gst_video_info_from_caps(&info, caps) != 0 else {
            return nil
        }
        // It reads JPEG too, as a format without a layout.
        guard let format = unsafe info.finfo?.pointee.format, format != GST_VIDEO_FORMAT_ENCODED else {
            return nil
        }
        unsafe raw = info
    }

    /// The format's name, such as "I420".
    public var format: String {
        unsafe raw.finfo.flatMap { unsafe $0.pointee.name }.map { unsafe String(cString: $0) } ?? "UNKNOWN"
    }
    /// Pixels a line.
    public var width: Int { unsafe Int(raw.width) }
    /// Lines.
    public var height: Int { unsafe Int(raw.height) }
    /// Frames a second as a fraction; 0/1 when the rate varies.
    public var frameRate: Value.Fraction { unsafe .init(Int(raw.fps_n), Int(raw.fps_d)) }

    /// Width to height of a pixel; 1/1 where the caps said nothing.
    public var pixelAspectRatio: Value.Fraction { unsafe .init(Int(raw.par_n), Int(raw.par_d)) }

    /// The colorimetry, such as "bt709"; GStreamer's default for the size where the caps said nothing.
    public var colorimetry: String? {
        let text = unsafe withUnsafePointer(to: raw.colorimetry) {
            unsafe gst_video_colorimetry_to_string($0)
        }
        defer { unsafe g_free(text) }
        return unsafe text.map { unsafe String(cString: $0) }
    }
}

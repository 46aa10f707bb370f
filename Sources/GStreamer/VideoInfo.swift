import CGStreamer

/// The layout of a raw video frame: `GstVideoInfo`.
public struct VideoInfo: Sendable {
    // Plain numbers and a pointer to GStreamer's constant table of formats.
    nonisolated(unsafe) var raw: GstVideoInfo

    /// Reads fixed caps of type video/x-raw; `nil` for anything else.
    public init?(_ caps: Caps) { self.init(caps.pointer) }

    init?(_ caps: UnsafePointer<GstCaps>) {
        var info = GstVideoInfo()
        guard gst_video_info_from_caps(&info, caps) != 0 else { return nil }
        raw = info
    }

    /// The format's name, such as "I420".
    public var format: String {
        raw.finfo.flatMap { $0.pointee.name }.map { String(cString: $0) } ?? "UNKNOWN"
    }
    /// Pixels a line.
    public var width: Int { Int(raw.width) }
    /// Lines.
    public var height: Int { Int(raw.height) }
    /// Frames a second as a fraction; 0/1 when the rate varies.
    public var frameRate: Value.Fraction { .init(Int(raw.fps_n), Int(raw.fps_d)) }
    /// The number of bytes of a frame with the default strides.
    public var byteCount: Int { Int(raw.size) }

    /// The colorimetry, such as "bt709"; GStreamer's default for the size where the caps said nothing.
    public var colorimetry: String? {
        let text = withUnsafePointer(to: raw.colorimetry) { gst_video_colorimetry_to_string($0) }
        defer { g_free(text) }
        return text.map { String(cString: $0) }
    }
}

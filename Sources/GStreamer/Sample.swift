import CGStreamer

/// A buffer with its caps and its segment: `GstSample`. Immutable.
public final class Sample: @unchecked Sendable {  // reference counted atomically, and nothing here changes it
    let pointer: OpaquePointer

    /// Takes over a reference (transfer full).
    init(adopting pointer: OpaquePointer) { self.pointer = pointer }

    deinit { gst_sample_unref(pointer) }

    var buffer: UnsafeMutablePointer<GstBuffer>? { gst_sample_get_buffer(pointer) }
    var rawCaps: UnsafeMutablePointer<GstCaps>? { gst_sample_get_caps(pointer) }

    /// What the buffer carries.
    public var caps: Caps? { rawCaps.map { Caps(retaining: $0) } }

    /// The buffer's timestamp.
    public var timestamp: ClockTime? { buffer.flatMap { ClockTime($0.pointee.pts) } }

    /// The buffer's timestamp as running time.
    public var runningTime: ClockTime? {
        guard let timestamp, let segment = gst_sample_get_segment(pointer) else { return nil }
        return ClockTime(
            gst_segment_to_running_time(segment, GST_FORMAT_TIME, guint64(timestamp.nanoseconds)))
    }

    /// The number of bytes in the buffer.
    public var byteCount: Int { buffer.map { Int(gst_buffer_get_size($0)) } ?? 0 }

    /// Calls `body` with the buffer's bytes; for encoded data, whose layout is the bytes themselves.
    ///
    /// - Throws: ``GStreamerError`` when the memory cannot be mapped.
    public func withBytes<Result>(_ body: (RawSpan) throws -> Result) throws -> Result {
        var map = GstMapInfo()
        guard let buffer, gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else {
            throw GStreamerError(.read, "The buffer's memory cannot be mapped")
        }
        defer { gst_buffer_unmap(buffer, &map) }
        return try body(UnsafeRawBufferPointer(start: map.data, count: Int(map.size)).bytes)
    }

    /// The sample in other caps: another pixel format, size, or an encoded picture. Wraps `gst_video_convert_sample`.
    ///
    /// **Blocks** for as long as GStreamer's elements take, at most `timeout`.
    public func converted(to caps: Caps, timeout: ClockTime) throws(GStreamerError) -> Sample {
        var error: UnsafeMutablePointer<GError>?
        guard let converted = gst_video_convert_sample(pointer, caps.pointer, timeout.raw, &error) else {
            throw GStreamerError(adopting: error)
        }
        return Sample(adopting: converted)
    }
}

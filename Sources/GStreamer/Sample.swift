import CGStreamer

// Sendable unchecked: GstSample is reference counted atomically, and nothing here changes it.
/// A buffer with its caps and its segment: `GstSample`. Immutable.
@safe
public final class Sample: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over a reference (transfer full).
    init(adopting pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe gst_sample_unref(pointer) }

    var buffer: UnsafeMutablePointer<GstBuffer>? { unsafe gst_sample_get_buffer(pointer) }
    var rawCaps: UnsafeMutablePointer<GstCaps>? { unsafe gst_sample_get_caps(pointer) }

    /// What the buffer carries.
    public var caps: Caps? { unsafe rawCaps.map { unsafe Caps(retaining: $0) } }

    /// Whether these are its caps; without looking into them where they are the same object, as they are from one frame
    /// to the next.
    public func hasCaps(_ caps: Caps) -> Bool {
        guard let own = unsafe rawCaps else { return false }
        return unsafe own == caps.pointer || gst_caps_is_equal(own, caps.pointer) != 0
    }

    /// The buffer's timestamp.
    public var timestamp: ClockTime? { unsafe buffer.flatMap { unsafe ClockTime($0.pointee.pts) } }

    /// The buffer's timestamp as running time; `nil` outside its segment.
    public var runningTime: ClockTime? {
        guard let timestamp, let segment = unsafe gst_sample_get_segment(pointer) else { return nil }
        return unsafe Segment.runningTime(timestamp, in: segment)
    }

    /// The number of bytes in the buffer.
    public var byteCount: Int { unsafe buffer.map { unsafe Int(gst_buffer_get_size($0)) } ?? 0 }

    /// Calls `body` with the buffer's bytes; for encoded data, whose layout is the bytes themselves.
    ///
    /// - Throws: ``GStreamerError`` when the memory cannot be mapped.
    public func withBytes<Result>(_ body: (RawSpan) throws -> Result) throws -> Result {
        var map = unsafe GstMapInfo()
        guard let buffer = unsafe buffer, unsafe gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else {
            throw GStreamerError(.read, "the buffer's memory cannot be mapped")
        }
        defer { unsafe gst_buffer_unmap(buffer, &map) }
        return try unsafe body(UnsafeRawBufferPointer(start: map.data, count: Int(map.size)).bytes)
    }

    /// The sample in other caps: another pixel format, size, or an encoded picture. Wraps `gst_video_convert_sample`.
    ///
    /// **Blocks** for as long as GStreamer's elements take, at most `timeout`.
    /// - Throws: ``GStreamerError`` when no elements can do it, or they took too long.
    public func converted(to caps: Caps, timeout: ClockTime) throws(GStreamerError) -> Sample {
        var error: UnsafeMutablePointer<GError>?
        guard let converted = unsafe gst_video_convert_sample(pointer, caps.pointer, timeout.raw, &error)
        else {
            throw unsafe GStreamerError(adopting: error)
        }
        return unsafe Sample(adopting: converted)
    }
}

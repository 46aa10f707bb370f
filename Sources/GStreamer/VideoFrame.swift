import CGStreamer

/// A raw frame, mapped for reading: `GstVideoFrame`. It lives no longer than the closure it is handed to.
///
/// Nothing is copied: the planes lie where the source or the converter wrote them.
@safe
public struct MappedVideoFrame: ~Copyable {
    private let frame: GstVideoFrame

    init(_ sample: Sample, _ info: VideoInfo) throws(GStreamerError) {
        var mapped = unsafe GstVideoFrame()
        var raw = unsafe info.raw
        guard let buffer = unsafe sample.buffer,
            unsafe gst_video_frame_map(&mapped, &raw, buffer, GST_MAP_READ) != 0
        else {
            throw GStreamerError(.read, "the frame's memory cannot be mapped")
        }
        // Only now: once the field is set, a throw runs the deinit, on what was never mapped.
        unsafe frame = mapped
    }

    deinit {
        var frame = unsafe frame
        unsafe gst_video_frame_unmap(&frame)
    }

    /// The number of planes: 1 for BGRx, 2 for NV12, 3 for I420.
    public var planeCount: Int { unsafe Int(frame.info.finfo.pointee.n_planes) }

    /// Bytes from one line of a plane to the next, as the buffer's GstVideoMeta says; `plane` must be below
    /// ``planeCount``.
    public func stride(_ plane: Int) -> Int {
        check(plane)
        return unsafe withUnsafeBytes(of: frame.info.stride) {
            unsafe Int($0.bindMemory(to: gint.self)[plane])
        }
    }

    /// Lines of a plane, which the format's subsampling makes fewer than the frame's; `plane` must be below
    /// ``planeCount``.
    public func lineCount(_ plane: Int) -> Int {
        check(plane)
        let format = unsafe frame.info.finfo.pointee
        let component = unsafe Self.component(of: plane, format)
        let subsampling = unsafe withUnsafeBytes(of: format.h_sub) {
            unsafe Int($0.bindMemory(to: guint.self)[component])
        }
        let height = unsafe Int(frame.info.height)
        return -((-height) >> subsampling)
    }

    /// Calls `body` with the bytes of a plane and its stride; `plane` must be below ``planeCount``.
    public func withPlane<Result>(_ plane: Int, _ body: (RawSpan, Int) throws -> Result) rethrows -> Result {
        let stride = stride(plane)
        let start = unsafe withUnsafeBytes(of: frame.data) { unsafe $0.bindMemory(to: gpointer?.self)[plane] }
        // The last line of a plane ends with its pixels, which may be before the next stride.
        let count = unsafe min(stride * lineCount(plane), available(plane, start))
        return try unsafe body(UnsafeRawBufferPointer(start: start, count: count).bytes, stride)
    }

    private func check(_ plane: Int) {
        precondition((0..<planeCount).contains(plane), "A frame of this format has \(planeCount) planes")
    }

    private func available(_ plane: Int, _ start: gpointer?) -> Int {
        // With a GstVideoMeta each plane's memory is mapped apart, else the whole buffer at once.
        let index = unsafe frame.meta == nil ? 0 : plane
        let map = unsafe withUnsafeBytes(of: frame.map) { unsafe $0.bindMemory(to: GstMapInfo.self)[index] }
        guard let start = unsafe start, let base = unsafe map.data else { return 0 }
        return unsafe Int(map.size) - (start - UnsafeMutableRawPointer(base))
    }

    private static func component(of plane: Int, _ format: GstVideoFormatInfo) -> Int {
        unsafe withUnsafeBytes(of: format.plane) { planes in
            unsafe planes.bindMemory(to: guint.self).prefix(Int(format.n_components)).firstIndex(
                of: guint(plane))
                ?? 0
        }
    }
}

extension Sample {
    /// Calls `body` with the frame mapped for reading.
    ///
    /// - Throws: ``GStreamerError`` when the memory cannot be mapped, or what `body` throws.
    public func withVideoFrame<Result>(
        _ info: VideoInfo, _ body: (borrowing MappedVideoFrame) throws -> Result
    ) throws -> Result {
        let frame = try MappedVideoFrame(self, info)
        return try body(frame)
    }
}

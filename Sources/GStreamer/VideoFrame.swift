import CGStreamer

/// A raw frame, mapped for reading: `GstVideoFrame`. It lives no longer than the closure it is handed to.
///
/// Nothing is copied: the planes lie where the source or the converter wrote them.
public struct MappedVideoFrame: ~Copyable {
    private var frame: GstVideoFrame

    init(_ sample: Sample, _ info: VideoInfo) throws(GStreamerError) {
        frame = GstVideoFrame()
        var raw = info.raw
        guard let buffer = sample.buffer, gst_video_frame_map(&frame, &raw, buffer, GST_MAP_READ) != 0 else {
            throw GStreamerError(.read, "The frame's memory cannot be mapped")
        }
    }

    deinit { withUnsafePointer(to: frame) { gst_video_frame_unmap(UnsafeMutablePointer(mutating: $0)) } }

    /// The number of planes: 1 for BGRx, 2 for NV12, 3 for I420.
    public var planeCount: Int { Int(frame.info.finfo.pointee.n_planes) }

    /// Bytes from one line of a plane to the next, as the buffer's GstVideoMeta says.
    public func stride(_ plane: Int) -> Int {
        withUnsafeBytes(of: frame.info.stride) { Int($0.bindMemory(to: gint.self)[plane]) }
    }

    /// Lines of a plane, which the format's subsampling makes fewer than the frame's.
    public func lineCount(_ plane: Int) -> Int {
        let format = frame.info.finfo.pointee
        let component = Self.component(of: plane, format)
        let subsampling = withUnsafeBytes(of: format.h_sub) { Int($0.bindMemory(to: guint.self)[component]) }
        let height = Int(frame.info.height)
        return -((-height) >> subsampling)
    }

    /// Calls `body` with the bytes of a plane and its stride; `plane` must be below ``planeCount``.
    public func withPlane<Result>(_ plane: Int, _ body: (RawSpan, Int) throws -> Result) rethrows -> Result {
        precondition((0..<planeCount).contains(plane), "A frame of this format has \(planeCount) planes")
        let stride = stride(plane)
        let start = withUnsafeBytes(of: frame.data) { $0.bindMemory(to: gpointer?.self)[plane] }
        // The last line of a plane ends with its pixels, which may be before the next stride.
        let count = min(stride * lineCount(plane), available(plane, start))
        return try body(UnsafeRawBufferPointer(start: start, count: count).bytes, stride)
    }

    private func available(_ plane: Int, _ start: gpointer?) -> Int {
        let map = withUnsafeBytes(of: frame.map) { $0.bindMemory(to: GstMapInfo.self)[0] }
        guard let start, let base = map.data else { return 0 }
        let offset = start - UnsafeMutableRawPointer(base)
        // Planes in memories of their own are mapped apart; then the size of the first says nothing about this one.
        guard offset >= 0, offset < Int(map.size) else { return stride(plane) * lineCount(plane) }
        return Int(map.size) - offset
    }

    private static func component(of plane: Int, _ format: GstVideoFormatInfo) -> Int {
        withUnsafeBytes(of: format.plane) { planes in
            planes.bindMemory(to: guint.self).prefix(Int(format.n_components)).firstIndex(of: guint(plane))
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

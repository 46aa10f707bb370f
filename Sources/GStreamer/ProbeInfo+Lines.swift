import CGStreamer

extension ProbeInfo {
    /// Puts a copy of a frame in its place whose lines go on, outside the picture, with their last pixel. Does nothing
    /// to any other item, to a format whose components share a plane, or to a frame that cannot be mapped.
    ///
    /// An encoder that works in blocks reads beyond the width; what it finds there colours the picture's last columns.
    /// - Parameters:
    ///   - info: the frame's layout.
    ///   - block: the lines, in pixels, become a multiple of this; 16 for a JPEG with halved colour.
    public func continueLines(of info: VideoInfo, toMultipleOf block: Int) {
        var raw = unsafe info.raw
        guard let old = unsafe buffer, let format = unsafe raw.finfo,
            let planes = unsafe Planes(format, info, block),
            let new = unsafe gst_buffer_new_allocate(nil, gsize(planes.byteCount), nil)
        else { return }
        var (offsets, strides) = (
            planes.layouts.map { gsize($0.offset) }, planes.layouts.map { gint($0.stride) }
        )
        unsafe gst_buffer_add_video_meta_full(
            new, GST_VIDEO_FRAME_FLAG_NONE, format.pointee.format, guint(info.width), guint(info.height),
            guint(planes.layouts.count), &offsets, &strides)
        unsafe gst_buffer_copy_into(new, old, GST_BUFFER_COPY_TIMESTAMPS, 0, .max)
        guard unsafe Self.copy(old, to: new, &raw, planes) else {
            unsafe gst_buffer_unref(new)
            return
        }
        unsafe replace(old, by: new)
    }

    private static func copy(
        _ old: UnsafeMutablePointer<GstBuffer>, to new: UnsafeMutablePointer<GstBuffer>,
        _ info: inout GstVideoInfo,
        _ planes: Planes
    ) -> Bool {
        var (source, target) = unsafe (GstVideoFrame(), GstVideoFrame())
        guard unsafe gst_video_frame_map(&source, &info, old, GST_MAP_READ) != 0 else { return false }
        defer { unsafe gst_video_frame_unmap(&source) }
        guard unsafe gst_video_frame_map(&target, &info, new, GST_MAP_WRITE) != 0 else { return false }
        defer { unsafe gst_video_frame_unmap(&target) }
        guard unsafe gst_video_frame_copy(&target, &source) != 0 else { return false }
        unsafe withUnsafeBytes(of: target.data) { data in
            let starts = unsafe data.bindMemory(to: gpointer?.self)
            for (plane, layout) in planes.layouts.enumerated() {
                guard let start = unsafe starts[plane] else { continue }
                for line in 0..<layout.lines {
                    let end = unsafe start + line * layout.stride + layout.width
                    let last = unsafe end.load(fromByteOffset: -1, as: UInt8.self)
                    unsafe memset(end, Int32(last), layout.stride - layout.width)
                }
            }
        }
        return true
    }

    /// Where the longer lines lie, of a format with a component a plane and a byte a sample.
    private struct Planes {
        struct Layout {
            let offset: Int
            let width: Int
            let stride: Int
            let lines: Int
        }

        let layouts: [Layout]
        let byteCount: Int

        init?(_ format: UnsafePointer<GstVideoFormatInfo>, _ info: VideoInfo, _ block: Int) {
            let format = unsafe format.pointee
            let count = Int(unsafe format.n_components)
            guard unsafe format.n_planes == format.n_components, unsafe format.bits == 8 else { return nil }
            let (horizontal, vertical, steps) = unsafe (
                Self.first(count, of: format.w_sub), Self.first(count, of: format.h_sub),
                Self.first(count, of: format.pixel_stride)
            )
            guard steps.allSatisfy({ $0 == 1 }) else { return nil }
            let width = (info.width + block - 1) / block * block
            var (layouts, end) = ([Layout](), 0)
            for component in 0..<count {
                let (across, down) = (Int(horizontal[component]), Int(vertical[component]))
                let layout = Layout(
                    offset: end, width: -((-info.width) >> across), stride: -((-width) >> across),
                    lines: -((-info.height) >> down))
                layouts.append(layout)
                end += layout.stride * layout.lines
            }
            self.layouts = layouts
            byteCount = end
        }

        private static func first<Tuple>(_ count: Int, of numbers: Tuple) -> [guint] {
            unsafe withUnsafeBytes(of: numbers) { unsafe Array($0.bindMemory(to: guint.self).prefix(count)) }
        }
    }
}

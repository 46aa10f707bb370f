import CGStreamer

extension ProbeInfo {
    /// Tells a buffer from all others that are there at the same time.
    public struct BufferID: Sendable, Hashable { let address: UInt }

    /// Which buffer it is; `nil` when the item is none.
    public var bufferID: BufferID? { unsafe buffer.map { BufferID(address: UInt(bitPattern: $0)) } }

    /// Hands a buffer to another element, on this thread, in the place of where the probe's pad leads: `gst_pad_chain`.
    ///
    /// The events that a buffer needs, those of its stream, its caps and its segment, must have come to `sink` already.
    /// - Returns: what the probe has to return.
    public func forward(to sink: Pad) -> ProbeResult {
        guard let buffer = unsafe buffer else { return .pass }
        // As over a link, who pushed the buffer is told what became of it.
        unsafe pointer.pointee.ABI.abi.flow_ret = gst_pad_chain(sink.pointer, buffer)
        return .forwarded
    }

    /// Whether a buffer's driver says that its content is damaged: `GST_BUFFER_FLAG_CORRUPTED`.
    public var isMarkedDamaged: Bool {
        guard let buffer = unsafe buffer else { return false }
        return unsafe buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_CORRUPTED.rawValue != 0
    }

    /// Calls `body` with a buffer's bytes; `nil` for any other item, or when they cannot be mapped.
    public func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result? {
        guard let buffer = unsafe buffer else { return nil }
        var map = unsafe GstMapInfo()
        guard unsafe gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return nil }
        defer { unsafe gst_buffer_unmap(buffer, &map) }
        let bytes = unsafe UnsafeRawBufferPointer(start: map.data, count: Int(map.size))
        return unsafe body(bytes.bytes)
    }

    /// Puts the first `count` bytes of a buffer in its place; does nothing to any other item.
    public func truncateBuffer(to count: Int) {
        guard let old = unsafe buffer else { return }
        let size = Int(unsafe gst_buffer_get_size(old))
        let flags =
            GST_BUFFER_COPY_FLAGS.rawValue | GST_BUFFER_COPY_TIMESTAMPS.rawValue
            | GST_BUFFER_COPY_META.rawValue | GST_BUFFER_COPY_MEMORY.rawValue
        let part = unsafe gst_buffer_copy_region(
            old, GstBufferCopyFlags(flags), 0, gsize(min(max(0, count), size)))
        unsafe replace(old, by: part)
    }

    /// Puts a copy of a buffer in its place, of which some bytes are overwritten; does nothing to any other item.
    public func overwriteBuffer(_ range: Range<Int>, with byte: UInt8) {
        guard let old = unsafe buffer, let copy = unsafe gst_buffer_copy_deep(old) else { return }
        unsafe gst_buffer_memset(copy, gsize(range.lowerBound), byte, gsize(range.count))
        unsafe replace(old, by: copy)
    }

    // The probe owns what it puts into the item, and lets go of what was there.
    func replace(
        _ old: UnsafeMutablePointer<GstBuffer>, by new: UnsafeMutablePointer<GstBuffer>?
    ) {
        guard let new = unsafe new else { return }
        unsafe pointer.pointee.data = UnsafeMutableRawPointer(new)
        unsafe gst_buffer_unref(old)
    }
}

import CGStreamer

/// A piece of information about a picture or a recording, which an element writes into its file.
public enum Tag: Sendable, Hashable {
    /// When it was taken, in microseconds since 1970 in UTC. It is written as this machine's local time.
    case dateTime(microseconds: Int64)
    /// How it is to be turned to be upright, such as "rotate-0" for not at all.
    case imageOrientation(String)
    /// The program that took it.
    case applicationName(String)

    fileprivate func add(to list: UnsafeMutablePointer<GstTagList>) {
        switch self {
        case .dateTime(let microseconds):
            // A time that no calendar has is left out.
            guard let time = unsafe gst_date_time_new_from_unix_epoch_local_time_usecs(gint64(microseconds))
            else {
                return
            }
            var value = GValue()
            unsafe g_value_init(&value, gst_date_time_get_type())
            unsafe g_value_take_boxed(&value, UnsafeRawPointer(time))
            unsafe gst_tag_list_add_value(list, GST_TAG_MERGE_REPLACE, GST_TAG_DATE_TIME, &value)
            unsafe g_value_unset(&value)
        case .imageOrientation(let text): unsafe Self.add(text, GST_TAG_IMAGE_ORIENTATION, to: list)
        case .applicationName(let text): unsafe Self.add(text, GST_TAG_APPLICATION_NAME, to: list)
        }
    }

    private static func add(_ text: String, _ name: String, to list: UnsafeMutablePointer<GstTagList>) {
        unsafe Value.string(text).withGValue {
            unsafe gst_tag_list_add_value(list, GST_TAG_MERGE_REPLACE, name, $0)
        }
    }
}

/// What tags say of a picture, as a part of its JPEG file: the segment APP1 of Exif 2.3, 4.7.
public struct ExifSegment: Sendable {
    private static let write = unsafe camera_exif_writer()

    /// The segment, with its marker.
    public let bytes: [UInt8]

    /// Writes the tags down.
    ///
    /// - Throws: ``GStreamerError`` of kind `missingElement` when GStreamer's library of tags is not there.
    public init(_ tags: [Tag]) throws(GStreamerError) {
        guard let write = unsafe Self.write, let list = unsafe gst_tag_list_new_empty() else {
            throw GStreamerError(.missingElement, "libgsttag-1.0 is not installed")
        }
        defer { unsafe gst_tag_list_unref(list) }
        for tag in tags { unsafe tag.add(to: list) }
        var bytes: [UInt8] = []
        if let content = unsafe write(list) {
            defer { unsafe gst_buffer_unref(content) }
            let size = unsafe gst_buffer_get_size(content)
            let length = size + 2 + UInt(Self.name.count)
            bytes = [0xFF, 0xE1, UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
            bytes += Self.name
            let start = bytes.count
            bytes += [UInt8](repeating: 0, count: Int(size))
            unsafe bytes.withUnsafeMutableBytes { bytes in
                _ = unsafe gst_buffer_extract(content, 0, bytes.baseAddress.map { unsafe $0 + start }, size)
            }
        }
        self.bytes = bytes
    }

    private static let name = Array("Exif".utf8) + [0, 0]
}

extension ProbeInfo {
    /// Puts a segment into a buffer that is a JPEG file, behind its JFIF header, which has to come first; does nothing to
    /// any other item.
    public func insert(_ segment: ExifSegment) {
        let place = withBytes { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                // Behind SOI, and the segment APP0 with its length.
                guard bytes.count > 6, unsafe bytes[2] == 0xFF, unsafe bytes[3] == 0xE0 else {
                    return 2
                }
                return unsafe 4 + Int(bytes[4]) << 8 + Int(bytes[5])
            }
        }
        guard let place, let old = unsafe buffer, let new = unsafe gst_buffer_new() else { return }
        let start = gsize(place)
        let all = GstBufferCopyFlags(
            GST_BUFFER_COPY_FLAGS.rawValue | GST_BUFFER_COPY_TIMESTAMPS.rawValue
                | GST_BUFFER_COPY_META.rawValue | GST_BUFFER_COPY_MEMORY.rawValue)
        unsafe gst_buffer_copy_into(new, old, all, 0, start)
        unsafe segment.bytes.withUnsafeBytes { bytes in
            let added = unsafe gst_buffer_new_memdup(bytes.baseAddress, gsize(bytes.count))
            unsafe gst_buffer_copy_into(new, added, GST_BUFFER_COPY_MEMORY, 0, .max)
            unsafe gst_buffer_unref(added)
        }
        unsafe gst_buffer_copy_into(new, old, GST_BUFFER_COPY_MEMORY, start, .max)
        unsafe replace(old, by: new)
    }
}

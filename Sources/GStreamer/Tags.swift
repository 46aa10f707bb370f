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

extension Element {
    /// Replaces all tags that the element writes into what it makes from here on. Wraps `GstTagSetter`.
    ///
    /// - Throws: ``GStreamerError`` of kind `settings` when the element writes no tags.
    public func setTags(_ tags: [Tag]) throws(GStreamerError) {
        guard let setter = unsafe camera_tag_setter(element), let list = unsafe gst_tag_list_new_empty()
        else {
            throw GStreamerError(.settings, "the element '\(name)' writes no tags")
        }
        for tag in tags { unsafe tag.add(to: list) }
        unsafe gst_tag_setter_reset_tags(setter)
        unsafe gst_tag_setter_merge_tags(setter, list, GST_TAG_MERGE_REPLACE_ALL)
        unsafe gst_tag_list_unref(list)
    }
}

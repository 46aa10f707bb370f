import CGStreamer

/// The order of file names, as people expect it: `video2` before `video10`.
public enum FileNames {
    /// Whether one name comes before another: `g_utf8_collate_key_for_filename`.
    public static func precedes(_ left: String, _ right: String) -> Bool {
        let first = unsafe g_utf8_collate_key_for_filename(left, -1)
        let second = unsafe g_utf8_collate_key_for_filename(right, -1)
        defer {
            unsafe g_free(first)
            unsafe g_free(second)
        }
        return unsafe g_strcmp0(first, second) < 0
    }
}

import CGStreamer

/// Initialises GStreamer. Safe to call from any thread and any number of times; only the first call does work.
///
/// Wraps `gst_init_check`. Call it before anything else of this module.
///
/// - Throws: ``GStreamerError`` when GStreamer cannot start, for example because its registry is unreadable.
public func initialize() throws(GStreamerError) {
    LostDevices.prepare()
    var error: UnsafeMutablePointer<GError>?
    guard unsafe gst_init_check(nil, nil, &error) != 0 else { throw unsafe GStreamerError(adopting: error) }
}

/// Releases everything that GStreamer holds for the process. Wraps `gst_deinit`.
///
/// The process cannot use GStreamer afterwards. The leaks tracer reports at this point.
public func deinitialize() {
    gst_deinit()
}

/// GStreamer's version, such as "1.22.0".
public var version: String {
    var (major, minor, micro, nano): (guint, guint, guint, guint) = (0, 0, 0, 0)
    unsafe gst_version(&major, &minor, &micro, &nano)
    return "\(major).\(minor).\(micro)"
}

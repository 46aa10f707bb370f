import CGStreamer

/// Stops elements whose V4L2 device is gone, without what v4l2src 1.22 would leave behind.
///
/// When it stops, v4l2src leaves buffers that are still in use to their users and forgets them ("orphans" them), so that
/// nobody who holds a frame keeps the device from another format. With a device that is gone this fails half-way, and
/// the buffer pool stays, with the device's descriptor and two pairs of sockets. Where the environment has
/// `GST_V4L2_FORCE_DRAIN`, which is looked for at every stop, it does not give them up, and nothing stays behind.
@safe
public enum LostDevices {
    /// How many stops are under way.
    private static let stops = Guarded(0)

    /// The variable in the environment, under a name that nobody looks for while its first letter is another. Changing
    /// that letter changes the environment without moving it, which would pull it away under whoever reads it.
    nonisolated(unsafe) private static let variable: UnsafeMutablePointer<gchar>? = {
        let text = unsafe g_strdup("-ST_V4L2_FORCE_DRAIN=1")
        return unsafe text.flatMap { unsafe putenv($0) == 0 ? $0 : nil }
    }()

    /// Puts the variable into the environment, while the process has few threads that could be looking at it.
    static func prepare() { _ = unsafe variable }

    /// Calls `body`, which stops such elements. A device that is still there would stay busy for as long as somebody holds
    /// one of its frames.
    public static func draining<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        change(by: 1)
        defer { change(by: -1) }
        try body()
    }

    private static func change(by number: Int) {
        stops.withLock { stops in
            stops += number
            unsafe variable?.pointee = CChar(bitPattern: UInt8(ascii: stops > 0 ? "G" : "-"))
        }
    }
}

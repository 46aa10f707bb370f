import CGStreamer

/// A thread of its own for work that would block a shared one: `GThread`.
public enum SystemThread {
    /// Runs `body` on a new thread. Of a machine that gives no more threads nothing comes back; whoever waits has a
    /// deadline.
    ///
    /// - Parameter name: shown by the system's tools, which keep 15 bytes of it.
    public static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let box = unsafe CallbackBox<Body>(body).handOver()
        guard let thread = unsafe g_thread_try_new(name, runBody, box, nil) else {
            unsafe releaseCallbackBox(box)
            return
        }
        unsafe g_thread_unref(thread)
    }
}

private typealias Body = @Sendable () -> Void

private let runBody: GThreadFunc = { box in
    let body = unsafe CallbackBox<Body>.body(box)
    // The thread keeps what `body` needs no longer than it runs.
    unsafe releaseCallbackBox(box)
    body?()
    return nil
}

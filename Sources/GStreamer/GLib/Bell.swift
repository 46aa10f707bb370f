import CGStreamer
import Synchronization

// Sendable unchecked: the two pointers never change, and the rest is atomic, which ThreadSanitizer sees; GLib's mutex it
// does not.
/// Wakes one thread that sleeps until a time: a `GCond`. Unlike a semaphore's, its time does not jump when somebody sets
/// the clock.
@safe
public final class Bell: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<GMutex>
    private let condition: UnsafeMutablePointer<GCond>
    private let hasRung = Atomic(false)

    /// A bell that has not rung.
    public init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe g_mutex_init(mutex)
        unsafe g_cond_init(condition)
    }

    deinit {
        unsafe g_cond_clear(condition)
        unsafe g_mutex_clear(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Wakes who sleeps, or who sleeps next.
    public func ring() {
        unsafe g_mutex_lock(mutex)
        hasRung.store(true, ordering: .releasing)
        unsafe g_cond_signal(condition)
        unsafe g_mutex_unlock(mutex)
    }

    /// Sleeps until it rings, or has rung since the last sleep. **Blocks**, `seconds` at most.
    public func sleep(atMost seconds: Double) {
        let end = g_get_monotonic_time() + gint64(max(0, min(seconds, 1e9)) * 1e6)
        unsafe g_mutex_lock(mutex)
        defer { unsafe g_mutex_unlock(mutex) }
        while !hasRung.exchange(false, ordering: .acquiring),
            unsafe g_cond_wait_until(condition, mutex, end) != 0
        {}
    }
}

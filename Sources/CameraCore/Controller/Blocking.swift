import Dispatch
import Foundation
import GStreamer

/// A value that one thread waits for, with a deadline, and that others may deliver; the first delivery counts.
final class Latch<Value: Sendable>: Sendable {
    private let value = Guarded<Value?>(nil)
    private let arrived = DispatchSemaphore(value: 0)

    /// Delivers the value; `false` when one had come before.
    @discardableResult
    func deliver(_ delivered: Value) -> Bool {
        let isFirst = value.withLock { value in
            guard value == nil else { return false }
            value = delivered
            return true
        }
        if isFirst { arrived.signal() }
        return isFirst
    }

    /// The value, as soon as it is there; `nil` at the deadline. Only one thread may wait.
    func wait(for deadline: Duration) -> Value? {
        if let value = value.withLock({ $0 }) { return value }
        _ = arrived.wait(timeout: .now() + deadline.seconds)
        return value.withLock { $0 }
    }
}

/// Runs a call that may block for ever, on a thread of its own.
///
/// - Returns: what the call returned, or `nil` at the deadline: the thread then stays with the call, which is lost
///   to a driver that does not answer, and the caller goes on.
func withDeadline<Result: Sendable>(_ deadline: Duration, _ call: @escaping @Sendable () -> Result) -> Result?
{
    let latch = Latch<Result>()
    let work = Guarded<(@Sendable () -> Result)?>(call)
    // What the call holds is let go before its result is told: who waited may release GStreamer next.
    @Sendable func perform() -> Result? {
        work.withLock { work in
            defer { work = nil }
            return work
        }?()
    }
    let thread = Thread {
        // Before the start a name would stay unknown to the system, and the thread would have its maker's.
        Thread.current.name = "camera-blocking"
        if let result = perform() { latch.deliver(result) }
    }
    thread.start()
    return latch.wait(for: deadline)
}

/// As ``withDeadline(_:_:)``, for a call of GStreamer's that may also fail.
func attempt(
    within deadline: Duration, _ call: @escaping @Sendable () throws(GStreamerError) -> Void
) -> Result<Void, GStreamerError>? {
    withDeadline(deadline) {
        do throws(GStreamerError) { return .success(try call()) } catch { return .failure(error) }
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

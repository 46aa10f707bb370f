import GStreamer

/// A value that one thread or task waits for, with a deadline, and that others may deliver; the first delivery counts.
final class Latch<Value: Sendable>: Sendable {
    /// How a task's wait ended.
    enum Outcome: Sendable {
        case delivered(Value)
        case deadline
        /// The waiting task was cancelled.
        case cancelled
    }

    private struct State {
        var value: Value?
        /// Counts the waits, so that a late alarm ends none but its own.
        var wait = 0
        var waiter: CheckedContinuation<Outcome, Never>?
        /// How the wait ended, when that was before it had begun in earnest.
        var early: Outcome?
    }

    private let state = Guarded(State())
    private let arrived = Bell()

    /// The value, if it is there.
    var value: Value? { state.withLock { $0.value } }

    /// Delivers the value; `false` when one had come before.
    @discardableResult
    func deliver(_ delivered: Value) -> Bool {
        let (isFirst, waiter) = state.withLock { state in
            guard state.value == nil else { return (false, nil as CheckedContinuation<Outcome, Never>?) }
            state.value = delivered
            defer { state.waiter = nil }
            return (true, state.waiter)
        }
        guard isFirst else { return false }
        arrived.ring()
        waiter?.resume(returning: .delivered(delivered))
        return true
    }

    /// The value, as soon as it is there; `nil` at the deadline. **Blocks.** Only one thread may wait.
    func wait(for deadline: Duration) -> Value? {
        if let value { return value }
        arrived.sleep(atMost: deadline.seconds)
        return value
    }

    /// The value, as soon as it is there, or why it did not come. Only one task may wait.
    func value(within deadline: Duration) async -> Outcome {
        let wait = state.withLock { state in
            state.wait += 1
            state.early = nil
            return state.wait
        }
        let alarm = Alarms.set(for: deadline) { self.end(wait, .deadline) }
        defer {
            Alarms.cancel(alarm)
            state.showOrder()
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Outcome? = state.withLock { state in
                    if let value = state.value { return .delivered(value) }
                    if let early = state.early { return early }
                    state.waiter = continuation
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            end(wait, .cancelled)
        }
    }

    private func end(_ wait: Int, _ outcome: Outcome) {
        let waiter = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard wait == state.wait else { return nil }
            if state.waiter == nil { state.early = outcome }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: outcome)
    }
}

/// Runs a call that may block for ever, on a thread of its own.
///
/// At the deadline, or when the task is cancelled, the thread stays with the call, which is lost to a driver that does
/// not answer, and the caller goes on.
func withDeadline<Result: Sendable>(
    _ deadline: Duration, _ call: @escaping @Sendable () -> Result
) async -> Latch<Result>.Outcome {
    await startOnThread(call).value(within: deadline)
}

/// As the asynchronous `withDeadline`, **blocking** the calling thread. Gives `nil` at the deadline.
func withDeadline<Result: Sendable>(_ deadline: Duration, _ call: @escaping @Sendable () -> Result) -> Result?
{
    startOnThread(call).wait(for: deadline)
}

/// Runs a call that may block for ever and that nobody waits for, on a thread of its own.
func detached(_ call: @escaping @Sendable () -> Void) { _ = startOnThread(call) }

private func startOnThread<Result: Sendable>(_ call: @escaping @Sendable () -> Result) -> Latch<Result> {
    let latch = Latch<Result>()
    let work = Guarded<(@Sendable () -> Result)?>(call)
    BlockingThread.perform {
        // What the call holds is let go before its result is told: who waited may release GStreamer next.
        let result = work.withLock { work in
            defer { work = nil }
            return work
        }?()
        return { if let result { latch.deliver(result) } }
    }
    return latch
}

/// As the blocking `withDeadline`, for a call of GStreamer's that may also fail.
func attempt(
    within deadline: Duration, _ call: @escaping @Sendable () throws(GStreamerError) -> Void
) -> Result<Void, GStreamerError>? {
    withDeadline(deadline) {
        do throws(GStreamerError) { return .success(try call()) } catch { return .failure(error) }
    }
}

/// As the asynchronous `withDeadline`, for a call of GStreamer's that may also fail.
func attempt(
    within deadline: Duration, _ call: @escaping @Sendable () throws(GStreamerError) -> Void
) async -> Latch<Result<Void, GStreamerError>>.Outcome {
    await withDeadline(deadline) {
        do throws(GStreamerError) { return .success(try call()) } catch { return .failure(error) }
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

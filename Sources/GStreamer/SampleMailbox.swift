/// A stream of samples that keeps only the newest: what a slow consumer misses is dropped and counted.
///
/// The streaming thread puts samples in; one consumer at a time takes them out. Nothing waits but the consumer.
public final class SampleMailbox: Sendable {
    /// A sample with its number among all that came.
    public struct Entry: Sendable {
        /// The sample.
        public let sample: Sample
        /// 1 for the first that came, then counting, also those that were dropped.
        public let number: Int
    }

    private struct State {
        var newest: Entry?
        var waiter: (id: Int, continuation: CheckedContinuation<Entry?, Never>)?
        var arrived = 0
        var dropped = 0
        var waits = 0
        var isClosed = false
    }

    private let state = Guarded(State())

    /// An empty mailbox.
    public init() {}

    /// How many samples came, and how many of them were replaced before anybody took them.
    public var counts: (arrived: Int, dropped: Int) { state.withLock { ($0.arrived, $0.dropped) } }

    /// Puts a sample in, in the place of the one before.
    public func put(_ sample: Sample) {
        let (waiter, entry) = state.withLock { state in
            guard !state.isClosed else {
                return (nil as CheckedContinuation<Entry?, Never>?, nil as Entry?)
            }
            state.arrived += 1
            let entry = Entry(sample: sample, number: state.arrived)
            if let waiter = state.waiter {
                state.waiter = nil
                return (waiter.continuation, entry)
            }
            if state.newest != nil { state.dropped += 1 }
            state.newest = entry
            return (nil, nil)
        }
        waiter?.resume(returning: entry)
    }

    /// Takes the newest sample if one is there.
    public func take() -> Entry? {
        state.withLock { state in
            defer { state.newest = nil }
            return state.newest
        }
    }

    /// Has who waits in ``next(isolation:)`` go on with `nil`; the stream goes on.
    public func interrupt() { wake { _ in true } }

    /// Takes the newest sample, or waits for the next; `nil` once closed or interrupted, or when the task is cancelled.
    /// Only one waits at a time: a second consumer gets `nil` at once.
    ///
    /// The wait begins before the caller's actor is let go: an ``interrupt()`` that this actor calls is never too early
    /// for it.
    public func next(isolation: isolated (any Actor)? = #isolation) async -> Entry? {
        let (entry, id) = state.withLock { state in
            if let entry = state.newest {
                state.newest = nil
                return (entry as Entry?, 0)
            }
            state.waits += 1
            return (nil, state.waits)
        }
        if let entry { return entry }
        return await withTaskCancellationHandler {
            // A closure stays on the caller's actor only if it uses it.
            await withCheckedContinuation(isolation: isolation) { continuation in
                enum Outcome { case wait, resume(Entry?) }
                let outcome: Outcome = state.withLock { state in
                    if state.isClosed || Task.isCancelled { return .resume(nil) }
                    if let entry = state.newest {
                        state.newest = nil
                        return .resume(entry)
                    }
                    // A second consumer would take the first one's frames in turns; it gets nothing instead.
                    guard state.waiter == nil else { return .resume(nil) }
                    state.waiter = (id, continuation)
                    return .wait
                }
                if case .resume(let entry) = outcome { continuation.resume(returning: entry) }
            }
        } onCancel: {
            wake { $0.id == id }
        }
    }

    /// Ends the stream: who waits gets `nil`, and what comes later is dropped.
    public func close() {
        state.withLock { state in
            state.isClosed = true
            state.newest = nil
        }
        wake { _ in true }
    }

    private func wake(where matches: ((id: Int, continuation: CheckedContinuation<Entry?, Never>)) -> Bool) {
        let waiter = state.withLock { state -> CheckedContinuation<Entry?, Never>? in
            guard let waiter = state.waiter, matches(waiter) else { return nil }
            state.waiter = nil
            return waiter.continuation
        }
        waiter?.resume(returning: nil)
    }
}

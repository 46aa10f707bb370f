import Dispatch
import Synchronization

/// A stream of samples that keeps only the newest: what a slow consumer misses is dropped and counted.
///
/// The streaming thread puts samples in; one consumer at a time takes them out. Nothing waits but the consumer, and who
/// asks for it with ``hand(_:number:)``.
public final class SampleMailbox: Sendable {
    /// A sample with its number among all that came.
    public struct Entry: Sendable {
        /// The sample.
        public let sample: Sample
        /// 1 for the first that came, then counting, also those that were dropped; or what ``SampleMailbox/put(_:number:)``
        /// was told.
        public let number: Int
    }

    // A checked continuation takes memory for each frame that is waited for. This one is resumed once: whoever takes it
    // out of the state does it, and who does not put it in.
    @safe private struct Waiter {
        let id: Int
        let continuation: UnsafeContinuation<Entry?, Never>

        func resume(_ entry: Entry?) { unsafe continuation.resume(returning: entry) }
    }

    private struct State {
        var newest: Entry?
        var waiter: Waiter?
        var arrived = 0
        var dropped = 0
        var isClosed = false
        /// Whether a thread waits in ``wait()``.
        var isThreadWaiting = false
        /// Whether a thread waits in ``hand(_:number:)``.
        var isThreadHanding = false
    }

    private let state = Guarded(State())
    private let news = DispatchSemaphore(value: 0)
    private let done = DispatchSemaphore(value: 0)
    private let waits = Atomic<Int>(0)

    /// Has the newest sample made, where that costs something; see ``init(ask:)``.
    public typealias Ask = @Sendable (_ hasSample: Bool) -> Bool

    private let ask: Ask?

    /// An empty mailbox.
    ///
    /// - Parameter ask: called by who comes for a sample, before they take or await one, and told whether there is one.
    ///   It returns whether that is outdated, and a newer one on its way: then the newer one is waited for. It must not
    ///   use the mailbox.
    public init(ask: Ask? = nil) { self.ask = ask }

    /// How many samples came, and how many of them were replaced before anybody took them.
    public var counts: (arrived: Int, dropped: Int) { state.withLock { ($0.arrived, $0.dropped) } }

    /// Whether the stream has ended.
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Puts a sample in, in the place of the one before.
    ///
    /// - Parameters:
    ///   - number: its number, where it was counted before; else it is counted here.
    ///   - skipped: how many samples before it were dropped on their way here.
    public func put(_ sample: Sample, number: Int? = nil, skipped: Int = 0) {
        let (waiter, entry, isThreadWaiting) = state.withLock { state -> (Waiter?, Entry?, Bool) in
            guard !state.isClosed else { return (nil, nil, false) }
            state.arrived += 1 + skipped
            state.dropped += skipped
            let entry = Entry(sample: sample, number: number ?? state.arrived)
            if let waiter = state.waiter {
                state.waiter = nil
                return (waiter, entry, false)
            }
            if state.newest != nil { state.dropped += 1 }
            state.newest = entry
            defer { state.isThreadWaiting = false }
            return (nil, nil, state.isThreadWaiting)
        }
        waiter?.resume(entry)
        if isThreadWaiting { news.signal() }
    }

    /// Puts a sample in and **blocks** until the thread that takes it comes for the next, or the mailbox is closed. So
    /// nothing is made that would only be replaced.
    public func hand(_ sample: Sample, number: Int) {
        put(sample, number: number)
        let waits = state.withLock { state in
            // Who waits for the next has taken this one, and is done with it.
            state.isThreadHanding = !state.isClosed && !(state.isThreadWaiting && state.newest == nil)
            return state.isThreadHanding
        }
        if waits { done.wait() }
    }

    /// Takes the newest sample, or waits for the next; `nil` once closed. **Blocks**, and is for one thread; an
    /// ``interrupt()`` does not end it.
    public func wait() -> Entry? {
        var isFirst = true
        while true {
            let (entry, isClosed, isHandingOver) = state.withLock { state -> (Entry?, Bool, Bool) in
                // Only once: who always found the next one on its way would never get any.
                if isFirst { renew(&state) }
                isFirst = false
                defer { state.newest = nil }
                state.isThreadWaiting = state.newest == nil && !state.isClosed
                let isHandingOver = state.isThreadWaiting && state.isThreadHanding
                if isHandingOver { state.isThreadHanding = false }
                return (state.newest, state.isClosed, isHandingOver)
            }
            if isHandingOver { done.signal() }
            if entry != nil || isClosed { return entry }
            news.wait()
        }
    }

    /// Takes the newest sample if one is there.
    public func take() -> Entry? {
        state.withLock { state in
            renew(&state)
            defer { state.newest = nil }
            return state.newest
        }
    }

    /// Has who waits in ``next(isolation:)`` go on with `nil`; the stream goes on.
    public func interrupt() { wake { _ in true } }

    /// Throws away what is held, so that ``next(isolation:)`` waits for a sample that is still to come.
    public func clear() {
        state.withLock { state in
            if state.newest != nil { state.dropped += 1 }
            state.newest = nil
        }
    }

    /// Takes the newest sample, or waits for the next; `nil` once closed or interrupted, or when the task is cancelled.
    /// Only one waits at a time: a second consumer gets `nil` at once.
    ///
    /// The wait begins before the caller's actor is let go: an ``interrupt()`` that this actor calls is never too early
    /// for it.
    public func next(isolation: isolated (any Actor)? = #isolation) async -> Entry? {
        let id = waits.add(1, ordering: .relaxed).newValue
        defer { state.showOrder() }
        return await withTaskCancellationHandler {
            // A closure stays on the caller's actor only if it uses it.
            unsafe await withUnsafeContinuation(isolation: isolation) { continuation in
                let waiter = unsafe Waiter(id: id, continuation: continuation)
                enum Outcome { case wait, resume(Entry?) }
                let outcome: Outcome = state.withLock { state in
                    renew(&state)
                    if let entry = state.newest {
                        state.newest = nil
                        return .resume(entry)
                    }
                    // A second consumer would take the first one's frames in turns; it gets nothing instead.
                    if state.isClosed || state.waiter != nil || Task.isCancelled { return .resume(nil) }
                    state.waiter = waiter
                    return .wait
                }
                if case .resume(let entry) = outcome { waiter.resume(entry) }
            }
        } onCancel: {
            wake { $0.id == id }
        }
    }

    /// Ends the stream: who waits gets `nil`, and what comes later is dropped.
    public func close() {
        let (isThreadWaiting, isThreadHanding) = state.withLock { state in
            state.isClosed = true
            state.newest = nil
            defer { (state.isThreadWaiting, state.isThreadHanding) = (false, false) }
            return (state.isThreadWaiting, state.isThreadHanding)
        }
        if isThreadWaiting { news.signal() }
        if isThreadHanding { done.signal() }
        wake { _ in true }
    }

    /// Drops a sample that is outdated, and asks for the newest.
    private func renew(_ state: inout State) {
        guard let ask, !state.isClosed, ask(state.newest != nil) else { return }
        state.newest = nil
        state.dropped += 1
    }

    private func wake(where matches: (Waiter) -> Bool) {
        let waiter = state.withLock { state -> Waiter? in
            guard let waiter = state.waiter, matches(waiter) else { return nil }
            state.waiter = nil
            return waiter
        }
        waiter?.resume(nil)
    }
}

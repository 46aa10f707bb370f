import GStreamer
import Synchronization

/// The short way of a frame from the source straight to the tee, while nothing on the long way would change it.
///
///     source ┬ capsfilter ─ identity ─ queue ─ zoom stage ┬ tee
///            └┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄ shortcut ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘
///
/// Four elements and a change of threads that only hand a frame on cost more than all else that a preview costs. Events
/// always go the long way, and no frame overtakes one: the shortcut opens when a frame that was sent after the last
/// event has arrived, and is the same frame still. So it stays closed for what is cropped or scaled, whatever the reason.
final class Shortcut: Sendable {
    private struct State {
        /// The number of the source whose frames may take it.
        var source: Int?
        /// The frame last sent the long way.
        var scout: ProbeInfo.BufferID?
    }
    private let state = Guarded(State())
    /// The number of the source that it is open for, or 0. Set with the state locked, and looked at with the stream lock of
    /// `end` held.
    private let open = Atomic<Int>(0)
    private let end: Pad
    private let admit: @Sendable (borrowing ProbeInfo) -> ProbeResult

    /// - Parameters:
    ///   - end: the tee's sink pad.
    ///   - admit: called for each frame before it goes into the tee, whichever way it came, one at a time.
    init(to end: Pad, admit: @escaping @Sendable (borrowing ProbeInfo) -> ProbeResult) {
        self.end = end
        self.admit = admit
    }

    /// Allows it to a source, whose number is 1 or more; it opens with one of its next frames.
    func allow(_ source: Int) { state.withLock { $0.source = source } }

    /// Closes it: when this returns no frame is on it, and all that follow go the long way.
    ///
    /// **Blocks** at most `deadline`: what a frame frees on its way can be a driver's, which may not come back.
    func close(within deadline: Duration) {
        state.withLock { state in
            state = State()
            open.store(0, ordering: .relaxed)
        }
        if end.isStreamUnlocked { return }
        let end = end
        _ = withDeadline(deadline) { end.withStreamLock {} } as Void?
    }

    /// An event of the source goes the long way.
    func hold(for source: Int) {
        state.withLock { state in
            guard state.source == source else { return }
            state.scout = nil
            open.store(0, ordering: .relaxed)
        }
    }

    /// A frame of the source, at the shortcut's beginning.
    func take(_ info: borrowing ProbeInfo, of source: Int) -> ProbeResult {
        repeat {
            if open.load(ordering: .relaxed) == source {
                let result = end.withStreamLock { () -> ProbeResult in
                    open.load(ordering: .relaxed) == source ? enter(info) : .pass
                }
                if result != .pass { return result }
            }
            // The scout may have arrived at this moment; a frame that went the long way now would be overtaken.
        } while !sends(info.bufferID, of: source)
        return .pass
    }

    /// Notes a frame that goes the long way; `false` when it need not any more.
    private func sends(_ frame: ProbeInfo.BufferID?, of source: Int) -> Bool {
        state.withLock { state in
            guard state.source == source else { return true }
            guard open.load(ordering: .relaxed) != source else { return false }
            state.scout = frame
            return true
        }
    }

    /// A frame at the end of the long way.
    func arrive(_ info: borrowing ProbeInfo) -> ProbeResult {
        end.withStreamLock {
            if open.load(ordering: .relaxed) == 0, let id = info.bufferID {
                state.withLock { state in
                    guard let source = state.source, state.scout == id else { return }
                    open.store(source, ordering: .relaxed)
                }
            }
            return enter(info)
        }
    }

    // A probe on the tee's pad itself would be asked twice a frame, and cost more than what it does.
    private func enter(_ info: borrowing ProbeInfo) -> ProbeResult {
        admit(info) == .pass ? info.forward(to: end) : .drop
    }
}

import GStreamer
import Synchronization

/// The short way of a frame from the source straight to the tee, while nothing on the long way would change it.
///
///     source ┬ capsfilter ─ identity ─ queue ─ videocrop ─ videoscale ─ capsfilter ┬ tee
///            └┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄ shortcut ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘
///
/// Seven elements and a change of threads that only hand a frame on cost more than all else that a preview costs. Events
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
    /// The number of the source that it is open for, or 0. Set only with the stream lock of `end` held, so that whoever
    /// holds it decides for all frames that follow.
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
    func close() {
        end.withStreamLock {
            state.withLock { $0 = State() }
            open.store(0, ordering: .relaxed)
        }
    }

    /// An event of the source goes the long way.
    func hold(for source: Int) {
        end.withStreamLock {
            state.withLock { state in
                guard state.source == source else { return }
                state.scout = nil
                open.store(0, ordering: .relaxed)
            }
        }
    }

    /// A frame of the source, at the shortcut's beginning.
    func take(_ info: borrowing ProbeInfo, of source: Int) -> ProbeResult {
        if open.load(ordering: .relaxed) == source {
            let result = end.withStreamLock { () -> ProbeResult in
                open.load(ordering: .relaxed) == source ? enter(info) : .pass
            }
            if result != .pass { return result }
        }
        let id = info.bufferID
        state.withLock { state in
            if state.source == source { state.scout = id }
        }
        return .pass
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

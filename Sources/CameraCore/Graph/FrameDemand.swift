import GStreamer
import Synchronization

/// Whether anybody wants a frame: of a camera that sends JPEG nothing is decoded that nobody waits for.
///
/// A graph has one, and its sources come and go: see ``DecodeGate``. A raw frame costs nothing, and passes unasked.
final class FrameDemand: Sendable {
    private struct State {
        /// Whether somebody waits for the next frame.
        var isAsked = false
        /// The branches that want every frame.
        var takers: Set<String> = []
        /// What the source that is connected has before its decoder.
        weak var gate: DecodeGate?
        /// Whether the gate or the decoder has a frame that nobody has seen.
        var isPending = false
    }

    private let state = Guarded(State())
    private let skippedCount = Atomic(0)

    /// Frames that were not decoded, among those before the newest that was.
    var skipped: Int { skippedCount.load(ordering: .relaxed) }

    /// Asks for the newest frame, for somebody who is about to wait.
    ///
    /// - Parameter hasFrame: whether they have one that they have not looked at.
    /// - Returns: whether that is not the newest any more; the newest comes in its place.
    func ask(hasFrame: Bool) -> Bool {
        let (gate, isOutdated) = state.withLock { state -> (DecodeGate?, Bool) in
            if hasFrame, !state.isPending { return (nil, false) }
            state.isAsked = true
            return (state.gate, hasFrame)
        }
        gate?.look()
        return isOutdated
    }

    /// A branch wants every frame from now on.
    func begin(_ taker: String) {
        let gate = state.withLock { state in
            state.takers.insert(taker)
            return state.gate
        }
        gate?.look()
    }

    /// A branch wants no more; it need not have begun.
    func end(_ taker: String) { state.withLock { _ = $0.takers.remove(taker) } }

    /// A frame that was decoded has come to nobody, so whoever waited for it waits for another.
    func renew() {
        let gate = state.withLock { state in
            state.isAsked = true
            return state.gate
        }
        gate?.look()
    }

    // MARK: Of the gates

    /// The source that is asked from now on; `nil` for none, or for one that has no gate.
    func connect(_ gate: DecodeGate?) {
        state.withLock { state in
            state.gate = gate
            state.isPending = false
        }
        gate?.look()
    }

    enum Wish { case nothing, newest, all }

    /// What is wanted of a gate, which has a frame.
    func wish(of gate: DecodeGate) -> Wish {
        state.withLock { state in
            guard state.gate === gate else { return .nothing }
            state.isPending = true
            return state.takers.isEmpty ? (state.isAsked ? .newest : .nothing) : .all
        }
    }

    /// A frame of a gate was decoded, before which so many were not, and is about to come to all who wait.
    func satisfy(_ gate: DecodeGate, skipping skipped: Int) {
        state.withLock { state in
            guard state.gate === gate else { return }
            state.isAsked = false
            state.isPending = false
            // Before the frame itself: who counts it knows of them.
            skippedCount.add(skipped, ordering: .relaxed)
        }
    }
}

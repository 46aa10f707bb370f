import GStreamer

/// Numbers the frames of a branch as they come to it, also those that its queue leaves out for newer ones.
///
/// The source's thread tells of what comes, the branch's own of what got through. A mark tells a frame from the few that
/// are there at the same time.
final class FrameNumbers<Mark: Equatable & Sendable>: Sendable {
    private struct State {
        var arrived = 0
        /// The frames that are on their way, with their numbers.
        var waiting: [(mark: Mark, number: Int)] = []
        var dropped = 0
        var skipped: Int
    }

    /// The queue holds one frame, and one is being worked on.
    private static var capacity: Int { 4 }

    private let state: Guarded<State>
    private let skipped: @Sendable () -> Int

    /// - Parameter skipped: how many have been left out so far before they could come.
    init(skipped: @escaping @Sendable () -> Int = { 0 }) {
        self.skipped = skipped
        state = Guarded(State(skipped: skipped()))
    }

    /// How many frames came, and how many of them were left out.
    var counts: (arrived: Int, dropped: Int) { state.withLock { ($0.arrived, $0.dropped) } }

    func arrive(_ frame: Mark) {
        let skipped = skipped()
        state.withLock { state in
            state.dropped += skipped - state.skipped
            state.arrived += skipped - state.skipped + 1
            state.skipped = skipped
            state.waiting.append((frame, state.arrived))
            guard state.waiting.count > Self.capacity else { return }
            state.waiting.removeFirst()
            state.dropped += 1
        }
    }

    /// The number of a frame that got through: 1 for the first that came, then counting.
    func number(of frame: Mark) -> Int {
        state.withLock { state in
            // What looks the same and is older is not there any more.
            let place = state.waiting.lastIndex { $0.mark == frame } ?? 0
            guard place < state.waiting.count else { return state.arrived }
            defer { state.waiting.removeFirst(place + 1) }
            state.dropped += place
            return state.waiting[place].number
        }
    }

    /// Whether no frame has come after this one.
    func isNewest(_ frame: Mark) -> Bool { state.withLock { $0.waiting.last?.mark == frame } }
}

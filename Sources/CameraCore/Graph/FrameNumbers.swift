import GStreamer

/// Numbers the frames of a branch as they come to it, also those that its queue leaves out for newer ones.
///
/// The source's thread tells of what comes, the branch's own of what got through.
final class FrameNumbers: Sendable {
    private struct State {
        var arrived = 0
        /// The frames that are on their way.
        var waiting: [ClockTime?] = []
        var dropped = 0
    }

    /// The queue holds one frame, and one is being worked on.
    private static let capacity = 4

    private let state = Guarded(State())

    /// How many frames came, and how many of them were left out.
    var counts: (arrived: Int, dropped: Int) { state.withLock { ($0.arrived, $0.dropped) } }

    func arrive(_ time: ClockTime?) {
        state.withLock { state in
            state.arrived += 1
            state.waiting.append(time)
            guard state.waiting.count > Self.capacity else { return }
            state.waiting.removeFirst()
            state.dropped += 1
        }
    }

    /// The number of a frame that got through: 1 for the first that came, then counting.
    func number(of time: ClockTime?) -> Int {
        state.withLock { state in
            let place = state.waiting.firstIndex { $0 == time } ?? 0
            guard place < state.waiting.count else { return state.arrived }
            state.dropped += place
            state.waiting.removeFirst(place + 1)
            return state.arrived - state.waiting.count
        }
    }
}

import GStreamer

/// Stands between the queue of a camera that sends JPEG and its decoder, and lets a frame through when somebody wants one:
/// the newest that came, unless all are wanted.
///
/// While nobody does, the queue's thread waits here with a frame in its hands, and newer ones replace each other in the
/// queue. The first frame is let through unasked, since it tells what the camera gives.
final class DecodeGate: Sendable {
    private struct State {
        /// Whether frames go through unasked, one or all.
        var owesOne = true
        var isOpen = false
        /// The number of the frame in the decoder, and of the last that came out.
        var current = 0
        var last = 0
    }

    private let demand: FrameDemand
    private let numbers = FrameNumbers<ProbeInfo.BufferID?>()
    private let bell = Bell()
    private let state = Guarded(State())

    init(demand: FrameDemand) { self.demand = demand }

    /// A frame is about to come into the queue.
    func arrive(_ frame: ProbeInfo.BufferID?) { numbers.arrive(frame) }

    /// Something else is about to come into the queue, which it keeps however much it is; so it must not wait.
    func arrive(event: ProbeInfo.EventType) {
        if case .endOfStream = event { return open() }
        state.withLock { $0.owesOne = true }
        look()
    }

    /// A frame is about to leave the queue. **Blocks** until one is wanted.
    func admit(_ frame: ProbeInfo.BufferID?) -> ProbeResult {
        while true {
            let (owes, isOpen) = state.withLock { ($0.owesOne, $0.isOpen) }
            let wish = demand.wish(of: self)
            if isOpen || wish == .all { break }
            if owes || wish == .newest {
                if numbers.isNewest(frame) { break }
                return .drop
            }
            bell.sleep(atMost: 3600)
        }
        let number = numbers.number(of: frame)
        state.withLock { $0.current = number }
        return .pass
    }

    /// A frame has left the decoder.
    func passDecoded() {
        let skipped = state.withLock { state in
            defer { state.last = state.current }
            state.owesOne = false
            return max(0, state.current - state.last - 1)
        }
        demand.satisfy(self, skipping: skipped)
    }

    /// What is wanted may have changed.
    func look() { bell.ring() }

    /// Holds nothing back any more: no frame will come, or the queue's thread must come to its end.
    func open() {
        state.withLock { $0.isOpen = true }
        look()
    }

    /// The source is about to start, again perhaps.
    func close() {
        state.withLock { state in
            state.isOpen = false
            state.owesOne = true
        }
    }
}

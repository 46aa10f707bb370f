import GStreamer
import Synchronization

/// Counts the frames that a source did not give: a driver numbers its frames, and v4l2src hands the numbers on as buffer
/// offsets; other sources mark the first frame after a gap.
final class SourceTraffic: Sendable {
    /// Frames that did not come.
    struct Losses: Sendable {
        /// Captured by the driver, which had no buffer for them.
        var outOfBuffers = 0
        /// Times that the source skipped ahead.
        var discontinuities = 0

        static func += (sum: inout Losses, more: Losses) {
            sum.outOfBuffers += more.outOfBuffers
            sum.discontinuities += more.discontinuities
        }
    }

    /// Whether frames that pass here still have to wait for their time.
    var isPaced: Bool { paced.load(ordering: .relaxed) }
    func setPaced(_ isPaced: Bool) { paced.store(isPaced, ordering: .relaxed) }

    private let paced = Atomic(true)

    private struct State {
        var losses = Losses()
        var last: UInt64?
        var isFirst = true
    }

    private let state = Guarded(State())

    var losses: Losses { state.withLock { $0.losses } }

    /// The source is started: its numbers begin anew, and its first frame, which is marked too, follows on nothing.
    func begin() {
        state.withLock { state in
            state.isFirst = true
            state.last = nil
        }
    }

    func note(number: UInt64?, isDiscontinuity: Bool) {
        state.withLock { state in
            defer { state.isFirst = false }
            if let number {
                if let last = state.last, number > last {
                    state.losses.outOfBuffers += Int(number - last - 1)
                }
                state.last = number
            }
            if isDiscontinuity, !state.isFirst { state.losses.discontinuities += 1 }
        }
    }
}

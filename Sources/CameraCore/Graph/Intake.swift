import GStreamer

/// Makes regular what sources bring into the graph: events where all of them enter, and frames in front of the tee, where
/// both their ways meet.
///
/// Behind it colorimetry and shape of a pixel are always named, running time only grows, no source's end reaches the sinks, and nobody
/// downstream makes a source renegotiate.
final class Intake: Sendable {
    /// What the intake knows of the frames that passed.
    struct Counts: Sendable {
        var frames = 0
        /// Frames that a source left out because they were not whole.
        var damaged = 0
        /// Frames that came after a later one, and went no further.
        var outdated = 0
        /// Running time of the newest frame.
        var last = ClockTime.zero
        /// Running time of the first frame of the source that is connected.
        var first: ClockTime?
        var measuredFrameRate = 0.0
    }

    private struct State {
        var counts = Counts()
        var segment: Segment?
        var period = 0.0
        var isFirst = true
        /// The number of the source that is connected, if it tells of its frames itself, since it does not decode all.
        var teller: Int?
        /// Timestamp of the newest frame that was told of.
        var lastTold: ClockTime?
        var onEnd: (@Sendable () -> Void)?

        /// Takes in the time between two frames that follow each other.
        mutating func measure(from last: ClockTime, to time: ClockTime) {
            let new = time.seconds - last.seconds
            guard new > 0 else { return }
            // A smoothed period: steady enough to read, and right again a second after a change.
            period = period == 0 ? new : period * 0.9 + new * 0.1
            counts.measuredFrameRate = 1 / period
        }
    }

    private let state = Guarded(State())

    var counts: Counts { state.withLock { $0.counts } }

    /// Has `handler` called once when the source that is connected now says that it has ended.
    ///
    /// - Parameter teller: its number, if it calls ``arrive(_:from:)``.
    func expectSource(teller: Int?, onEnd handler: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.teller = teller
            state.lastTold = nil
            state.onEnd = handler
            state.period = 0
            state.counts.measuredFrameRate = 0
            state.counts.first = nil
            state.isFirst = true
        }
    }

    /// A frame came from the camera that is not whole, and goes no further.
    func noteDamaged() { state.withLock { $0.counts.damaged += 1 } }

    /// A frame came from a source, which will decode it or not.
    func arrive(_ timestamp: ClockTime?, from source: Int) {
        state.withLock { state in
            guard state.teller == source else { return }
            state.counts.frames += 1
            guard let timestamp else { return }
            if let last = state.lastTold { state.measure(from: last, to: timestamp) }
            state.lastTold = timestamp
        }
    }

    /// Puts the probe for events on; the pad is one that lives as long as the graph.
    func watch(_ pad: Pad) {
        pad.addProbe([.eventDownstream, .eventUpstream]) { [self] info in
            guard case .event(let type) = info.item else { return .pass }
            return event(type, info)
        }
    }

    /// A frame is about to enter the tee: whether it may.
    func admit(_ info: borrowing ProbeInfo) -> ProbeResult {
        let timestamp = info.timestamp
        return state.withLock { state in
            guard let timestamp, let time = state.segment?.runningTime(timestamp) else {
                if state.teller == nil { state.counts.frames += 1 }
                return .pass
            }
            // The first buffer of a new source waited while the old one still ran, and may be older than its last.
            guard time > state.counts.last || state.counts.frames == 0 else {
                state.counts.outdated += 1
                return .drop
            }
            // The first one had come before the source was connected, and was not told of.
            if state.isFirst || state.teller == nil { state.counts.frames += 1 }
            if state.isFirst {
                state.counts.first = time
            } else if state.teller == nil {
                state.measure(from: state.counts.last, to: time)
            }
            state.isFirst = false
            state.counts.last = time
            return .pass
        }
    }

    private func event(_ type: ProbeInfo.EventType, _ info: borrowing ProbeInfo) -> ProbeResult {
        switch type {
        case .caps:
            // Without colorimetry, scaling a crop back takes one matrix for the other: colours shift, and the scaler
            // converts twice. And the scaler names the shape of a pixel: with a zoom the caps must not change.
            if let caps = info.caps, let video = VideoInfo(caps) {
                let shape = video.pixelAspectRatio
                var complete = caps.adding(
                    "pixel-aspect-ratio", .fraction(shape.numerator, shape.denominator))
                if let colorimetry = video.colorimetry {
                    complete = complete.adding("colorimetry", .string(colorimetry))
                }
                if complete != caps { info.replaceCaps(complete) }
            }
            return .pass
        case .segment:
            let segment = info.segment
            state.withLock { $0.segment = segment }
            return .pass
        case .endOfStream:
            let onEnd = state.withLock { state in
                defer { state.onEnd = nil }
                return state.onEnd
            }
            onEnd?()
            return .drop
        case .reconfigure:
            // Linking a branch sends this up; a source that follows it in the middle of a change stops.
            return .drop
        case .flush, .gap, .other: return .pass
        }
    }
}

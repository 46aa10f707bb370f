import FoundationEssentials

/// What a measurement yields; only what it measures is there.
struct Samples: Encodable {
    /// One entry a repetition.
    var milliseconds: [Double]?
    /// Frames that came from the call on, the first one that shows the change included.
    var framesUntilVisible: [Int]?
    /// From the last old frame to the first new one, in frame intervals of running time.
    var gaps: [Double]?
    /// Frames that came after the reply and do not show the change.
    var stale: Int?
    /// Frames that the consumer was given; those that it missed are not among them.
    var frames: Int?
    /// Frames that the consumer missed because it was late.
    var missed: Int?
    /// Seconds since the measurement began.
    var seconds: Double?
    /// What the process holds, or holds more than before.
    var use: ProcessUse?

    var json: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }
}

/// Why there is nothing to report.
struct BenchError: Error, CustomStringConvertible {
    let description: String
}

extension Duration {
    var milliseconds: Double { self / .milliseconds(1) }
}

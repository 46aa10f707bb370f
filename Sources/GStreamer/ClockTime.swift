import CGStreamer

/// A time or a duration in nanoseconds: `GstClockTime`, without its "none", which is `nil` here.
public struct ClockTime: Sendable, Hashable, Comparable {
    /// Nanoseconds, 0 or more.
    public let nanoseconds: UInt64

    /// A time of so many nanoseconds.
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// A time of so many seconds; negative ones count as 0.
    public init(seconds: Double) { nanoseconds = UInt64(max(0, seconds) * 1e9) }

    /// Zero.
    public static let zero = ClockTime(nanoseconds: 0)

    /// Seconds, with nanosecond steps as far as a `Double` goes.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Orders times.
    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    // GST_CLOCK_TIME_NONE is a macro with a cast, which Swift does not import.
    static let none: GstClockTime = .max

    init?(_ raw: GstClockTime) {
        guard raw != Self.none else { return nil }
        nanoseconds = UInt64(raw)
    }

    var raw: GstClockTime { GstClockTime(nanoseconds) }
}

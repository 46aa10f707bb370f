import CGStreamer

/// A time or a duration in nanoseconds: `GstClockTime`, without its "none", which is `nil` here.
public struct ClockTime: Sendable, Hashable, Comparable {
    /// Nanoseconds, 0 or more.
    public let nanoseconds: UInt64

    /// A time of so many nanoseconds.
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// A time of so many seconds, to the nearest nanosecond. Negative ones and "not a number" count as 0; what
    /// exceeds GStreamer's range, which is 584 years, counts as its end.
    public init(seconds: Double) {
        let exact = (seconds * 1e9).rounded()
        nanoseconds = exact > 0 ? UInt64(exactly: exact) ?? .max - 1 : 0
    }

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

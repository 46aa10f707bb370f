import FoundationEssentials
import Glibc

/// Names for photos that nobody named: `IMG_YYYYMMDD_HHMMSS_mmm.jpg`, in local time.
///
/// No name is given twice. When the clock stands still or goes back, the names go on a millisecond at a time,
/// so they keep both their form and their order.
struct PhotoNames {
    private let now: @Sendable () -> Date
    private var last = Int.min

    init(now: @escaping @Sendable () -> Date = { Date() }) {
        self.now = now
    }

    mutating func next() -> String {
        let clock = Int((now().timeIntervalSince1970 * 1000).rounded(.down))
        last = last < clock ? clock : last + 1
        return Self.name(millisecond: last)
    }

    /// - Parameter millisecond: Milliseconds since 1970.
    private static func name(millisecond: Int) -> String {
        let (second, rest) = (millisecond / 1000, millisecond % 1000)
        var time = time_t(second)
        var local = tm()
        localtime_r(&time, &local)
        let day =
            digits(Int(local.tm_year) + 1900, 4) + digits(Int(local.tm_mon) + 1, 2)
            + digits(Int(local.tm_mday), 2)
        let hour = digits(Int(local.tm_hour), 2) + digits(Int(local.tm_min), 2) + digits(Int(local.tm_sec), 2)
        return "IMG_\(day)_\(hour)_\(digits(rest, 3)).jpg"
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}

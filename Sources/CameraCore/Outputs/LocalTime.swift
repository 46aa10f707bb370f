import Glibc

/// Local time in digits that sort, for the names of files.
package enum LocalTime {
    /// The time as `YYYYMMDD_HHMMSS_mmm`.
    ///
    /// - Parameter millisecond: Milliseconds since 1970.
    package static func text(millisecond: Int) -> String {
        let (second, rest) = (millisecond / 1000, millisecond % 1000)
        var time = time_t(second)
        var local = tm()
        localtime_r(&time, &local)
        let day =
            digits(Int(local.tm_year) + 1900, 4) + digits(Int(local.tm_mon) + 1, 2)
            + digits(Int(local.tm_mday), 2)
        let hour = digits(Int(local.tm_hour), 2) + digits(Int(local.tm_min), 2) + digits(Int(local.tm_sec), 2)
        return "\(day)_\(hour)_\(digits(rest, 3))"
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}

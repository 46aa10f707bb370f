import CameraCore
import FoundationEssentials

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
        return "IMG_\(LocalTime.text(millisecond: last)).jpg"
    }
}

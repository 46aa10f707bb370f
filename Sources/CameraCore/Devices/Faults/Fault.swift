/// Something that a file camera does wrong, and when: a `# fault:` line of its file.
///
///     unplug after 90 frames for 3 s      stall after 90 frames for 5 s
///     busy for 2 s                        slow start 3 s
///     wrong size 1280x720                 damage every 10 frames
///     stuck opening for 20 s              stuck closing for 20 s
///
/// Without `for`, a fault lasts as long as the program. Unplugging and stalling come again after as many frames more.
enum Fault: Hashable, Sendable {
    /// The camera vanishes from the list, with the errors that its driver would post.
    case unplug(afterFrames: Int, lasting: Duration?)
    /// Another program has it, from the first time it is asked for.
    case busy(lasting: Duration?)
    /// It runs and gives no frame.
    case stall(afterFrames: Int, lasting: Duration?)
    /// Its first frame comes late.
    case slowStart(Duration)
    /// It lists this size too, and delivers another.
    case wrongSize(Dimensions)
    /// One frame in so many is cut short or overwritten.
    case damage(everyFrames: Int)
    /// Opening it does not come back.
    case stuckOpening(lasting: Duration?)
    /// Closing it does not come back.
    case stuckClosing(lasting: Duration?)

    /// Reads one line; `nil` when it is none of the above.
    init?(_ text: String) {
        let words = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
        var rest = words[...]
        func take(_ expected: String...) -> Bool {
            guard rest.starts(with: expected) else { return false }
            rest.removeFirst(expected.count)
            return true
        }
        func frames() -> Int? {
            guard let count = rest.first.flatMap({ Int($0) }), count > 0 else { return nil }
            rest.removeFirst()
            return take("frames") || take("frame") ? count : nil
        }
        func seconds() -> Duration? {
            guard let number = rest.first.flatMap({ Double($0) }), number >= 0, number < 1e6 else {
                return nil
            }
            rest.removeFirst()
            return take("s") ? .seconds(number) : nil
        }
        func lasting() -> Duration?? {
            guard take("for") else { return .some(nil) }
            return seconds().map { .some($0) }
        }
        let fault: Fault? =
            if take("unplug", "after"), let count = frames(), let time = lasting() {
                .unplug(afterFrames: count, lasting: time)
            } else if take("stall", "after"), let count = frames(), let time = lasting() {
                .stall(afterFrames: count, lasting: time)
            } else if take("busy"), let time = lasting() {
                .busy(lasting: time)
            } else if take("slow", "start"), let time = seconds() {
                .slowStart(time)
            } else if take("wrong", "size"), let size = rest.first.flatMap({ Dimensions(text: $0) }) {
                .wrongSize(size)
            } else if take("damage", "every"), let count = frames() {
                .damage(everyFrames: count)
            } else if take("stuck", "opening"), let time = lasting() {
                .stuckOpening(lasting: time)
            } else if take("stuck", "closing"), let time = lasting() {
                .stuckClosing(lasting: time)
            } else {
                nil
            }
        if case .wrongSize? = fault { rest.removeFirst() }
        guard let fault, rest.isEmpty else { return nil }
        self = fault
    }

    /// What a line can say, for a message about one that says something else.
    static let forms =
        "unplug after N frames [for S s], stall after N frames [for S s], busy [for S s], slow start S s, "
        + "wrong size WxH, damage every N frames, stuck opening [for S s], stuck closing [for S s]"
}

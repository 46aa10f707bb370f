import GStreamer

/// A flag that several threads may set.
final class Flag: Sendable {
    private let value = Guarded(false)

    var isSet: Bool { value.withLock { $0 } }

    /// Sets the flag and gives what it was.
    @discardableResult
    func set(_ new: Bool) -> Bool {
        value.withLock { value in
            defer { value = new }
            return value
        }
    }
}

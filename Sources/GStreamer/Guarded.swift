import Synchronization

/// A value behind a mutex, whose order ThreadSanitizer sees.
///
/// The standard library's `Mutex` waits in a futex that the sanitizer does not know, so it reports every value that goes
/// from one thread to another through one. An atomic that is read after locking and written before unlocking tells it
/// what the mutex does anyway; it costs two plain moves.
public struct Guarded<Value>: ~Copyable, Sendable {
    // Inlined where it is used: from another module a generic call would look its types up at every lock, which costs
    // a preview more than the lock does.
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let order = Atomic<UInt32>(0)

    /// Takes the value over.
    @inlinable
    public init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Calls `body` with the value while nobody else has it. Not to be called from inside itself.
    @inlinable
    public borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            _ = order.load(ordering: .acquiring)
            defer { order.store(1, ordering: .releasing) }
            return try body(&value)
        }
    }
    /// Shows the sanitizer that what was done under the lock so far comes before what follows here.
    ///
    /// For who was resumed by a continuation: Swift's runtime tells of that order, but not when the resumption came before
    /// the task had begun to wait.
    @inlinable
    public borrowing func showOrder() { _ = order.load(ordering: .acquiring) }
}

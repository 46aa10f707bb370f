import CGStreamer
import Synchronization

// ThreadSanitizer does not see GLib's mutexes, which order a callback's registration before its calls. One release
// store before each hand-over and one acquire load at the start of each call make that order visible to it.
private let registrations = Atomic<UInt32>(0)

/// What a C callback gets as its user data: a Swift closure, retained until GLib's destroy notify releases it.
///
/// A box must not hold the object that it is registered on, or neither is ever freed.
final class CallbackBox<Body: Sendable>: Sendable {
    let body: Body

    init(_ body: Body) { self.body = body }

    /// A retained pointer for C, to be released by ``release``.
    func handOver() -> gpointer {
        registrations.add(1, ordering: .releasing)
        return unsafe Unmanaged.passRetained(self).toOpaque()
    }

    /// The body behind a pointer of ``handOver()``, still owned by C.
    static func body(_ pointer: gpointer?) -> Body? {
        _ = registrations.load(ordering: .acquiring)
        return unsafe pointer.map { unsafe Unmanaged<CallbackBox>.fromOpaque($0).takeUnretainedValue().body }
    }
}

// One destroy notify for every box: Unmanaged's release does not need the box's type.
let releaseCallbackBox: GDestroyNotify = { pointer in
    guard let pointer = unsafe pointer else { return }
    unsafe Unmanaged<AnyObject>.fromOpaque(pointer).release()
}

import CGStreamer
import Testing

@testable import GStreamer

/// Something to be held by a callback, whose end can be seen.
final class Token: Sendable {
    func touch() {}
}

extension ProbeInfo {
    /// Has the buffer hold the token until it is freed.
    func attach(_ token: Token) {
        guard let buffer = unsafe pointer.pointee.data else { return }
        unsafe gst_mini_object_set_qdata(
            buffer.assumingMemoryBound(to: GstMiniObject.self), g_quark_from_string("token"),
            Unmanaged.passRetained(token).toOpaque(), releaseCallbackBox)
    }
}

/// Checks that nothing holds what `make` returns, once its caller lets go of it.
func expectFreed<Owner: AnyObject>(
    _ make: () throws -> Owner, sourceLocation: SourceLocation = #_sourceLocation
) rethrows {
    weak var owner: Owner?
    // A scope of its own, at whose end the last strong reference is gone.
    try { owner = try make() }()
    #expect(owner == nil, "a \(Owner.self) is still held", sourceLocation: sourceLocation)
}

/// Checks that the GStreamer object itself is freed with its last Swift owner: no call leaked a reference to it.
func expectElementFreed<Owner: Element>(
    _ make: () throws -> Owner, sourceLocation: SourceLocation = #_sourceLocation
) rethrows {
    weak var token: Token?
    try {
        let owner = try make()
        let attached = Token()
        token = attached
        // GObject drops its data, and with it the token, when the object is finalized.
        unsafe g_object_set_data_full(
            UnsafeMutableRawPointer(owner.element).assumingMemoryBound(to: GObject.self), "token",
            Unmanaged.passRetained(attached).toOpaque(), releaseCallbackBox)
    }()
    #expect(token == nil, "the GObject of a \(Owner.self) is still held", sourceLocation: sourceLocation)
}

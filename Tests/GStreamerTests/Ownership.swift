import CGStreamer
import Testing

@testable import GStreamer

/// Something to be held by a callback, whose end can be seen.
final class Token: Sendable {
    func touch() {}
}

/// A Swift owner of a reference to an object of GObject's, or a smaller one of GStreamer's.
protocol ReferenceOwner: AnyObject {
    /// Has the C object hold the token until it is freed.
    func attach(_ token: Token)
}

private func attach(_ token: Token, toObject pointer: UnsafeMutableRawPointer) {
    // GObject drops its data, and with it the token, when the object is finalized.
    unsafe g_object_set_data_full(
        pointer.assumingMemoryBound(to: GObject.self), "token",
        Unmanaged.passRetained(token).toOpaque(), releaseCallbackBox)
}

private func attach(_ token: Token, toMiniObject pointer: UnsafeMutableRawPointer) {
    unsafe gst_mini_object_set_qdata(
        pointer.assumingMemoryBound(to: GstMiniObject.self), g_quark_from_string("token"),
        Unmanaged.passRetained(token).toOpaque(), releaseCallbackBox)
}

extension Element: ReferenceOwner {
    func attach(_ token: Token) { unsafe GStreamerTests.attach(token, toObject: element) }
}
extension Pad: ReferenceOwner {
    func attach(_ token: Token) { unsafe GStreamerTests.attach(token, toObject: pointer) }
}
extension Bus: ReferenceOwner {
    func attach(_ token: Token) { unsafe GStreamerTests.attach(token, toObject: pointer) }
}
extension DeviceMonitor: ReferenceOwner {
    func attach(_ token: Token) { unsafe GStreamerTests.attach(token, toObject: pointer) }
}
extension Device: ReferenceOwner {
    func attach(_ token: Token) { unsafe GStreamerTests.attach(token, toObject: pointer) }
}
extension PushPad: ReferenceOwner {
    func attach(_ token: Token) { pad.attach(token) }
}
extension Caps: ReferenceOwner {
    func attach(_ token: Token) { unsafe GStreamerTests.attach(token, toMiniObject: pointer) }
}
extension Sample: ReferenceOwner {
    func attach(_ token: Token) { unsafe GStreamerTests.attach(token, toMiniObject: .init(pointer)) }
}

extension ProbeInfo {
    /// Has the buffer hold the token until it is freed.
    func attach(_ token: Token) {
        guard let buffer = unsafe pointer.pointee.data else { return }
        unsafe GStreamerTests.attach(token, toMiniObject: buffer)
    }
}

/// Checks that nothing holds what `make` returns, once its caller lets go of it: neither the Swift object nor, by a
/// reference that a call leaked, the C object that it owned.
func expectFreed<Owner: ReferenceOwner>(
    _ make: () throws -> Owner, sourceLocation: SourceLocation = #_sourceLocation
) rethrows {
    weak var (owner, token): (Owner?, Token?)
    // A scope of its own, at whose end the last strong reference is gone.
    try {
        let (made, attached) = (try make(), Token())
        made.attach(attached)
        (owner, token) = (made, attached)
    }()
    #expect(owner == nil, "a \(Owner.self) is still held", sourceLocation: sourceLocation)
    #expect(token == nil, "the C object of a \(Owner.self) is still held", sourceLocation: sourceLocation)
}

import CGStreamer

/// The same GObject instance as a pointer to another class of its hierarchy: what C's cast macros do.
///
/// GObject lays a parent class's struct out first in its child's, so one address serves both.
func cast<From, To>(_ pointer: UnsafeMutablePointer<From>) -> UnsafeMutablePointer<To> {
    unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: To.self)
}

import GStreamer

/// Gathers what is seen on other threads.
final class Recorder<Element: Sendable>: Sendable {
    private let elements = Guarded<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }
    var count: Int { elements.withLock { $0.count } }

    func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

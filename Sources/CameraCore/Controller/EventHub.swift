import GStreamer

/// What happens to a camera, for one listener: each call of ``CameraController/events()`` makes a stream of its own.
///
/// The stream keeps every event until it is read, ends when the controller is closed, and is left by leaving the loop.
public typealias CameraEvents = AsyncStream<CameraEvent>

/// Hands every event to every listener, without dropping any.
final class EventHub: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<CameraEvent>.Continuation] = [:]
        var next = 0
        var isClosed = false
    }

    private let state = Guarded(State())

    func stream() -> CameraEvents {
        let (stream, continuation) = AsyncStream.makeStream(of: CameraEvent.self, bufferingPolicy: .unbounded)
        let id: Int? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.next += 1
            state.listeners[state.next] = continuation
            return state.next
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        return stream
    }

    func send(_ event: CameraEvent) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
    }

    func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            defer { state.listeners.removeAll() }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    private func remove(_ id: Int) { state.withLock { _ = $0.listeners.removeValue(forKey: id) } }
}

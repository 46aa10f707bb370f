import GStreamer

/// Ends waits at their deadlines, on a thread of its own: those of the global queues are shared with Swift's tasks, and
/// whoever blocks one there would make deadlines late.
///
/// Nearly all waits end before their deadline. So setting an alarm wakes that thread only when it would sleep too long,
/// and cancelling one never does.
enum Alarms {
    private struct State {
        var actions: [Int: (time: ContinuousClock.Instant, ring: @Sendable () -> Void)] = [:]
        var count = 0
        /// Until when the thread sleeps; `nil` before it is started.
        var sleepsUntil: ContinuousClock.Instant?

        var next: ContinuousClock.Instant? { actions.values.map(\.time).min() }
    }

    private static let state = Guarded(State())
    private static let bell = Bell()
    /// How long it sleeps when there is nothing to do.
    private static let longTime = Duration.seconds(3600)

    /// Has `ring` called after `delay`, on the alarms' thread; it must not block.
    static func set(for delay: Duration, _ ring: @escaping @Sendable () -> Void) -> Int {
        let time = ContinuousClock.now + delay
        let (id, isFirst, isSooner) = state.withLock { state in
            state.count += 1
            state.actions[state.count] = (time, ring)
            let isFirst = state.sleepsUntil == nil
            let isSooner = state.sleepsUntil.map { time < $0 } ?? false
            if isFirst || isSooner { state.sleepsUntil = time }
            return (state.count, isFirst, isSooner)
        }
        if isFirst { start() }
        if isSooner { bell.ring() }
        return id
    }

    static func cancel(_ id: Int) { state.withLock { _ = $0.actions.removeValue(forKey: id) } }

    private static func start() {
        SystemThread.start("camera-alarms") {
            while true { ring() }
        }
    }

    /// Rings what is due, and sleeps until the next.
    private static func ring() {
        let now = ContinuousClock.now
        let (due, pause) = state.withLock { state in
            let due = state.actions.filter { $0.value.time <= now }
            for id in due.keys { state.actions[id] = nil }
            let next = state.next ?? now + longTime
            state.sleepsUntil = next
            return (due.values.map(\.ring), next - now)
        }
        for ring in due { ring() }
        bell.sleep(atMost: pause.seconds)
    }
}

import GStreamer

/// Cameras that come and go, for those who wait for one of them.
final class DeviceChanges: Sendable {
    private struct State {
        var onChange: (@Sendable (CaptureDevice, _ isAdded: Bool) -> Void)?
        var arrivals: [CaptureDevice.ID: [Latch<Void>]] = [:]
        var departures: [CaptureDevice.ID: [Latch<Void>]] = [:]
    }

    private let state = Guarded(State())

    /// Has `handler` told of each change, on the thread that learns of it.
    func setHandler(_ handler: (@Sendable (CaptureDevice, _ isAdded: Bool) -> Void)?) {
        state.withLock { $0.onChange = handler }
    }

    /// A camera came or went.
    func note(_ device: CaptureDevice, isAdded: Bool) {
        let (handler, waiting) = state.withLock { state in
            let waiting =
                isAdded
                ? state.arrivals.removeValue(forKey: device.id)
                : state.departures.removeValue(forKey: device.id)
            return (state.onChange, waiting ?? [])
        }
        for latch in waiting { latch.deliver(()) }
        handler?(device, isAdded)
    }

    /// Waits until a camera comes; `false` when it does not within `deadline`, or the task is cancelled.
    func arrival(of id: CaptureDevice.ID, within deadline: Duration) async -> Bool {
        let latch = Latch<Void>()
        state.withLock { $0.arrivals[id, default: []].append(latch) }
        defer { state.withLock { $0.arrivals[id]?.removeAll { $0 === latch } } }
        if case .delivered = await latch.value(within: deadline) { return true }
        return false
    }

    /// Waits until a camera goes; `false` when it does not within `deadline`, or the task is cancelled.
    func departure(of id: CaptureDevice.ID, within deadline: Duration) async -> Bool {
        let latch = Latch<Void>()
        state.withLock { $0.departures[id, default: []].append(latch) }
        defer { state.withLock { $0.departures[id]?.removeAll { $0 === latch } } }
        if case .delivered = await latch.value(within: deadline) { return true }
        return false
    }
}

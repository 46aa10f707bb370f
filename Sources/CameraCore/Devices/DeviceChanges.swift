import GStreamer

/// Cameras that come and go, for those who wait for one of them.
final class DeviceChanges: Sendable {
    private struct State {
        var onChange: (@Sendable (CaptureDevice, _ isAdded: Bool) -> Void)?
        var arrivals: [CaptureDevice.ID: [Latch<Void>]] = [:]
        /// How often a camera came.
        var arrivalCounts: [CaptureDevice.ID: Int] = [:]
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
            if isAdded { state.arrivalCounts[device.id, default: 0] += 1 }
            let waiting =
                isAdded
                ? state.arrivals.removeValue(forKey: device.id)
                : state.departures.removeValue(forKey: device.id)
            return (state.onChange, waiting ?? [])
        }
        for latch in waiting { latch.deliver(()) }
        handler?(device, isAdded)
    }

    /// How often a camera came so far.
    func arrivalCount(of id: CaptureDevice.ID) -> Int { state.withLock { $0.arrivalCounts[id] ?? 0 } }

    /// Waits until a camera has come more than `count` times; `false` when it does not within `deadline`, or the task is
    /// cancelled.
    func arrival(of id: CaptureDevice.ID, after count: Int, within deadline: Duration) async -> Bool {
        let latch = Latch<Void>()
        state.withLock { state in
            if state.arrivalCounts[id] ?? 0 > count {
                latch.deliver(())
            } else {
                state.arrivals[id, default: []].append(latch)
            }
        }
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

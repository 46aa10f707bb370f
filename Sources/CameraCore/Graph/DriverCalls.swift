import GStreamer

/// The calls into drivers that have not come back, by device.
///
/// A call that hangs keeps its thread and its elements. While one does, nothing else is asked of its device: attempts
/// to resume would add a thread each.
final class DriverCalls: Sendable {
    private struct Device {
        var count = 0
        var waiting: [Latch<Void>] = []
    }

    private let devices = Guarded<[CaptureDevice.ID: Device]>([:])

    /// Makes a call on a thread of its own, and comes back with it, at the deadline, or when the task is cancelled.
    func attempt(
        on id: CaptureDevice.ID, within deadline: Duration,
        _ call: @escaping @Sendable () throws(GStreamerError) -> Void
    ) async -> Latch<Result<Void, GStreamerError>>.Outcome {
        devices.withLock { $0[id, default: Device()].count += 1 }
        return await withDeadline(deadline) { () -> Result<Void, GStreamerError> in
            defer { self.end(id) }
            do throws(GStreamerError) { return .success(try call()) } catch { return .failure(error) }
        }
    }

    /// Waits until no call to a device is out; `false` at the deadline, or when the task is cancelled.
    func areOver(for id: CaptureDevice.ID, within deadline: Duration) async -> Bool {
        let latch = Latch<Void>()
        let isBusy = devices.withLock { devices in
            guard devices[id] != nil else { return false }
            devices[id]?.waiting.append(latch)
            return true
        }
        guard isBusy else { return true }
        if case .delivered = await latch.value(within: deadline) { return true }
        devices.withLock { $0[id]?.waiting.removeAll { $0 === latch } }
        return false
    }

    private func end(_ id: CaptureDevice.ID) {
        let waiting = devices.withLock { devices -> [Latch<Void>] in
            devices[id]?.count -= 1
            guard let device = devices[id], device.count == 0 else { return [] }
            devices[id] = nil
            return device.waiting
        }
        for latch in waiting { latch.deliver(()) }
    }
}

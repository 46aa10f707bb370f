import Dispatch
import FoundationEssentials
import GStreamer

/// Plays a camera's faults: between a file camera's pipeline and the graph, and in the list of cameras.
///
/// One for each such camera and controller, since what is plugged out stays out whoever asks. The switches can be set
/// from anywhere and at any time; ``play(_:)`` sets them as a file says.
final class FaultyCamera: Sendable {
    private struct State {
        var isUnplugged = false
        var isBusy = false
        var isStalled = false
        var isStuckOpening = false
        var isStuckClosing = false
        var slowStart = Duration.zero
        var damageInterval = 0
        var frames = 0
        var startedAt: ContinuousClock.Instant?
        /// The source that is open, with its number.
        var source: (element: Element, number: Int)?
        var sourceCount = 0
        var scheduled: [(frames: Int, action: @Sendable () -> Void)] = []
        var onFirstUse: [@Sendable () -> Void] = []
        /// Those who are stuck, until it may be that they are not.
        var waiting: [Latch<Void>] = []
    }

    /// Ends faults in time, whatever blocks the global queues.
    private static let ends = DispatchQueue(label: "camera.faults")

    private let state = Guarded(State())
    private let onPresence: @Sendable (_ isPresent: Bool) -> Void

    /// - Parameter onPresence: told when the camera is plugged in or out.
    init(_ faults: [Fault] = [], onPresence: @escaping @Sendable (_ isPresent: Bool) -> Void) {
        self.onPresence = onPresence
        for fault in faults { play(fault) }
    }

    /// Whether the camera is in the list.
    var isPresent: Bool { state.withLock { !$0.isUnplugged } }

    // MARK: Switches

    /// Takes the camera out, as a cable does: what runs fails, and the camera is not listed any more.
    func unplug() {
        let (isNew, source) = state.withLock { state in
            defer { state.isUnplugged = true }
            return (!state.isUnplugged, state.source?.element)
        }
        guard isNew else { return }
        // The order in which v4l2src and the device monitor tell of it.
        source?.post(.device(.read, "Could not read from resource.", debug: "poll error: No such device"))
        onPresence(false)
        source?.post(.device(.settings, "Failed to allocate a buffer"))
    }

    /// Plugs the camera in again.
    func replug() {
        let isNew = state.withLock { state in
            defer { state.isUnplugged = false }
            return state.isUnplugged
        }
        if isNew { onPresence(true) }
    }

    /// Whether another program has the camera.
    func setBusy(_ isBusy: Bool) { state.withLock { $0.isBusy = isBusy } }

    /// Whether the camera gives no frames though it runs.
    func setStalled(_ isStalled: Bool) { state.withLock { $0.isStalled = isStalled } }

    /// Whether opening the camera does not come back; what waits in it goes on when this ends.
    func setStuckOpening(_ isStuck: Bool) { setStuck { $0.isStuckOpening = isStuck } }

    /// Whether closing the camera does not come back; what waits in it goes on when this ends.
    func setStuckClosing(_ isStuck: Bool) { setStuck { $0.isStuckClosing = isStuck } }

    /// One frame in so many is damaged; 0 for none.
    func setDamage(everyFrames interval: Int) { state.withLock { $0.damageInterval = interval } }

    /// How long after its start the first frame comes.
    func setSlowStart(_ delay: Duration) { state.withLock { $0.slowStart = delay } }

    /// Fails once, as a driver does that loses a frame for good.
    func fail() {
        state.withLock { $0.source?.element }?.post(.device(.read, "Could not read from resource."))
    }

    private func setStuck(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for latch in waiting { latch.deliver(()) }
    }

    // MARK: Schedule

    /// Has a fault happen when its line says.
    private func play(_ fault: Fault) {
        switch fault {
        case .unplug(let frames, let time):
            after(frames) { camera in
                camera.unplug()
                camera.later(time) { camera in
                    camera.replug()
                    camera.play(fault)
                }
            }
        case .stall(let frames, let time):
            after(frames) { camera in
                camera.setStalled(true)
                camera.later(time) { camera in
                    camera.setStalled(false)
                    camera.play(fault)
                }
            }
        case .busy(let time):
            setBusy(true)
            onFirstUse { $0.later(time) { $0.setBusy(false) } }
        case .stuckOpening(let time):
            setStuckOpening(true)
            onFirstUse { $0.later(time) { $0.setStuckOpening(false) } }
        case .stuckClosing(let time):
            setStuckClosing(true)
            onFirstUse { $0.later(time) { $0.setStuckClosing(false) } }
        case .slowStart(let delay): setSlowStart(delay)
        case .damage(let interval): setDamage(everyFrames: interval)
        case .wrongSize: break
        }
    }

    private func after(_ frames: Int, _ action: @escaping @Sendable (FaultyCamera) -> Void) {
        state.withLock { state in
            state.scheduled.append((state.frames + frames, { [weak self] in self.map(action) }))
        }
    }

    private func onFirstUse(_ action: @escaping @Sendable (FaultyCamera) -> Void) {
        state.withLock { state in state.onFirstUse.append { [weak self] in self.map(action) } }
    }

    private func later(_ delay: Duration?, _ action: @escaping @Sendable (FaultyCamera) -> Void) {
        guard let delay else { return }
        Self.ends.asyncAfter(deadline: .now() + delay.seconds) { [weak self] in
            self.map(action)
        }
    }

    // MARK: In the graph

    /// Puts a camera's pipeline behind the faults.
    func source(around pipeline: Bin) throws(GStreamerError) -> GatedBin {
        let number = state.withLock { state in
            state.sourceCount += 1
            return state.sourceCount
        }
        let source = try GatedBin(name: "camera") { [weak self] in self?.allow($1, ofSource: number, $0) }
        try source.add(pipeline)
        guard let pad = pipeline.staticPad("src") else {
            throw GStreamerError.missingPad("src", of: pipeline)
        }
        pad.addProbe(.buffer) { [weak self] in self?.frame($0) ?? .pass }
        try source.addGhostPad("src", for: pad)
        return source
    }

    private func allow(
        _ transition: GatedBin.Transition, ofSource number: Int, _ source: Element
    ) -> GStreamerError? {
        switch transition {
        case .nullToReady:
            let actions = state.withLock { state in
                defer { state.onFirstUse = [] }
                return state.onFirstUse
            }
            for action in actions { action() }
            wait { $0.isStuckOpening }
            return state.withLock { state in
                if state.isUnplugged { return .device(.notFound, "Cannot identify device.") }
                if state.isBusy {
                    return .device(.busy, "The device is busy", debug: "Device or resource busy")
                }
                state.startedAt = ContinuousClock.now
                state.source = (source, number)
                return nil
            }
        case .readyToNull:
            wait { $0.isStuckClosing }
            state.withLock { if $0.source?.number == number { $0.source = nil } }
            return nil
        case .readyToPaused, .pausedToPlaying, .playingToPaused, .pausedToReady: return nil
        }
    }

    private func wait(while isStuck: (State) -> Bool) {
        while true {
            let latch = Latch<Void>()
            let waits = state.withLock { state in
                guard isStuck(state) else { return false }
                state.waiting.append(latch)
                return true
            }
            guard waits else { return }
            _ = latch.wait(for: .seconds(3600))
        }
    }

    private func frame(_ info: borrowing ProbeInfo) -> ProbeResult {
        let (actions, isKept, number, interval) = state.withLock { state in
            state.frames += 1
            let due = state.scheduled.filter { $0.frames < state.frames }
            state.scheduled.removeAll { $0.frames < state.frames }
            let isEarly = state.startedAt.map { ContinuousClock.now - $0 < state.slowStart } ?? false
            return (
                due.map(\.action), !isEarly && !state.isStalled && !state.isUnplugged, state.frames,
                state.damageInterval
            )
        }
        guard actions.isEmpty else {
            // What it does to the bin must not be done by the bin's own thread.
            for action in actions { DispatchQueue.global().async(execute: action) }
            return .drop
        }
        guard isKept else { return .drop }
        if interval > 0, number.isMultiple(of: interval) { damage(info, by: number / interval) }
        return .pass
    }

    /// In turns, the end is missing and everything is overwritten.
    private func damage(_ info: borrowing ProbeInfo, by number: Int) {
        guard let size = info.withBytes({ $0.byteCount }), size > 0 else { return }
        if number.isMultiple(of: 2) {
            info.truncateBuffer(to: size / 2)
        } else {
            info.overwriteBuffer(0..<size, with: 0)
        }
    }
}

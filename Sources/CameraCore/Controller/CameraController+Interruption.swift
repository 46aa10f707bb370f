import GStreamer

/// When the next attempt to resume is made: soon at first, and ever less often for a camera that keeps failing.
struct RecoveryPace: Sendable {
    /// The first pause, short enough that a camera that is back runs within two seconds.
    static let shortest = Duration.milliseconds(200)
    /// The longest pause: nobody waits much longer than that for a program that let go of the camera unnoticed.
    static let longest = Duration.seconds(5)
    /// A run as long as this was no failure of the resumption's.
    static let steadyRun = Duration.seconds(10)

    private var pause = shortest

    /// The pause before the next attempt.
    mutating func next() -> Duration {
        defer { pause = min(pause * 2, Self.longest) }
        return pause
    }

    /// There is a sign that the next attempt will do.
    mutating func reset() { pause = Self.shortest }
}

extension CameraController {
    // MARK: What interrupts

    /// The source that was connected has failed or ended.
    func sourceEnded(_ end: SourceEnd, _ number: Int) async {
        guard let source = capture.source, source.number == number, endingSource != number else { return }
        endingSource = number
        let device = source.device
        var error = end.error
        if case .failed = end, error.code == .deviceLost, await isGone(device) { error = .unplugged(device) }
        // Meanwhile somebody may have said so already, or have gone on to another camera.
        guard capture.source?.number == number, status.state.error?.code != error.code else { return }
        interrupt(error, resumes: end.mayReturn)
        do throws(CameraError) {
            try await inTurn(.change) { camera throws(CameraError) in
                // A change that was under way may have brought it up again.
                guard camera.capture.source?.number == number, camera.status.state.isInterrupted else {
                    return
                }
                camera.stopWatchingFrames()
                camera.letGoOfFrames()
                try await camera.capture.removeSource()
            }
        } catch {
            // Who stops the camera removes the source as well.
            if error.code != .cancelled { hub.send(.error(error)) }
        }
    }

    /// A camera was taken out. The driver's own failure may follow late, or never.
    func deviceRemoved(_ device: CaptureDevice) async {
        guard let source = capture.source, source.device.id == device.id else { return }
        await sourceEnded(.failed(.unplugged(device)), source.number)
    }

    func interrupt(_ error: CameraError, resumes: Bool) {
        // The same thing is told once, whoever notices it next.
        let known = status.state.error
        let reason = if let known, known.code == error.code { known } else { error }
        interruption = reason
        enter(.interrupted(reason))
        still?.reader.mailbox.interrupt()
        if resumes {
            startRecovery()
        } else {
            recovery?.cancel()
            recovery = nil
        }
    }

    /// Gives back the frames that nobody has taken yet: they are the driver's memory, and nobody's any more.
    func letGoOfFrames() {
        still?.reader.mailbox.clear()
        for subscription in subscriptions.values { subscription.reader.mailbox.clear() }
    }

    /// Whether a camera that failed is not there any more. Its driver fails a moment before it is taken off the list.
    private func isGone(_ device: CaptureDevice) async -> Bool {
        if !catalog.isListed(device.id) { return true }
        guard device.deviceType.isReal else { return false }
        if await changes.departure(of: device.id, within: .milliseconds(300)) { return true }
        return !catalog.isListed(device.id)
    }

    // MARK: Stalls

    /// Watches whether frames come, from a source's connection to its end.
    func watchFrames() {
        stopWatchingFrames()
        guard let frame = capture.frame, let source = capture.source else { return }
        let limit = Self.stallLimit(for: ActiveFormat(frame)?.frameRate, atLeast: capture.deadlines.stall)
        let (intake, device, number) = (capture.intake, source.device, source.number)
        frameWatch = Task { [weak self] in
            var seen = intake.counts.frames
            // Steps and not a clock: when the whole machine stands still, the camera is not to blame.
            var quiet = 0
            while true {
                do { try await Task.sleep(for: limit / 4) } catch { return }
                let frames = intake.counts.frames
                quiet = frames == seen ? quiet + 1 : 0
                seen = frames
                if quiet == 4 {
                    await self?.stalled(.noFrame(from: device, after: limit), of: number)
                } else if quiet == 0 {
                    await self?.framesCame(of: number)
                }
            }
        }
    }

    /// Another source begins, or none does.
    func stopWatchingFrames() {
        frameWatch?.cancel()
        frameWatch = nil
    }

    /// Without a frame for this long a camera has stalled. Sources without a rate of their own deliver when they like.
    static func stallLimit(for rate: FrameRate?, atLeast minimum: Duration) -> Duration {
        guard let rate, !rate.isVariable else { return max(minimum, .seconds(10)) }
        return rate.stallLimit(atLeast: minimum)
    }

    private func stalled(_ error: CameraError, of number: Int) {
        guard number == capture.source?.number, status.state == .running else { return }
        interrupt(error, resumes: true)
    }

    /// A camera that had stalled goes on by itself.
    private func framesCame(of number: Int) {
        guard number == capture.source?.number, status.state.error?.code == .deviceStalled else { return }
        enter(.running)
    }

    // MARK: Resuming

    /// Tries again and again, as soon as the camera is back and now and then besides, until the camera runs, or
    /// somebody stopped it or chose another.
    private func startRecovery() {
        guard recovery == nil else { return }
        if let run = lastRun, run >= RecoveryPace.steadyRun { recoveryPace.reset() }
        guard let id = configuration.device else { return }
        let changes = changes
        // Counted before each look: a camera that comes during it is not waited for again.
        var seen = changes.arrivalCount(of: id)
        recovery = Task { [weak self] in
            while let pause = await self?.nextRecoveryPause() {
                let isBack = await changes.arrival(of: id, after: seen, within: pause)
                if Task.isCancelled { return }
                seen = changes.arrivalCount(of: id)
                await self?.recover(isBack: isBack)
            }
        }
    }

    private func nextRecoveryPause() -> Duration? {
        guard status.state.isInterrupted, !Task.isCancelled else { return nil }
        let pause = recoveryPace.next()
        // A camera that has stalled may go on by itself, and is left as much time again before it is restarted.
        return status.state.error?.code == .deviceStalled ? max(pause, capture.deadlines.stall) : pause
    }

    private func recover(isBack: Bool) async {
        if isBack { recoveryPace.reset() }
        do throws(CameraError) {
            try await inTurn(.recovery) { camera throws(CameraError) in
                guard camera.status.state.isInterrupted, let id = camera.configuration.device,
                    camera.catalog.isListed(id)
                else { return }
                _ = try await camera.reconfigure(camera.configuration, starting: true)
            }
        } catch {
            // What keeps the camera away is told once, and again only when it is another thing now.
            guard case .interrupted(let known) = status.state, error.code != known.code,
                error.code != .cancelled
            else { return }
            enter(.interrupted(error))
        }
    }
}

extension SourceEnd {
    /// Whether the source may come back by itself. A film that is over does not start again.
    fileprivate var mayReturn: Bool { if case .failed = self { true } else { false } }
}

extension CameraError {
    static func unplugged(_ device: CaptureDevice) -> CameraError {
        CameraError(
            .deviceLost, "\(device.label) was unplugged; it goes on as soon as it is plugged in again")
    }
}

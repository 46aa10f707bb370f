import GStreamer

/// What is known of the camera outside the controller's queue, so that `status` answers while a command blocks there.
final class StatusBoard: Sendable {
    struct Facts: Sendable {
        var state = CameraStatus.State.stopped
        var configuration = CaptureConfiguration()
        var applied: AppliedConfiguration?
        var photos = 0
        var startedAt: ContinuousClock.Instant?
        var source: SourceBranch?
        /// What the sources before this one lost.
        var endedLosses = SourceTraffic.Losses()
        var readers: [Int: FrameReader] = [:]
        var endedDrops = 0
        var outputs: [String: Output] = [:]
    }

    private let facts = Guarded(Facts())
    private let intake: Intake
    private let outputs: OutputCatalog

    init(intake: Intake, outputs: OutputCatalog) {
        self.intake = intake
        self.outputs = outputs
    }

    func update<Result: Sendable>(_ body: (inout Facts) -> Result) -> Result { facts.withLock { body(&$0) } }

    var status: CameraStatus {
        let facts = facts.withLock { $0 }
        let counts = intake.counts
        let applied = facts.applied
        var losses = facts.endedLosses
        if let source = facts.source { losses += source.losses }
        let late = facts.readers.values.reduce(facts.endedDrops) { $0 + $1.dropped }
        return CameraStatus(
            state: facts.state, configuration: facts.configuration, device: applied?.device,
            format: applied?.format,
            zoom: applied?.zoom ?? facts.configuration.zoom.factor, zoomRange: applied?.zoomRange ?? .full,
            crop: applied?.crop, measuredFrameRate: facts.state == .running ? counts.measuredFrameRate : 0,
            delivered: counts.frames,
            dropped: .init(
                late: late, outOfBuffers: losses.outOfBuffers, discontinuity: losses.discontinuities),
            damaged: counts.damaged,
            photos: facts.photos, outputs: statuses(facts.outputs),
            uptime: facts.startedAt.map { ContinuousClock.now - $0 } ?? .zero)
    }

    /// The outputs that there are, and those that run.
    var outputStatuses: [OutputStatus] {
        let running = statuses(facts.withLock { $0.outputs })
        let names = Set(running.map(\.name))
        let available = outputs.names.filter { !names.contains($0) }
            .map { OutputStatus(name: $0, state: .available) }
        return (running + available).sorted { $0.name < $1.name }
    }

    private func statuses(_ outputs: [String: Output]) -> [OutputStatus] {
        outputs.values.map(\.status).sorted { $0.name < $1.name }
    }
}

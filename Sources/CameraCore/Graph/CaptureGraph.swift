import FoundationEssentials
import GStreamer
import Synchronization

/// The live pipeline: one source at a time, the zoom, and the tee with what hangs on it.
///
///     source branch ─ [intake] zoom ┬ tee ┬ preview branches
///                 └┄┄┄ shortcut ┄┄┄┄┘     ├ still branch (newest frame, for photos)
///                                         └ outputs
///
/// The pipeline plays from the first start to ``close()``, also without a source: sources come and go, and with them
/// neither the branches nor the running time. Not Sendable: it belongs to the controller, which calls it on its queue.
final class CaptureGraph {
    /// How long a device, or a branch that ends, may take.
    struct Deadlines: Sendable {
        /// For a device to open, and to change its format. Cameras that were asleep take a second or two.
        var start = Duration.seconds(5)
        /// For a frame, the first one or any other that is waited for, at rates that leave time for several in it; see
        /// ``FrameRate/stallLimit(atLeast:)``.
        var frame = Duration.seconds(8)
        /// For a device to stop: `quit` waits for it.
        var stop = Duration.milliseconds(1200)
        /// For a branch to start, or to be unlinked.
        var branch = Duration.seconds(5)
        /// For an output to write what it holds.
        var drain = Duration.seconds(3)
        /// Without a frame for this long, and for several of its frames, a running camera has stalled.
        var stall = Duration.seconds(3)
    }

    let pipeline: Pipeline
    let tee: Element
    let intake = Intake()
    let router = BusRouter()
    /// Running time in nanoseconds of the newest frame from before the last change; what is not newer is outdated.
    let mark = ChangeMark()
    let demand = FrameDemand()
    private(set) var source: SourceBranch?
    private(set) var frame: VideoInfo?
    private(set) var crop: CropRectangle?
    private let zoom: ZoomStage
    private let shortcut: Shortcut
    private let calls = DriverCalls()
    let deadlines: Deadlines
    /// Told when the source with this number, which nobody stopped, has ended; on a thread of GStreamer's.
    var onSourceEnd: @Sendable (SourceEnd, _ number: Int) -> Void = { _, _ in }
    private var sourceCount = 0
    private var branchCount = 0

    init(deadlines: Deadlines = Deadlines()) throws(CameraError) {
        self.deadlines = deadlines
        do throws(GStreamerError) {
            try GStreamer.initialize()
            pipeline = try Pipeline(name: "camera")
            tee = try Element("tee", name: "tee")
            // With no branch, and while the last one goes, there is nobody to take a frame.
            try tee.set("allow-not-linked", .bool(true))
            // A bin counts the ends of its parts and tells only that of the last; each branch's is wanted here.
            try pipeline.set("message-forward", .bool(true))
            try pipeline.add(tee)
            guard let input = tee.staticPad("sink") else { throw GStreamerError.missingPad("sink", of: tee) }
            let (intake, demand) = (intake, demand)
            let shortcut = Shortcut(to: input) { info in
                let verdict = intake.admit(info)
                if verdict != .pass { demand.renew() }
                return verdict
            }
            self.shortcut = shortcut
            zoom = try ZoomStage(in: pipeline, to: input) { info in
                if case .buffer = info.item { return shortcut.arrive(info) }
                // As in SourceBranch: a query that waits in a branch's queue would hold the crop and the scaler.
                guard info.isSerializedQuery else { return .pass }
                info.acceptVideoMeta()
                return .handled
            }
            intake.watch(zoom.sinkPad)
        } catch {
            throw .internal(error)
        }
        let router = router
        pipeline.bus.setHandler(for: [.errors, .ends]) { router.handle($0) }
    }

    /// Elements that play must not be freed, also when a controller was dropped without its `close()`. Stopping them can
    /// block, and there is nobody to tell what fails.
    deinit {
        guard pipeline.state != .null else { return }
        pipeline.bus.setHandler(nil)
        let (pipeline, source) = (pipeline, source)
        detached {
            source?.gate?.open()
            do throws(GStreamerError) { try source?.bin.setState(.null) } catch _ {}
            do throws(GStreamerError) { try pipeline.setState(.null) } catch _ {}
        }
    }

    // MARK: Source

    /// What is done while a device, which takes its time, is started.
    typealias Meanwhile = () throws(CameraError) -> Void

    /// Brings up a source in the place of the one that runs, or the first one.
    ///
    /// Where both can be open the new one delivers its first frame before the old one goes; otherwise the old one
    /// goes first, and it is the caller's to bring it back when the new one fails.
    ///
    /// - Parameter meanwhile: what is done while the new one is started, before its first frame is let go.
    /// - Returns: why the old one did not stop, if it did not; the new one runs all the same.
    nonisolated(nonsending) func swap(
        to recipe: SourceBranch.Recipe, format: ActiveFormat?, zoom: Zoom, meanwhile: Meanwhile = {}
    ) async throws(CameraError) -> CameraError? {
        let old = source
        let isExclusive = old.map { $0.device.id == recipe.device.id && !recipe.isShareable } ?? false
        try play()
        if isExclusive, let old {
            source = nil
            unlink(old)
            try await discard(old)
            try await connectOrDiscard(try await bringUp(recipe, format, zoom, meanwhile))
        } else {
            let new = try await bringUp(recipe, format, zoom, meanwhile)
            if let old { unlink(old) }
            try await connectOrDiscard(new)
            // The new camera's frames flow while the old one stops, which takes some drivers a tenth of a second.
            guard let old else { return nil }
            do throws(CameraError) { try await discard(old) } catch { return error }
        }
        return nil
    }

    /// Has the running source deliver another format.
    nonisolated(nonsending) func renegotiate(
        _ format: ActiveFormat, zoom wanted: Zoom
    ) async throws(CameraError) {
        guard let source else { throw CameraError(.notRunning, "no camera is running; 'start' starts it") }
        unlink(source)
        let info = try await source.restart(as: format, in: pipeline, deadlines: deadlines)
        try connect((source, info, try crop(wanted, in: info)))
    }

    /// Whether the source plays; after a failed change of format it does not.
    var isSourceRunning: Bool { source?.isConnected ?? false }

    /// How long the next frame may take.
    var frameLimit: Duration {
        let rate = frame.flatMap { ActiveFormat($0) }?.frameRate ?? .variable
        return rate.stallLimit(atLeast: deadlines.frame)
    }

    /// The time of day at a running time that has passed: of a slow camera's newest frame, it can be seconds ago.
    func date(at time: ClockTime) -> Date {
        Date(timeIntervalSinceNow: min(0, time.seconds - pipeline.runningTime.seconds))
    }

    /// Stops the source and gives its device back; branches stay.
    nonisolated(nonsending) func removeSource() async throws(CameraError) {
        guard let source else { return }
        self.source = nil
        unlink(source)
        try await discard(source)
    }

    private func play() throws(CameraError) {
        guard pipeline.state != .playing else { return }
        try building { () throws(GStreamerError) in _ = try pipeline.setState(.playing) }
    }

    private nonisolated(nonsending) func bringUp(
        _ recipe: SourceBranch.Recipe, _ format: ActiveFormat?, _ zoom: Zoom, _ meanwhile: Meanwhile
    ) async throws(CameraError) -> Ready {
        let device = recipe.device
        guard await calls.areOver(for: device.id, within: deadlines.start) else {
            if Task.isCancelled { throw .changeCancelled }
            throw .noAnswer(from: device, to: "an earlier call", after: deadlines.start)
        }
        sourceCount += 1
        let branch: SourceBranch
        do throws(GStreamerError) {
            branch = try SourceBranch(
                recipe, format: format, number: sourceCount, calls: calls, intake: intake, demand: demand,
                shortcut: shortcut)
            // The pipeline's own state changes must not wait for a device; the branch is started and stopped alone.
            branch.bin.setLockedState(true)
            try pipeline.add(branch.bin)
        } catch {
            throw SourceFailure.error(error, on: recipe.device, format: format)
        }
        router.route(branch.bin.name) { news in
            if case .failed(let error) = news { branch.failed(error) }
        }
        do throws(CameraError) {
            let (pipeline, deadlines) = (pipeline, deadlines)
            async let start = branch.started(in: pipeline, deadlines: deadlines)
            try meanwhile()
            let info = try await start.get()
            let new: Ready = (branch, info, try crop(zoom, in: info))
            // What takes its time, or is missing, shows before the old source goes.
            try building { () throws(GStreamerError) in
                try self.zoom.prepare(for: new.crop, of: info.size, isSteady: isSteady(branch, info))
            }
            return new
        } catch {
            // Why it did not start is what the caller can act on; that it does not stop either follows from it.
            do throws(CameraError) { try await discard(branch) } catch _ {}
            throw error
        }
    }

    /// A source whose first frame waits, and what is to be shown of it.
    private typealias Ready = (source: SourceBranch, info: VideoInfo, crop: CropRectangle)

    private nonisolated(nonsending) func connectOrDiscard(
        _ new: Ready
    ) async throws(CameraError) {
        do throws(CameraError) { try connect(new) } catch {
            // As in bringUp: the first failure is what tells something.
            do throws(CameraError) { try await discard(new.source) } catch _ {}
            throw error
        }
    }

    private func connect(_ new: Ready) throws(CameraError) {
        let (device, number, onEnd) = (new.source.device, new.source.number, onSourceEnd)
        let size = new.info.size
        mark.set(intake.counts.last)
        // Weak, since the branch's probes know the intake.
        intake.expectSource(teller: new.source.decodesAll ? nil : number) { [weak branch = new.source] in
            guard let branch, !branch.hasFailed else { return }
            onEnd(SourceEnd(of: device), number)
        }
        try building { () throws(GStreamerError) in
            // Before its first frame: whoever records would have that one without the zoom.
            try zoom.setSize(size, isSteady: isSteady(new.source, new.info), showing: new.crop)
            if new.source.output.peer == nil {
                try new.source.output.link(to: zoom.sinkPad, isChecked: false)
            }
        }
        frame = new.info
        crop = new.crop
        source = new.source
        if new.crop.isFull(in: size) { shortcut.allow(number) }
        demand.connect(new.source.gate)
        new.source.connect { onEnd(.failed(SourceFailure.error($0, on: device, format: nil)), number) }
    }

    /// Unlinks a source between two of its frames.
    private func unlink(_ source: SourceBranch) {
        guard source.isConnected else { return }
        source.disconnect()
        demand.connect(nil)
        shortcut.close(within: deadlines.branch)
        let unlinked = Latch<Void>()
        let (output, sink) = (source.output, zoom.sinkPad)
        output.addProbe(.idle) { _ in
            output.unlink(from: sink)
            unlinked.deliver(())
            return .remove
        }
        _ = unlinked.wait(for: deadlines.branch)
    }

    private nonisolated(nonsending) func discard(_ source: SourceBranch) async throws(CameraError) {
        router.route(source.bin.name, to: nil)
        try await source.stop(in: pipeline, deadline: deadlines.stop)
    }

    // MARK: Zoom

    /// Whether a source's frames are all of the size they begin with, in square pixels.
    private func isSteady(_ source: SourceBranch, _ info: VideoInfo) -> Bool {
        source.keepsItsSize && info.pixelAspectRatio == .init(1, 1)
    }

    /// What a zoom shows of a frame.
    ///
    /// - Throws: ``CameraError`` with the code `zoom-out-of-range`: a size may be known only when the camera runs.
    private func crop(_ zoom: Zoom, in info: VideoInfo) throws(CameraError) -> CropRectangle {
        let size = info.size
        try ZoomRange(for: size).validate(zoom)
        return CropRectangle(zoom, in: size)
    }

    /// Shows a part of the frame from the next frame on; as ``crop(_:in:)``.
    func setZoom(_ wanted: Zoom) throws(CameraError) {
        guard let frame else { return }
        let rectangle = try crop(wanted, in: frame)
        guard rectangle != crop else { return }
        let size = frame.size
        shortcut.close(within: deadlines.branch)
        defer {
            if let source, crop?.isFull(in: size) ?? false { shortcut.allow(source.number) }
        }
        try building { () throws(GStreamerError) in
            try zoom.setCrop(rectangle, in: size, isSteady: source.map { isSteady($0, frame) } ?? false) {
                mark.set(intake.counts.last)
            }
        }
        crop = rectangle
    }

    // MARK: Branches

    /// A name for a new branch that no other has.
    func branchName(_ kind: String) -> String {
        branchCount += 1
        return "\(kind)-\(branchCount)"
    }

    /// Hangs a branch on the tee.
    ///
    /// - Parameters:
    ///   - wantsAll: whether every frame is to come to it; else those come that somebody asks ``demand`` for, and those
    ///     that cost nothing.
    ///   - onNews: told of its failure or its end, once each.
    func attach(
        _ branch: Branch, wantsAll: Bool = false, onNews: @escaping @Sendable (Branch.News) -> Void
    ) throws(GStreamerError) {
        let name = branch.name
        router.route(branch.part.name) { [demand] news in
            demand.end(name)
            branch.take(news)
        }
        if wantsAll { demand.begin(name) }
        do throws(GStreamerError) {
            if pipeline.state != .playing { try pipeline.setState(.playing) }
            try branch.attach(to: tee, in: pipeline, deadline: deadlines.branch, onNews: onNews)
        } catch {
            router.route(branch.part.name, to: nil)
            demand.end(name)
            throw error
        }
    }

    func detach(_ branch: Branch, drains: Bool) throws(GStreamerError) {
        defer { router.route(branch.part.name, to: nil) }
        demand.end(branch.name)
        try branch.detach(from: tee, in: pipeline, drains: drains, deadline: deadlines.drain)
    }

    /// Stops everything; the graph is of no use afterwards.
    nonisolated(nonsending) func close() async throws(CameraError) {
        defer { pipeline.bus.setHandler(nil) }
        var stuck: CameraError?
        do throws(CameraError) { try await removeSource() } catch { stuck = error }
        let (pipeline, deadline) = (pipeline, deadlines.stop)
        let stopping = Task {
            await attempt(within: deadline) { () throws(GStreamerError) in try pipeline.setState(.null) }
        }
        let stopped = await stopping.value
        if let stuck { throw stuck }
        guard case .delivered(let result) = stopped else {
            throw CameraError(
                .timeout, "a part of the pipeline did not stop within \(deadline.seconds.plainText) s")
        }
        try building { () throws(GStreamerError) in try result.get() }
    }
}

/// How a source ended that nobody stopped.
enum SourceEnd: Sendable {
    /// It has said so: a film is over, a stream was closed.
    case ended(CameraError)
    /// It broke down: the camera may be back.
    case failed(CameraError)

    /// The end of a device's stream. A real camera's has none unless it breaks down.
    init(of device: CaptureDevice) {
        self =
            device.deviceType.isReal
            ? .failed(CameraError(.deviceLost, "\(device.label) stopped; 'start' starts it again"))
            : .ended(CameraError(.deviceLost, "\(device.label) has ended; 'start' starts it again"))
    }

    var error: CameraError {
        switch self {
        case .ended(let error), .failed(let error): error
        }
    }
}

/// The running time up to which frames are from before the last change; read by every consumer of frames.
final class ChangeMark: Sendable {
    private let nanoseconds = Atomic<UInt64>(0)

    func set(_ time: ClockTime) { nanoseconds.store(time.nanoseconds, ordering: .releasing) }

    /// Whether a frame of this running time shows the change.
    func precedes(_ time: ClockTime) -> Bool { time.nanoseconds > nanoseconds.load(ordering: .acquiring) }
}

extension VideoInfo {
    fileprivate var size: Dimensions { Dimensions(width: width, height: height) }
}

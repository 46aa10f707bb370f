import GStreamer
import Glibc

/// A camera in the graph: its source, what makes its stream raw and paced, and the queue that lets it run freely.
///
///     source ─ capsfilter ─ identity, paces what is not live ─ leaky queue ─ src               of raw frames
///     source ─ capsfilter ─ queue, leaky if it is live ─ gate ─ jpegdec ─ identity ─ src       of JPEG
///
/// Made, started, connected and stopped by ``CaptureGraph`` on the controller's queue.
final class SourceBranch: Sendable {
    /// What is known once the first frame waits at the branch's end, or why none came.
    enum Arrival: Sendable {
        case frame
        case failure(GStreamerError)
        case end
    }

    /// How the pieces before the queue are made: the source itself, or a bin with it.
    struct Recipe: Sendable {
        let device: CaptureDevice
        /// Whether a second source of the same device can be opened beside the first.
        let isShareable: Bool
        /// Whether the camera takes some frames to find its exposure.
        var adaptsExposure = true
        /// Why the camera cannot be used; using it throws this.
        var problem: CameraError?
        /// What whoever chooses the camera should know, one sentence each.
        var notices: [String] = []
        let makeSource: @Sendable (ActiveFormat?) throws(GStreamerError) -> Element
    }

    let recipe: Recipe
    /// Counts the sources of a graph, so that the end of an earlier one is not taken for the end of this.
    let number: Int
    var device: CaptureDevice { recipe.device }
    let bin: Bin
    let output: Pad
    /// What was asked of the source; `nil` for whatever it gives.
    var requested: ActiveFormat? { state.withLock { $0.requested } }
    /// Whether no frame can have another size than the first. What is decoded, and what gives what it likes, can change.
    var keepsItsSize: Bool { requested.map { !$0.pixelFormat.isCompressed } ?? false }

    /// What decides which frames of a camera that sends JPEG are decoded.
    let gate: DecodeGate?
    /// Whether all frames go on that come; otherwise only what is wanted is decoded.
    var decodesAll: Bool { gate == nil || traffic.isPaced }

    private let calls: DriverCalls
    private let filter: Element
    private let pace: Element
    private let queue: Element
    private struct State {
        var requested: ActiveFormat?
        var arrival = Latch<Arrival>()
        var isConnected = false
        var isStopped = false
        var failure: GStreamerError?
        /// Keeps the first frame at the end of the branch.
        var hold: Pad.ProbeID?
        var onFailure: (@Sendable (GStreamerError) -> Void)?
    }
    private let state: Guarded<State>
    private let traffic = SourceTraffic()

    /// - Parameters:
    ///   - number: the number among the graph's sources.
    ///   - calls: what keeps count of the calls into drivers.
    ///   - intake: told of each frame that is left out because it is not whole, and of each that waits for a decoder.
    ///   - demand: what says which of those are decoded.
    ///   - shortcut: the short way of its frames.
    init(
        _ recipe: Recipe, format: ActiveFormat?, number: Int, calls: DriverCalls, intake: Intake,
        demand: FrameDemand, shortcut: Shortcut
    ) throws(GStreamerError) {
        self.recipe = recipe
        self.number = number
        self.calls = calls
        state = Guarded(State(requested: format))
        bin = try Bin(name: "source-\(number)")
        // A film or a network camera is paused only once its decoder knows what there is. The bin waits for that itself:
        // the pipeline, told of it, would start anew, and the running time with it.
        try bin.set("async-handling", .bool(true))
        filter = try Element("capsfilter", name: "format")
        pace = try Element("identity", name: "pace")
        let source = try recipe.makeSource(format)
        queue = try Element.leakyQueue()
        try pace.set("sync", .bool(true))
        try pace.set("signal-handoffs", .bool(false))
        try filter.set("caps", .caps(Self.caps(format)))
        try bin.add(source, filter, pace, queue)
        try source.link(to: filter)
        guard let entry = queue.staticPad("sink"), let exit = queue.staticPad("src") else {
            throw GStreamerError.missingPad("src", of: queue)
        }
        let end: Pad
        if format?.pixelFormat.isCompressed ?? false {
            let gate = DecodeGate(demand: demand)
            let decoder = try Element("jpegdec", name: "decoder")
            try bin.add(decoder)
            try filter.link(to: queue, isChecked: false)
            try queue.link(to: decoder, isChecked: false)
            // A file's JPEG has no times before it is decoded.
            try decoder.link(to: pace, isChecked: false)
            guard let output = pace.staticPad("src") else { throw GStreamerError.missingPad("src", of: pace) }
            entry.watchCompressed(of: number, gate, intake)
            exit.addProbe(.buffer) { gate.admit($0.bufferID) }
            output.watchRaw(of: number, shortcut, intake) { gate.passDecoded() }
            self.gate = gate
            end = output
        } else {
            try filter.link(to: pace, isChecked: false)
            try pace.link(to: queue, isChecked: false)
            entry.watchRaw(of: number, shortcut, intake)
            gate = nil
            end = exit
        }
        // As the camera gave them: a decoder passes no numbers on, and the queue marks what it leaves out itself.
        let traffic = traffic
        let numbersFrames = recipe.device.provider == "v4l2"
        let isRaw = gate == nil
        // The pads of a file camera's bin would hand the frame on twice more.
        source.staticPad("src")?.innermost.addProbe([.buffer, .eventDownstream]) { info in
            guard case .buffer = info.item else {
                if isRaw { shortcut.hold(for: number) }
                return .pass
            }
            traffic.note(number: numbersFrames ? info.offset : nil, isDiscontinuity: info.isDiscontinuity)
            guard isRaw, !info.isMarkedDamaged, !traffic.isPaced else { return .pass }
            return shortcut.take(info, of: number)
        }
        try bin.addGhostPad("src", for: end)
        guard let output = bin.staticPad("src") else { throw GStreamerError.missingPad("src", of: bin) }
        self.output = output
        output.addProbe(.eventDownstream) { [weak self] info in
            if case .event(.endOfStream) = info.item { self?.ended() }
            return .pass
        }
    }

    private static func caps(_ format: ActiveFormat?) -> Caps {
        guard let format else { return Caps(Caps.Structure("video/x-raw")) }
        var fields: [String: Value] = ["width": .int(format.width), "height": .int(format.height)]
        if !format.frameRate.isVariable {
            fields["framerate"] = .fraction(format.frameRate.numerator, format.frameRate.denominator)
        }
        if format.pixelFormat.isCompressed { return Caps(Caps.Structure("image/jpeg", fields)) }
        fields["format"] = .string(format.pixelFormat.rawValue)
        return Caps(Caps.Structure("video/x-raw", fields))
    }

    /// Whether the source's frames go into the graph.
    var isConnected: Bool { state.withLock { $0.isConnected } }

    /// Whether an error came from the source. The end of its stream then only follows from that.
    var hasFailed: Bool { state.withLock { $0.failure != nil } }

    /// Frames that did not come, as far as the camera tells.
    var losses: SourceTraffic.Losses { traffic.losses }

    // MARK: Running

    /// Told of an error: the reason that no first frame comes, or later that the camera is gone.
    func failed(_ error: GStreamerError) {
        let (arrival, onFailure) = state.withLock { state in
            state.failure = state.failure ?? error
            return (state.arrival, state.isConnected ? state.onFailure : nil)
        }
        if !arrival.deliver(.failure(error)) { onFailure?(error) }
    }

    private func ended() { state.withLock { $0.arrival }.deliver(.end) }

    /// Takes the source, which is disconnected, down to where its format can change, and starts it with another; as
    /// ``start(in:deadlines:)``.
    ///
    /// That is an order of magnitude faster than a change of caps under a running source, which drains and restarts
    /// the device in the streaming thread.
    func restart(
        as format: ActiveFormat, in pipeline: Pipeline, deadlines: CaptureGraph.Deadlines
    ) async throws(CameraError) -> VideoInfo {
        let (bin, filter, gate, node, hasFailed) = (bin, filter, gate, device.node, hasFailed)
        state.withLock { $0.requested = format }
        return try await start(in: pipeline, deadlines: deadlines, as: "a change of format") {
            () throws(GStreamerError) in
            gate?.open()
            try Self.stop(bin, to: .ready, node: node, hasFailed: hasFailed)
            try filter.set("caps", .caps(Self.caps(format)))
        }
    }

    /// As ``start(in:deadlines:as:preparing:)``, for a task of its own.
    func started(
        in pipeline: Pipeline, deadlines: CaptureGraph.Deadlines
    ) async -> Result<VideoInfo, CameraError> {
        do throws(CameraError) { return .success(try await start(in: pipeline, deadlines: deadlines)) } catch
        {
            return .failure(error)
        }
    }

    /// Starts the source, with its first frame held at the end of the branch.
    ///
    /// The bin must be in a pipeline.
    /// - Parameters:
    ///   - step: what the device is asked for, in the error when it does not answer.
    ///   - preparing: called before, where the device may take its time.
    /// - Returns: the layout of the frames, as negotiated.
    /// - Throws: also `cancelled`; whatever is thrown, the branch must be stopped then.
    func start(
        in pipeline: Pipeline, deadlines: CaptureGraph.Deadlines, as step: String = "starting",
        preparing: @escaping @Sendable () throws(GStreamerError) -> Void = {}
    ) async throws(CameraError) -> VideoInfo {
        let arrival = Latch<Arrival>()
        let (bin, pace, queue, gate, traffic) = (bin, pace, queue, gate, traffic)
        let isStopped: @Sendable () -> Bool = { self.state.withLock { $0.isStopped } }
        let change = await calls.attempt(on: device.id, within: deadlines.start) {
            () throws(GStreamerError) in
            // A driver that answers after its time finds the branch given up, and must not start it behind the stop.
            defer {
                if isStopped() {
                    gate?.open()
                    // Whoever gave it up was told already that it does not answer.
                    do throws(GStreamerError) { try bin.setState(.null) } catch _ {}
                }
            }
            try preparing()
            if isStopped() { return }
            self.begin(arrival, in: pipeline)
            // An element that paces says itself that it does not preroll, and hides whether the source does. And what is
            // not live delivers from the pause on: its frames wait until they are paced.
            try pace.set("sync", .bool(false))
            if gate != nil { try queue.set("leaky", .string("no")) }
            let entry = pace.staticPad("sink")
            let hold = entry?.addProbe([.block, .buffer]) { _ in .pass }
            defer { if let hold { entry?.removeProbe(hold) } }
            // A live source paces itself; pacing it again would only delay its frames.
            let isPaced = try bin.setState(.paused) != .noPreroll
            traffic.setPaced(isPaced)
            try pace.set("sync", .bool(isPaced))
            // What is paced behind its decoder waits in the queue, and is shown to its end.
            if isPaced { gate?.open() } else { try queue.set("leaky", .string("downstream")) }
            if !isStopped() { try bin.setState(.playing) }
        }
        switch change {
        case .deadline: throw .noAnswer(from: device, to: step, after: deadlines.start)
        case .cancelled: throw .changeCancelled
        case .delivered(.failure(let error)):
            // What a driver reports tells more than that the state did not change.
            let reason = if case .failure(let reason)? = arrival.value { reason } else { error }
            throw SourceFailure.error(reason, on: device, format: requested)
        case .delivered(.success): break
        }
        var limit = deadlines.frame
        var arrived = await arrival.value(within: limit)
        if case .deadline = arrived {
            // The rate is negotiated before the first frame comes.
            let info = output.currentCaps.flatMap { VideoInfo($0) }
            let format = info.flatMap { ActiveFormat($0) } ?? requested
            limit = (format?.frameRate ?? .variable).stallLimit(atLeast: deadlines.frame)
            arrived = await arrival.value(within: limit - deadlines.frame)
        }
        switch arrived {
        case .delivered(.frame): break
        case .delivered(.failure(let error)):
            throw SourceFailure.error(error, on: device, format: requested)
        case .delivered(.end): throw CameraError(.deviceLost, "\(device.label) ended before its first frame")
        case .deadline: throw .noFrame(from: device, after: limit)
        case .cancelled: throw .changeCancelled
        }
        guard let caps = output.currentCaps, let info = VideoInfo(caps) else {
            throw CameraError(
                .formatUnsupported,
                "\(device.label) delivers something that is not raw video; end its pipeline "
                    + "with a decoder, or with image/jpeg")
        }
        return info
    }

    /// Lets the held frame go; from now on failures are told to `onFailure`, and one that has come since that frame.
    func connect(onFailure: @escaping @Sendable (GStreamerError) -> Void) {
        let (hold, failure) = state.withLock { state in
            state.isConnected = true
            state.onFailure = onFailure
            defer { state.hold = nil }
            return (state.hold, state.failure)
        }
        if let hold { output.removeProbe(hold) }
        if let failure { onFailure(failure) }
    }

    /// The branch is about to be unlinked: that its frames go nowhere then is no failure of the camera's.
    func disconnect() {
        state.withLock { state in
            state.isConnected = false
            state.onFailure = nil
        }
    }

    /// Stops the source, gives the device back and takes the bin out of the pipeline.
    ///
    /// A driver that does not answer within `deadline` is left to itself, out of the pipeline, which would wait for it
    /// at its own next change of state.
    func stop(in pipeline: Pipeline, deadline: Duration) async throws(CameraError) {
        let (hold, arrival) = state.withLock { state in
            state.isConnected = false
            state.isStopped = true
            state.onFailure = nil
            defer { state.hold = nil }
            return (state.hold, state.arrival)
        }
        arrival.deliver(.end)
        gate?.open()
        let bin = bin
        let output = output
        // Not given up with the task: a device that was opened must be closed.
        let (calls, id, node, hasFailed) = (calls, device.id, device.node, hasFailed)
        let stopping = Task {
            await calls.attempt(on: id, within: deadline) { () throws(GStreamerError) in
                if let hold { output.removeProbe(hold) }
                try Self.stop(bin, to: .null, node: node, hasFailed: hasFailed)
            }
        }
        let stopped = await stopping.value
        try building { () throws(GStreamerError) in try pipeline.remove(bin) }
        switch stopped {
        case .deadline, .cancelled: throw .noAnswer(from: device, to: "stopping", after: deadline)
        case .delivered(.failure(let error)):
            throw CameraError(error, in: device.label, otherwise: .internal)
        case .delivered(.success): return
        }
    }

    /// Stops the elements.
    ///
    /// Those of a device that is gone are stopped in another way. The kernel takes its node away long before the list of
    /// devices tells, but not before its driver fails: of a cable that comes out the transfers end first. A node that
    /// stays belongs to a camera that has only failed.
    private static func stop(
        _ bin: Bin, to state: Element.State, node: String?, hasFailed: Bool
    ) throws(GStreamerError) {
        var waits = hasFailed ? 30 : 0
        while let node, access(node, F_OK) == 0, waits > 0 {
            waits -= 1
            usleep(10_000)
        }
        guard let node, access(node, F_OK) != 0 else {
            try bin.setState(state)
            return
        }
        try LostDevices.draining { () throws(GStreamerError) in try bin.setState(state) }
    }

    /// Forgets the run before, whose elements have stopped, and holds the first frame of the next.
    private func begin(_ arrival: Latch<Arrival>, in pipeline: Pipeline) {
        state.withLock { state in
            state.arrival = arrival
            state.failure = nil
        }
        gate?.close()
        traffic.begin()
        holdFirstFrame(arrival)
        rebase(in: pipeline)
    }

    private func holdFirstFrame(_ arrival: Latch<Arrival>) {
        let hold = output.addProbe([.block, .buffer]) { _ in
            arrival.deliver(.frame)
            // "pass" keeps a blocking probe blocking.
            return .pass
        }
        state.withLock { $0.hold = hold }
    }

    /// Counts the source's running time from now, and shifts it to the pipeline's.
    private func rebase(in pipeline: Pipeline) {
        let now = pipeline.clockTime
        bin.detachRunningTime(base: now)
        output.setOffset(Int64(clamping: now.nanoseconds) - Int64(clamping: pipeline.baseTime.nanoseconds))
    }
}

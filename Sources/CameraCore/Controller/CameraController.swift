import FoundationEssentials
import GStreamer

/// A camera and everything it needs: what AVFoundation spreads over a session, its inputs and its outputs.
///
/// Work happens on a serial queue of the controller's own, never on the main thread; frames do not pass through it.
/// Configuration is a value: ``apply(_:)-(CaptureConfiguration)`` changes what runs to what is asked for in the
/// smallest steps, all or nothing, and the other calls edit a copy and apply it. ``status`` answers at any time.
///
/// A controller must be closed with ``close()``: that stops the device and releases what GStreamer holds.
public actor CameraController {
    /// How a controller is set up.
    public struct Options: Sendable {
        /// The folder with `sources` and `outputs`; `nil` for none.
        public var pipelines: URL?
        /// Whether real cameras are looked for. Without them there are the built-in and the file-described ones.
        public var discoversHardware: Bool
        /// The folder that outputs write to, as `${CAMERA_OUTPUT_DIRECTORY}` in their descriptions; `nil` for what the
        /// environment says.
        public var outputDirectory: URL?
        /// The camera that the user likes best, as they chose it earlier: ``CameraController/defaultDevice()`` takes it
        /// when it is there.
        public var userPreferredCamera: CaptureDevice.ID?

        /// Options with the given values.
        public init(
            pipelines: URL? = nil, discoversHardware: Bool = true, outputDirectory: URL? = nil,
            userPreferredCamera: CaptureDevice.ID? = nil
        ) {
            self.pipelines = pipelines
            self.outputDirectory = outputDirectory
            self.discoversHardware = discoversHardware
            self.userPreferredCamera = userPreferredCamera
        }
    }

    nonisolated let executor = SerialQueueExecutor(label: "camera.controller")
    /// The serial queue that the controller works on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let capture: CaptureGraph
    nonisolated let catalog: DeviceCatalog
    let outputCatalog: OutputCatalog
    let encoder = PhotoEncoder()
    nonisolated let hub: EventHub
    nonisolated let board: StatusBoard
    /// The camera that ``defaultDevice()`` prefers.
    public internal(set) var userPreferredCamera: CaptureDevice.ID?
    nonisolated let changes = DeviceChanges()
    var turns = Turns()
    /// Ends when the change that was begun last has ended.
    var lastTurn: Task<Void, Never>?
    /// Brings back what ran before a change that failed.
    var restoration: Task<Void, Never>?
    /// The source whose end is being looked into; what else it says follows from that.
    var endingSource: Int?
    /// Notices when frames stop coming.
    var frameWatch: Task<Void, Never>?
    /// Brings an interrupted camera back.
    var recovery: Task<Void, Never>?
    var recoveryPace = RecoveryPace()
    /// How the camera is opened that ran last, which an interruption takes off the list.
    var lastRecipe: SourceBranch.Recipe?
    /// How long the camera had run when it was interrupted.
    private(set) var lastRun: Duration?
    var subscriptions: [Int: Subscription] = [:]
    var nextSubscription = 0
    /// Callbacks whose subscription has ended, and which may be at work yet.
    var endingCalls: [Latch<Void>] = []
    var still: (branch: Branch, reader: FrameReader)?
    var isTakingPhoto = false
    /// How far the camera that runs has got with its exposure, as far as a photo looked; with the time of its first frame.
    var exposure: (settling: ExposureSettling, start: Double, isSettled: Bool)?
    /// The newest failure of the source, for whoever waits for a frame.
    var interruption: CameraError?

    /// A branch of the preview.
    struct Subscription {
        let branch: Branch
        let reader: FrameReader
        /// Tells that the last call of a callback is over.
        let calls: Latch<Void>?
        /// What the branch is, if others may read from it too.
        var conversion: Conversion?
    }

    /// Makes a controller. Nothing is opened: the first call that needs frames starts the camera.
    ///
    /// - Throws: ``CameraError`` with the code `missing-plugin` when GStreamer lacks an element of the capture, or `usage`
    ///   for a folder that is not in the file system.
    public init(options: Options = Options()) throws(CameraError) {
        try self.init(options: options, deadlines: CaptureGraph.Deadlines())
    }

    /// Makes a controller that waits for devices and branches as long as `deadlines` say.
    ///
    /// - Parameter makeHardware: makes the list of real cameras, which tells what changes; `nil` for this machine's.
    init(
        options: Options, deadlines: CaptureGraph.Deadlines,
        makeHardware: ((@escaping @Sendable (CaptureDevice, Bool) -> Void) -> HardwareCameras)? = nil
    ) throws(CameraError) {
        for folder in [options.pipelines, options.outputDirectory].compactMap(\.self) where !folder.isFileURL
        {
            throw CameraError(.usage, "\(folder.absoluteString) is no folder; give a path in the file system")
        }
        let capture = try CaptureGraph(deadlines: deadlines)
        let hub = EventHub()
        let changes = changes
        let make = makeHardware ?? { HardwareCameras(onChange: $0) }
        let hardware = options.discoversHardware ? make { changes.note($0, isAdded: $1) } : nil
        let settings = LaunchSettings(outputDirectory: options.outputDirectory)
        catalog = DeviceCatalog(
            hardware: hardware,
            files: FileCameras(
                LaunchFolder(
                    url: options.pipelines?.appendingPathComponent("sources"), settings: settings)
            ) { changes.note($0, isAdded: $1) })
        outputCatalog = OutputCatalog(
            folder: LaunchFolder(
                url: options.pipelines?.appendingPathComponent("outputs"), settings: settings))
        board = StatusBoard(intake: capture.intake, outputs: outputCatalog)
        self.hub = hub
        self.capture = capture
        userPreferredCamera = options.userPreferredCamera
        capture.onSourceEnd = { [weak self] end, number in
            Task { await self?.sourceEnded(end, number) }
        }
        changes.setHandler { [weak self] device, isAdded in
            hub.send(isAdded ? .deviceAdded(device) : .deviceRemoved(device))
            if !isAdded { Task { await self?.deviceRemoved(device) } }
        }
    }

    // MARK: Looking

    /// Everything at a glance. Never blocks, whatever the controller is doing.
    public nonisolated var status: CameraStatus { board.status }

    /// What happens from now on; see ``CameraEvents``.
    public nonisolated func events() -> CameraEvents { hub.stream() }

    /// What was last asked for, and is in force or, while stopped, will be.
    public var configuration: CaptureConfiguration { board.update { $0.configuration } }

    /// The live graph in the DOT language.
    public func graph() -> String { capture.pipeline.dot() }

    // MARK: Starting and stopping

    /// Starts capturing; does nothing when the camera runs. Every call that needs frames does it by itself.
    ///
    /// Comes back with the first frame. Other changes wait meanwhile; ``stop()`` and ``close()`` do not.
    /// - Throws: ``CameraError``: `no-device`, `device-not-found`, `permission-denied`, `device-busy`, `device-lost`,
    ///   `device-stalled`, `format-unsupported`, `preset-unsupported`, `timeout`, `cancelled`.
    public func start() async throws(CameraError) { try await start { _ in } }

    /// Starts capturing for something that is to have the first frame too.
    ///
    /// - Parameter making: makes it, while the device makes its first frame; called at least once, in any case, and each
    ///   time before a frame is let go.
    func start(
        making: @escaping @Sendable (isolated CameraController) throws(CameraError) -> Void
    ) async throws(CameraError) {
        try checkOpen()
        // While a stop is under way, the start comes after it.
        if board.update({ $0.state }) != .running || turns.isEnding {
            try await inTurn(.change) { camera throws(CameraError) in
                try camera.checkOpen()
                guard camera.status.state != .running else { return }
                _ = try await camera.reconfigure(camera.configuration, starting: true) {
                    () throws(CameraError) in
                    try making(camera)
                }
            }
            try checkOpen()
        }
        try making(self)
    }

    /// Stops capturing and gives the device back. Previews and outputs stay, and go on with the next start.
    ///
    /// A change that is under way and waits for a device is given up.
    /// - Throws: ``CameraError`` with the code `timeout` when the device does not let go.
    public func stop() async throws(CameraError) {
        try await inTurn(.end) { camera throws(CameraError) in
            guard camera.board.update({ $0.state }) != .closed else { return }
            camera.stopWatchingFrames()
            camera.letGoOfFrames()
            defer {
                camera.enter(.stopped)
                camera.still?.reader.mailbox.interrupt()
            }
            try await camera.capture.removeSource()
        }
    }

    /// Stops everything, ends all streams and releases what the camera holds. The controller is of no use afterwards;
    /// a second call does nothing.
    ///
    /// - Throws: ``CameraError`` when the device does not let go; everything else is released all the same.
    public func close() async throws(CameraError) {
        try await inTurn(.end) { camera throws(CameraError) in try await camera.release() }
    }

    private func release() async throws(CameraError) {
        guard board.update({ $0.state }) != .closed else { return }
        stopWatchingFrames()
        enter(.closed)
        defer { hub.close() }
        changes.setHandler(nil)
        for id in subscriptions.keys { removeSubscription(id) }
        awaitCallbacks()
        for output in board.update({ Array($0.outputs.values) }) { takeOff(output) }
        still?.reader.mailbox.close()
        encoder.close()
        catalog.close()
        try await capture.close()
        board.update { facts in
            if let source = facts.source { facts.endedLosses += source.losses }
            facts.source = nil
        }
    }

    func checkOpen() throws(CameraError) {
        guard board.update({ $0.state }) != .closed else {
            throw CameraError(.notRunning, "the camera controller is closed; make another")
        }
    }

    func enter(_ state: CameraStatus.State) {
        let source = capture.source
        let isNew = board.update { facts in
            defer { facts.state = state }
            if let old = facts.source, old !== source { facts.endedLosses += old.losses }
            facts.source = source
            if state == .running, facts.state != .running { facts.startedAt = ContinuousClock.now }
            if state != .running, let startedAt = facts.startedAt {
                lastRun = ContinuousClock.now - startedAt
                facts.startedAt = nil
            }
            return facts.state != state
        }
        if !state.isInterrupted {
            recovery?.cancel()
            recovery = nil
        }
        if isNew { hub.send(.stateChanged(state)) }
    }
}

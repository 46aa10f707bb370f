import Foundation
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

        /// Options with the given values.
        public init(pipelines: URL? = nil, discoversHardware: Bool = true, outputDirectory: URL? = nil) {
            self.pipelines = pipelines
            self.outputDirectory = outputDirectory
            self.discoversHardware = discoversHardware
        }
    }

    nonisolated let executor = SerialQueueExecutor(label: "camera.controller")
    /// The serial queue that the controller works on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let capture: CaptureGraph
    let catalog: DeviceCatalog
    let outputCatalog: OutputCatalog
    let encoder = PhotoEncoder()
    nonisolated let hub: EventHub
    nonisolated let board: StatusBoard
    /// Counts the sources that were connected, so that the end of an earlier one is not taken for the end of this.
    var generation = 0
    var subscriptions: [Int: Subscription] = [:]
    var nextSubscription = 0
    var still: (branch: Branch, reader: FrameReader)?
    var isTakingPhoto = false
    /// The newest failure of the source, for whoever waits for a frame.
    var interruption: CameraError?

    /// A branch of the preview, with its reader where the frames wait for one.
    struct Subscription {
        let branch: Branch
        let reader: FrameReader
    }

    /// Makes a controller. Nothing is opened: the first call that needs frames starts the camera.
    ///
    /// - Throws: ``CameraError`` with the code `missing-plugin` when GStreamer lacks an element of the capture.
    public init(options: Options = Options()) throws(CameraError) {
        try self.init(options: options, deadlines: CaptureGraph.Deadlines())
    }

    /// Makes a controller that waits for devices and branches as long as `deadlines` say.
    init(options: Options, deadlines: CaptureGraph.Deadlines) throws(CameraError) {
        let capture = try CaptureGraph(deadlines: deadlines)
        let hub = EventHub()
        let hardware =
            options.discoversHardware
            ? HardwareCameras { device, isAdded in
                hub.send(isAdded ? .deviceAdded(device) : .deviceRemoved(device))
            } : nil
        let settings = LaunchSettings(outputDirectory: options.outputDirectory)
        catalog = DeviceCatalog(
            hardware: hardware,
            sources: LaunchFolder(
                url: options.pipelines?.appendingPathComponent("sources"), settings: settings))
        outputCatalog = OutputCatalog(
            folder: LaunchFolder(
                url: options.pipelines?.appendingPathComponent("outputs"), settings: settings))
        board = StatusBoard(intake: capture.intake, outputs: outputCatalog)
        self.hub = hub
        self.capture = capture
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
    /// Blocks the controller, not the caller's thread, until the first frame is there.
    /// - Throws: ``CameraError``: `no-device`, `device-not-found`, `permission-denied`, `device-busy`, `device-lost`,
    ///   `device-stalled`, `format-unsupported`, `preset-unsupported`, `timeout`.
    public func start() throws(CameraError) {
        try checkOpen()
        guard board.update({ $0.state }) != .running else { return }
        _ = try apply(configuration, starting: true)
    }

    /// Stops capturing and gives the device back. Previews and outputs stay, and go on with the next start.
    public func stop() throws(CameraError) {
        guard capture.source != nil else {
            if case .interrupted = status.state { enter(.stopped) }
            if case .failed = status.state { enter(.stopped) }
            return
        }
        generation += 1
        defer {
            enter(.stopped)
            still?.reader.mailbox.interrupt()
        }
        try capture.removeSource()
    }

    /// Stops everything, ends all streams and releases what the camera holds. The controller is of no use afterwards;
    /// a second call does nothing.
    ///
    /// - Throws: ``CameraError`` when the device does not let go; everything else is released all the same.
    public func close() throws(CameraError) {
        guard board.update({ $0.state }) != .closed else { return }
        generation += 1
        defer {
            enter(.closed)
            hub.close()
        }
        for id in subscriptions.keys { removeSubscription(id) }
        for name in board.update({ Array($0.outputs.keys) }) { removeOutputBranch(name) }
        still?.reader.mailbox.close()
        encoder.close()
        catalog.close()
        try capture.close()
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
            facts.source = source
            if state == .running, facts.state != .running { facts.startedAt = ContinuousClock.now }
            if state != .running { facts.startedAt = nil }
            return facts.state != state
        }
        if isNew { hub.send(.stateChanged(state)) }
    }

    /// The source that was connected has failed or ended.
    func sourceEnded(_ error: CameraError, generation ended: Int) {
        guard ended == generation, capture.source != nil else { return }
        generation += 1
        interruption = error
        do throws(CameraError) {
            try capture.removeSource()
            enter(.interrupted(error))
        } catch let stuck {
            enter(.interrupted(error))
            hub.send(.error(stuck))
        }
        still?.reader.mailbox.interrupt()
    }
}

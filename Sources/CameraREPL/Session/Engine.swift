import CameraCore
import FoundationEssentials

/// Runs commands on one camera.
///
/// The camera is made when a command first needs it, so that `help` costs nothing. Commands run one after the
/// other; whatever blocks in the camera can be abandoned by cancelling the task that runs the command.
actor Engine {
    /// What the command line says about the camera.
    struct Settings: Sendable {
        /// What to start with: an id, a name, a node or a position; `nil` for the default camera.
        var device: String?
        var preset: SessionPreset?
        var pipelines: URL?
        var photoFolder: PhotoFolder
        /// Where the camera that was chosen last is kept; `nil` for nowhere.
        var lastDevice: LastDevice?
    }

    let settings: Settings
    private let makeController: @Sendable (CameraController.Options) throws(CameraError) -> CameraController
    private let notify: @Sendable (String) -> Void
    private let detail: @Sendable (String) -> Void
    private let observe: @Sendable (CameraEvent) -> Void
    private var controller: CameraController?
    private var isPrepared = false
    private var eventTask: Task<Void, Never>?
    /// The camera that somebody chose, until it is remembered.
    private var chosen: CaptureDevice?
    private var names = PhotoNames()
    private var photosUnderWay: [Int: Task<CapturedPhoto, any Error>] = [:]
    private var photosBegun = 0
    let frames = FramePuller()

    /// - Parameters:
    ///   - settings: What the command line says.
    ///   - makeController: Makes the camera, when it is first needed.
    ///   - notify: Takes one sentence for people that belongs to no reply.
    ///   - detail: Takes a sentence for those who want to know more.
    ///   - observe: Takes each event of the camera, in order.
    init(
        settings: Settings,
        makeController:
            @escaping @Sendable (CameraController.Options) throws(CameraError) -> CameraController = {
                options throws(CameraError) in try CameraController(options: options)
            },
        notify: @escaping @Sendable (String) -> Void,
        detail: @escaping @Sendable (String) -> Void = { _ in },
        observe: @escaping @Sendable (CameraEvent) -> Void
    ) {
        self.settings = settings
        self.makeController = makeController
        self.notify = notify
        self.detail = detail
        self.observe = observe
    }

    /// Whether the command line asks for something that can turn out impossible.
    nonisolated var hasStartupWishes: Bool { settings.device != nil || settings.preset != nil }

    /// The camera, with a device chosen.
    func camera() async throws(CameraError) -> CameraController {
        let camera = try controllerWithoutDevice()
        guard !isPrepared else { return camera }
        let applied = try await startingConfiguration(of: camera)
        for notice in applied.notices { notify(notice) }
        isPrepared = true
        return camera
    }

    /// Has cameras that come and go told from now on.
    func watchDevices() async {
        let real = CaptureDevice.DeviceType.allCases.filter(\.isReal)
        do throws(CameraError) { _ = try await controllerWithoutDevice().devices(types: real) } catch {
            detail(error.message)
        }
    }

    /// The camera, without the need for a device; for lists.
    func controllerWithoutDevice() throws(CameraError) -> CameraController {
        if let controller { return controller }
        var options = CameraController.Options(
            pipelines: settings.pipelines, outputDirectory: settings.photoFolder.url)
        do throws(LastDevice.Failure) {
            options.userPreferredCamera = try settings.lastDevice?.read()
        } catch {
            detail(error.description)
        }
        let new = try makeController(options)
        controller = new
        let events = new.events()
        eventTask = Task { [observe, frames] in
            for await event in events {
                await rememberIfUsed()
                // The event may be old news: another device may be running by now.
                if case .stateChanged = event, let error = new.status.state.error {
                    await frames.fail(error)
                }
                observe(event)
            }
        }
        return new
    }

    /// Calls the camera in a way that cancelling can interrupt.
    func perform<Value: Sendable>(
        _ operation: @escaping @Sendable (CameraController) async throws(CameraError) -> Value
    ) async throws(CameraError) -> Value {
        let camera = try await camera()
        return try await abandonable { () async throws(CameraError) in try await operation(camera) }
    }

    /// What is in force now, from the snapshot if that has it, so that showing it disturbs nothing.
    func current() async throws(CameraError) -> AppliedConfiguration {
        let camera = try await camera()
        if let applied = camera.status.applied { return applied }
        return try await perform { camera throws(CameraError) in try await camera.apply { _ in } }
    }

    /// Ends the outputs that still hang on the camera, and says what they leave: no reply does any more.
    private func endOutputs() async {
        guard let controller else { return }
        for output in controller.status.outputs {
            do throws(CameraError) {
                if let remains = try await controller.removeOutput(output.name).remains { notify(remains) }
            } catch {
                notify(error.message)
            }
        }
    }

    /// Ends the work that was begun and closes the camera.
    func close() async {
        for photo in photosUnderWay.values { _ = await photo.result }
        await frames.discard()
        await rememberIfUsed()
        await endOutputs()
        do throws(CameraError) { try await controller?.close() } catch { notify(error.message) }
        controller = nil
        // The events of a closed camera end by themselves; the last, such as a recording's late failure, are told too.
        await eventTask?.value
        eventTask = nil
    }

    private func startingConfiguration(of camera: CameraController) async throws(CameraError)
        -> AppliedConfiguration
    {
        let (settings, notify) = (settings, notify)
        let applied = try await abandonable { () async throws(CameraError) in
            let device: CaptureDevice
            if let wanted = settings.device {
                device = try await camera.device(matching: wanted)
            } else {
                device = try await camera.defaultDevice()
                if let notice = try await camera.defaultNotice(for: device) { notify(notice) }
            }
            return try await camera.apply { configuration in
                configuration.device = device.id
                if let preset = settings.preset { configuration.preset = preset }
            }
        }
        if settings.device != nil { await chose(applied.device) }
        return applied
    }

    /// Somebody chose a camera. It is remembered once it gives pictures, for sessions in which nobody chooses.
    func chose(_ device: CaptureDevice) async {
        chosen = device.deviceType.isReal ? device : nil
        await rememberIfUsed()
    }

    private func rememberIfUsed() async {
        guard let chosen, let controller, let lastDevice = settings.lastDevice else { return }
        let status = controller.status
        guard status.state == .running, status.device?.id == chosen.id else { return }
        self.chosen = nil
        do throws(LastDevice.Failure) { try lastDevice.write(chosen.id) } catch { detail(error.description) }
        await controller.setUserPreferredCamera(chosen.id)
    }
}

extension Engine {
    /// Takes a photo and keeps track of it, so that it can be waited for after its command was interrupted.
    func photo(to target: URL?, settings: PhotoSettings) async throws(CameraError) -> CapturedPhoto {
        let camera = try await camera()
        if let target { return try await photo(at: target, by: camera, settings: settings) }
        let folder = try self.settings.photoFolder.made()
        while true {
            let file = folder.appending(path: names.next(), directoryHint: .notDirectory)
            if FileManager.default.fileExists(atPath: file.path) { continue }
            do throws(CameraError) {
                return try await photo(at: file, by: camera, settings: settings)
            } catch  where error.code == .fileExists {
                // Somebody else took the name between the look and the photo; the next one is free or skipped.
                continue
            }
        }
    }

    /// Waits until no photo is being taken any more.
    func waitForPhotos() async throws(CameraError) {
        let tasks = Array(photosUnderWay.values)
        try await abandonable { () async throws(CameraError) in
            for task in tasks { _ = await task.result }
        }
    }

    private func photo(at url: URL, by camera: CameraController, settings: PhotoSettings)
        async throws(CameraError) -> CapturedPhoto
    {
        let number = photosBegun
        photosBegun += 1
        // Starting can wait for a device, and is given up when interrupted. A photo of a running camera takes a moment:
        // it is cancelled before its frame is there, or finished, so that the reply says what became of the file.
        try await abandonable { () async throws(CameraError) in try await camera.preparePhotos() }
        let task = Task { try await camera.capturePhoto(to: url, settings: settings) }
        photosUnderWay[number] = task
        Task {
            _ = await task.result
            photosUnderWay[number] = nil
        }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        do {
            return try result.get()
        } catch let error as CameraError {
            throw error
        } catch {
            throw CameraError(.internal, "a photo failed for an unknown reason: \(error)")
        }
    }
}

extension CameraController {
    /// What to say when nobody chose a camera and `device` is no real one.
    fileprivate func defaultNotice(for device: CaptureDevice) throws(CameraError) -> String? {
        guard !device.deviceType.isReal else { return nil }
        let unusable = try devices().filter { $0.deviceType.isReal }.compactMap(\.problem)
        let reason = unusable.isEmpty ? "no camera found" : unusable.joined(separator: "; ")
        return "\(reason): using \(device.id); choose a camera with --device"
    }
}

extension CameraStatus {
    /// What is in force, as far as the snapshot knows all of it.
    var applied: AppliedConfiguration? {
        guard let device, let format, let crop else { return nil }
        return AppliedConfiguration(
            configuration: configuration, device: device, format: format, zoom: zoom, zoomRange: zoomRange,
            crop: crop)
    }
}

extension Engine {
    /// What completion offers now; empty lists where the camera cannot say.
    func completionNames() async -> Completion.Names {
        guard isPrepared, let controller else { return Completion.Names() }
        var names = Completion.Names()
        let device = controller.status.device
        names.sizes = device.map { Self.inOrder($0.formats.map { "\($0.dimensions)" }) } ?? []
        names.pixelFormats = device.map { Self.inOrder($0.formats.map(\.pixelFormat.rawValue)) } ?? []
        do throws(CameraError) {
            let (devices, outputs) = try await abandonable { () async throws(CameraError) in
                (try await controller.devices(), await controller.outputs())
            }
            names.devices = devices.map(\.id)
            names.availableOutputs = outputs.filter { $0.state != .running }.map(\.name)
            names.attachedOutputs = outputs.filter { $0.state != .available }.map(\.name)
        } catch {
            // The commands say what is wrong with the cameras; completion has nothing to offer then.
        }
        return names
    }

    private static func inOrder(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }
}

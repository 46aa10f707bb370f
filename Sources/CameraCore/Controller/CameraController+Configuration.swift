import GStreamer

extension CameraController {
    // MARK: Devices

    /// The cameras there are, best type first.
    ///
    /// The first call takes as long as the machine's cameras need to say what they can do.
    /// - Parameters:
    ///   - types: only these, in this order of preference; `nil` for all.
    ///   - position: only those at this side.
    public func devices(
        types: [CaptureDevice.DeviceType]? = nil, position: CaptureDevice.Position? = nil
    ) throws(CameraError) -> [CaptureDevice] {
        DeviceQuery.devices(types: types, position: position, in: try catalog.devices(types: types))
    }

    /// The camera that a person means: by id, name, node, or position.
    ///
    /// - Throws: ``CameraError`` with the code `device-not-found`, which names what comes near.
    public func device(matching text: String) throws(CameraError) -> CaptureDevice {
        try catalog.device(matching: text)
    }

    /// What to know of `pipelines/sources`, one sentence each, for people: that it cannot be read, or that a line of a
    /// file's header had no effect. A camera that cannot be used says so itself, in ``CaptureDevice/problem``.
    public func deviceNotices() -> [String] { catalog.notices }

    /// The camera that is used when none was chosen: ``userPreferredCamera``, else the first real one, else `test:bars`.
    ///
    /// - Throws: ``CameraError`` with the code `no-device`.
    public func defaultDevice() throws(CameraError) -> CaptureDevice {
        try DeviceQuery.defaultDevice(
            in: try catalog.devices(types: CaptureDevice.DeviceType.allCases.filter { $0 != .file }),
            preferring: userPreferredCamera)
    }

    /// Says which camera the user likes best; a program that keeps it gives it to ``Options`` the next time.
    public func setUserPreferredCamera(_ id: CaptureDevice.ID?) { userPreferredCamera = id }

    /// Whether this program may use a camera: by the permissions of the device's node or, in a sandbox, by what the
    /// person answered. Never asks and never opens it.
    public nonisolated func authorizationStatus(for device: CaptureDevice) -> AuthorizationStatus {
        catalog.authorizationStatus(for: device)
    }

    /// Asks the person whether this program may use a camera, if they were not asked before: AVFoundation's
    /// `requestAccess`. A camera that is about to be used asks by itself.
    ///
    /// Only the desktop's camera portal can ask, for a program in a sandbox. It comes back when the person has
    /// answered, after two minutes, or when the task is cancelled.
    /// - Returns: whether the camera may be used.
    public nonisolated func requestAccess(for device: CaptureDevice) async -> Bool {
        await catalog.requestAccess(for: device) == .authorized
    }

    /// The presets, and whether the chosen camera can do each.
    public func presets() throws(CameraError) -> [PresetSupport] {
        FormatSelection.presets(on: try recipe(configuration).device)
    }

    // MARK: Changing

    /// Changes the configuration in one step: edits a copy, then applies it.
    ///
    /// AVFoundation's `beginConfiguration … commitConfiguration`, made all or nothing.
    /// - Throws: as ``apply(_:)-(CaptureConfiguration)``.
    @discardableResult
    public func apply(
        _ edit: @escaping @Sendable (inout CaptureConfiguration) -> Void
    ) async throws(CameraError) -> AppliedConfiguration {
        try await inTurn(.change) { camera throws(CameraError) in
            var wanted = camera.configuration
            edit(&wanted)
            return try await camera.reconfigure(wanted)
        }
    }

    /// Makes what runs equal to `wanted`, in the smallest steps. While stopped, it is kept for the start; a camera whose
    /// formats are not known before it runs is started.
    ///
    /// When it returns, the change is in force for every frame and photo that follows. When it throws, what ran before
    /// runs as before.
    /// - Throws: ``CameraError``: `device-not-found`, `permission-denied`, `device-busy`, `device-stalled`,
    ///   `preset-unsupported`, `format-unsupported`, `zoom-out-of-range`, `timeout`, `cancelled`.
    @discardableResult
    public func apply(_ wanted: CaptureConfiguration) async throws(CameraError) -> AppliedConfiguration {
        try await inTurn(.change) { camera throws(CameraError) in try await camera.reconfigure(wanted) }
    }

    /// Switches to another camera. Zoom returns to 1; a preset that it cannot do becomes the nearest, with a notice.
    ///
    /// - Throws: as ``apply(_:)-(CaptureConfiguration)``.
    @discardableResult
    public func selectDevice(_ id: CaptureDevice.ID) async throws(CameraError) -> AppliedConfiguration {
        try await inTurn(.change) { camera throws(CameraError) in
            let device = try camera.catalog.recipe(id).device
            let outcome = DeviceSwitch.carry(camera.configuration, to: device)
            return try await camera.reconfigure(outcome.configuration, notices: outcome.notices)
        }
    }

    /// Chooses a size by name.
    ///
    /// - Throws: as ``apply(_:)-(CaptureConfiguration)``; `preset-unsupported` lists the sizes the camera has.
    @discardableResult
    public func setPreset(_ preset: SessionPreset) async throws(CameraError) -> AppliedConfiguration {
        try await inTurn(.change) { camera throws(CameraError) in
            var wanted = camera.configuration
            wanted.preset = preset
            return try await camera.reconfigureKeepingZoom(wanted)
        }
    }

    /// Chooses a format of the camera's itself; the preset becomes ``SessionPreset/inputPriority``.
    ///
    /// - Throws: as ``apply(_:)-(CaptureConfiguration)``; `format-unsupported` lists what there is.
    @discardableResult
    public func setFormat(_ format: FormatRequest) async throws(CameraError) -> AppliedConfiguration {
        try await inTurn(.change) { camera throws(CameraError) in
            var wanted = camera.configuration
            wanted.format = format
            return try await camera.reconfigureKeepingZoom(wanted)
        }
    }

    /// Zooms, from the next frame on.
    ///
    /// - Parameters:
    ///   - factor: 1 for the whole picture, up to the maximum of ``CameraStatus/zoomRange``.
    ///   - center: the middle of the part to show, from 0 to 1 of the width and the height; `nil` leaves it.
    /// - Throws: ``CameraError`` with the code `zoom-out-of-range`, which names the range, or `missing-plugin` where
    ///   videocrop or videoscale is not installed.
    @discardableResult
    public func setZoom(_ factor: Double, center: NormalizedPoint? = nil) async throws(CameraError)
        -> AppliedConfiguration
    {
        try await inTurn(.change) { camera throws(CameraError) in
            var wanted = camera.configuration
            wanted.zoom = Zoom(factor: factor, center: center ?? wanted.zoom.center)
            return try await camera.reconfigure(wanted)
        }
    }

    // MARK: How

    /// A smaller size can allow less zoom than is in force; then the most it allows is taken.
    private func reconfigureKeepingZoom(
        _ configuration: CaptureConfiguration
    ) async throws(CameraError) -> AppliedConfiguration {
        var wanted = configuration
        let device = try chosenRecipe(wanted, starting: false).device
        var notices: [String] = []
        if let format = try FormatSelection.select(for: wanted, on: device) {
            let range = ZoomRange(for: format.dimensions)
            if wanted.zoom.factor > range.maximum {
                wanted.zoom.factor = range.maximum
                notices.append("zoom is \(range.maximum.plainText), the most at \(format.dimensions)")
            }
        }
        return try await reconfigure(wanted, notices: notices)
    }

    func recipe(_ configuration: CaptureConfiguration) throws(CameraError) -> SourceBranch.Recipe {
        if let id = configuration.device { return try catalog.recipe(id) }
        return try catalog.recipe(try defaultDevice().id)
    }

    /// - Throws: ``CameraError`` with the code `permission-denied`, or `cancelled` while the person is asked.
    private func permit(_ device: CaptureDevice) async throws(CameraError) {
        var status = authorizationStatus(for: device)
        if status == .notDetermined {
            status = await catalog.requestAccess(for: device)
            if Task.isCancelled { throw .changeCancelled }
        }
        if status != .authorized { throw .permissionDenied(device, status) }
    }

    /// Makes what runs equal to `configuration`; to be called in turn.
    ///
    /// - Parameters:
    ///   - starting: whether the camera is to run afterwards in any case.
    ///   - meanwhile: what can be done while a device is started; not called when none is.
    func reconfigure(
        _ configuration: CaptureConfiguration, starting: Bool = false, notices: [String] = [],
        meanwhile: CaptureGraph.Meanwhile = {}
    ) async throws(CameraError) -> AppliedConfiguration {
        try checkOpen()
        var wanted = configuration
        let recipe = try chosenRecipe(wanted, starting: starting)
        wanted.device = recipe.device.id
        if let problem = recipe.problem { throw problem }
        try await permit(recipe.device)
        let format = try FormatSelection.select(for: wanted, on: recipe.device)
        try ZoomRange(for: format?.dimensions ?? .unlimited).validate(wanted.zoom)
        let isNew = self.configuration.device != recipe.device.id
        let notices = notices + (isNew ? recipe.notices : [])
        let isInterrupted = status.state.isInterrupted
        // Who chooses another camera while theirs is interrupted wants to go on with it.
        let replaces = isInterrupted && status.device?.id != recipe.device.id
        if capture.source == nil, !starting, !replaces, let format {
            let applied = AppliedConfiguration(wanted, on: recipe.device, format: format, notices: notices)
            keep(applied)
            return applied
        }
        if isInterrupted, !replaces {
            // A source that has stalled is started anew, with what is asked of it now.
            stopWatchingFrames()
            try await capture.removeSource()
        }
        try await change(to: wanted, recipe, format, meanwhile)
        let applied = try current(wanted, on: recipe.device, notices: notices)
        keep(applied)
        // What became of a camera that has failed since its first frame is told by who looks into it.
        if capture.source?.number != endingSource { enter(.running) }
        return applied
    }

    private func chosenRecipe(
        _ wanted: CaptureConfiguration, starting: Bool
    ) throws(CameraError) -> SourceBranch.Recipe {
        // The camera that runs needs no looking for.
        if let source = capture.source, wanted.device == source.device.id { return source.recipe }
        guard case .interrupted(let reason) = status.state, let lastRecipe,
            wanted.device == lastRecipe.device.id
        else { return try recipe(wanted) }
        // What is asked of a camera that is away waits for it. That it is not listed is no news; why it went is.
        guard !starting || catalog.isListed(lastRecipe.device.id) else { throw reason }
        return starting ? try recipe(wanted) : lastRecipe
    }

    private func keep(_ applied: AppliedConfiguration) {
        board.update { facts in
            facts.configuration = applied.configuration
            facts.applied = applied
        }
        hub.send(.configurationApplied(applied))
    }

    private func current(
        _ wanted: CaptureConfiguration, on device: CaptureDevice, notices: [String]
    ) throws(CameraError) -> AppliedConfiguration {
        guard let frame = capture.frame, var format = ActiveFormat(frame) else {
            throw CameraError(.internal, "\(device.label) runs in a format that cannot be read")
        }
        // The frames that come are decoded ones; the camera's own are not.
        if let own = capture.source?.requested?.pixelFormat, own.isCompressed { format.pixelFormat = own }
        return AppliedConfiguration(wanted, on: device, format: format, notices: notices)
    }

    /// Carries the change out; after a failure what ran before runs again.
    private func change(
        to wanted: CaptureConfiguration, _ recipe: SourceBranch.Recipe, _ format: ActiveFormat?,
        _ meanwhile: CaptureGraph.Meanwhile
    ) async throws(CameraError) {
        let before = planned
        let beforeRecipe = capture.source?.recipe
        let step = ConfigurationPlanner.step(
            from: before, to: PlannedState(device: recipe.device.id, format: format, zoom: wanted.zoom))
        do throws(CameraError) {
            if let step { try await perform(step, recipe, meanwhile) }
        } catch {
            if let before, let beforeRecipe {
                // A change that was given up is undone all the same, unless the camera is to stop.
                let task = Task { await restore(before, beforeRecipe) }
                restoration = task
                await task.value
                restoration = nil
            } else {
                // Nothing ran, so nothing may be left running.
                stopWatchingFrames()
                do throws(CameraError) { try await capture.removeSource() } catch { hub.send(.error(error)) }
            }
            throw error
        }
    }

    /// What runs now, as it was asked for.
    private var planned: PlannedState? {
        capture.source.map { source in
            PlannedState(device: source.device.id, format: source.requested, zoom: configuration.zoom)
        }
    }

    private func perform(
        _ step: ConfigurationPlanner.Step, _ recipe: SourceBranch.Recipe,
        _ meanwhile: CaptureGraph.Meanwhile
    ) async throws(CameraError) {
        switch step {
        case .swapSource(_, let format, let zoom):
            try await swap(to: recipe, format: format, zoom: zoom, meanwhile: meanwhile)
        case .renegotiate(let format, let zoom):
            // The new format may take longer to come than frames may.
            stopWatchingFrames()
            try await capture.renegotiate(format, zoom: zoom)
            // The source is the same, and what ended before has begun anew.
            endingSource = nil
            watchFrames()
        case .setZoom(let zoom):
            try capture.setZoom(zoom)
        }
    }

    private func swap(
        to recipe: SourceBranch.Recipe, format: ActiveFormat?, zoom: Zoom,
        meanwhile: CaptureGraph.Meanwhile = {}
    ) async throws(CameraError) {
        let stuck = try await capture.swap(to: recipe, format: format, zoom: zoom, meanwhile: meanwhile)
        if let stuck { hub.send(.error(stuck)) }
        lastRecipe = recipe
        watchFrames()
    }

    private func restore(
        _ before: PlannedState, _ recipe: SourceBranch.Recipe
    ) async {
        // A camera that is to stop needs no more of its past.
        guard !turns.isEnding else { return }
        do throws(CameraError) {
            if capture.source?.device.id == before.device, capture.source?.requested == before.format {
                if capture.isSourceRunning {
                    try capture.setZoom(before.zoom)
                    return
                }
            }
            try await capture.removeSource()
            try await swap(to: recipe, format: before.format, zoom: before.zoom)
            enter(.running)
        } catch let lost {
            guard !turns.isEnding else { return }
            // Two failures: what was asked for is the caller's error, what was lost is the camera's state.
            interrupt(lost, resumes: true)
        }
    }
}

extension Dimensions {
    /// For a camera whose size is known only once it runs.
    fileprivate static let unlimited = Dimensions(width: .max, height: .max)
}

extension ActiveFormat {
    init?(_ info: VideoInfo) {
        let rate = info.frameRate
        self.init(
            pixelFormat: PixelFormat(rawValue: info.format), width: info.width, height: info.height,
            frameRate: FrameRate(exactly: rate.numerator, over: rate.denominator) ?? .variable)
    }
}

extension AppliedConfiguration {
    init(
        _ configuration: CaptureConfiguration, on device: CaptureDevice, format: ActiveFormat,
        notices: [String]
    ) {
        self.init(
            configuration: configuration, device: device, format: format, zoom: configuration.zoom.factor,
            zoomRange: ZoomRange(for: format.dimensions),
            crop: CropRectangle(configuration.zoom, in: format.dimensions), notices: notices)
    }
}

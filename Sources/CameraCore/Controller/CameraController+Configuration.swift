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
        DeviceQuery.devices(types: types, position: position, in: try catalog.devices())
    }

    /// The camera that a person means: by id, name, node, or position.
    ///
    /// - Throws: ``CameraError`` with the code `device-not-found`, which lists what there is.
    public func device(matching text: String) throws(CameraError) -> CaptureDevice {
        try DeviceQuery.device(matching: text, in: try catalog.devices())
    }

    /// The camera that is used when none was chosen: the first real one, else `test:bars`.
    ///
    /// - Throws: ``CameraError`` with the code `no-device`.
    public func defaultDevice() throws(CameraError) -> CaptureDevice {
        try DeviceQuery.defaultDevice(in: try catalog.devices())
    }

    /// Whether this program may use a camera. Never asks and never opens it.
    public nonisolated func authorizationStatus(for device: CaptureDevice) -> AuthorizationStatus {
        guard let node = device.node else { return .authorized }
        return V4L2Node.isPermitted(node) ? .authorized : .denied
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
        _ edit: @Sendable (inout CaptureConfiguration) -> Void
    ) throws(CameraError) -> AppliedConfiguration {
        var wanted = configuration
        edit(&wanted)
        return try apply(wanted)
    }

    /// Makes what runs equal to `wanted`, in the smallest steps. While stopped, it is kept for the start.
    ///
    /// When it returns, the change is in force for every frame and photo that follows. When it throws, what ran before
    /// runs as before.
    /// - Throws: ``CameraError``: `device-not-found`, `permission-denied`, `device-busy`, `device-stalled`,
    ///   `preset-unsupported`, `format-unsupported`, `zoom-out-of-range`, `timeout`.
    @discardableResult
    public func apply(_ wanted: CaptureConfiguration) throws(CameraError) -> AppliedConfiguration {
        try apply(wanted, starting: false)
    }

    /// Switches to another camera. Zoom returns to 1; a preset that it cannot do becomes the nearest, with a notice.
    ///
    /// - Throws: as ``apply(_:)-(CaptureConfiguration)``.
    @discardableResult
    public func selectDevice(_ id: CaptureDevice.ID) throws(CameraError) -> AppliedConfiguration {
        let device = try catalog.recipe(id).device
        let outcome = DeviceSwitch.carry(configuration, to: device)
        return try apply(outcome.configuration, starting: false, notices: outcome.notices)
    }

    /// Chooses a size by name.
    ///
    /// - Throws: as ``apply(_:)-(CaptureConfiguration)``; `preset-unsupported` lists the sizes the camera has.
    @discardableResult
    public func setPreset(_ preset: SessionPreset) throws(CameraError) -> AppliedConfiguration {
        var wanted = configuration
        wanted.preset = preset
        return try applyKeepingZoom(wanted)
    }

    /// Chooses a format of the camera's itself; the preset becomes ``SessionPreset/inputPriority``.
    ///
    /// - Throws: as ``apply(_:)-(CaptureConfiguration)``; `format-unsupported` lists what there is.
    @discardableResult
    public func setFormat(_ format: FormatRequest) throws(CameraError) -> AppliedConfiguration {
        var wanted = configuration
        wanted.format = format
        return try applyKeepingZoom(wanted)
    }

    /// Zooms, from the next frame on.
    ///
    /// - Parameters:
    ///   - factor: 1 for the whole picture, up to the maximum of ``CameraStatus/zoomRange``.
    ///   - center: the middle of the part to show, from 0 to 1 of the width and the height; `nil` leaves it.
    /// - Throws: ``CameraError`` with the code `zoom-out-of-range`, which names the range.
    @discardableResult
    public func setZoom(_ factor: Double, center: NormalizedPoint? = nil) throws(CameraError)
        -> AppliedConfiguration
    {
        var wanted = configuration
        wanted.zoom = Zoom(factor: factor, center: center ?? wanted.zoom.center)
        return try apply(wanted)
    }

    /// A smaller size can allow less zoom than is in force; then the most it allows is taken.
    private func applyKeepingZoom(_ configuration: CaptureConfiguration) throws(CameraError)
        -> AppliedConfiguration
    {
        var wanted = configuration
        let device = try recipe(wanted).device
        var notices: [String] = []
        if let format = try FormatSelection.select(for: wanted, on: device) {
            let range = ZoomRange(for: format.dimensions)
            if wanted.zoom.factor > range.maximum {
                wanted.zoom.factor = range.maximum
                notices.append("Zoom is \(range.maximum.plainText), the most at \(format.dimensions)")
            }
        }
        return try apply(wanted, starting: false, notices: notices)
    }

    // MARK: How

    func recipe(_ configuration: CaptureConfiguration) throws(CameraError) -> SourceBranch.Recipe {
        if let id = configuration.device { return try catalog.recipe(id) }
        return try catalog.recipe(try defaultDevice().id)
    }

    func apply(
        _ configuration: CaptureConfiguration, starting: Bool, notices: [String] = []
    ) throws(CameraError) -> AppliedConfiguration {
        try checkOpen()
        var wanted = configuration
        let recipe = try chosenRecipe(wanted)
        wanted.device = recipe.device.id
        if let problem = recipe.problem { throw problem }
        if authorizationStatus(for: recipe.device) != .authorized { throw .permissionDenied(recipe.device) }
        let format = try FormatSelection.select(for: wanted, on: recipe.device)
        try ZoomRange(for: format?.dimensions ?? .unlimited).validate(wanted.zoom)
        // Who chooses another camera while theirs is interrupted wants to go on with it.
        let replaces = status.state.isInterrupted && status.device?.id != recipe.device.id
        if capture.source == nil, !starting, !replaces, let format {
            let applied = AppliedConfiguration(wanted, on: recipe.device, format: format, notices: notices)
            keep(applied)
            return applied
        }
        try change(to: wanted, recipe, format)
        let applied = try current(wanted, on: recipe.device, notices: notices)
        keep(applied)
        enter(.running)
        return applied
    }

    private func chosenRecipe(_ wanted: CaptureConfiguration) throws(CameraError) -> SourceBranch.Recipe {
        // The camera that runs needs no looking for.
        if let source = capture.source, wanted.device == source.device.id { return source.recipe }
        return try recipe(wanted)
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

    /// Carries the steps out; after a failure what ran before runs again.
    private func change(
        to wanted: CaptureConfiguration, _ recipe: SourceBranch.Recipe, _ format: ActiveFormat?
    ) throws(CameraError) {
        let before = planned
        let beforeRecipe = capture.source?.recipe
        let crop = capture.crop
        let steps = ConfigurationPlanner.steps(
            from: before, to: PlannedState(device: recipe.device.id, format: format, zoom: wanted.zoom))
        do throws(CameraError) {
            for step in steps { try perform(step, recipe) }
        } catch {
            if let before, let beforeRecipe { restore(before, beforeRecipe, crop, after: error) }
            throw error
        }
    }

    /// What runs now, as it was asked for.
    private var planned: PlannedState? {
        capture.source.map { source in
            PlannedState(device: source.device.id, format: source.requested, zoom: configuration.zoom)
        }
    }

    private func perform(_ step: ConfigurationPlanner.Step, _ recipe: SourceBranch.Recipe) throws(CameraError)
    {
        switch step {
        case .swapSource(_, let format):
            try swap(to: recipe, format: format)
        case .renegotiate(let format):
            try capture.renegotiate(format, onEnd: endHandler())
        case .setZoom(let zoom):
            guard let frame = capture.frame else { return }
            let size = Dimensions(width: frame.width, height: frame.height)
            try ZoomRange(for: size).validate(zoom)
            try capture.setCrop(CropRectangle(zoom, in: size))
        }
    }

    private func swap(to recipe: SourceBranch.Recipe, format: ActiveFormat?) throws(CameraError) {
        let stuck = try capture.swap(to: recipe, format: format, onEnd: endHandler())
        if let stuck { hub.send(.error(stuck)) }
    }

    private func endHandler() -> @Sendable (CameraError) -> Void {
        generation += 1
        let generation = generation
        return { [weak self] error in
            Task { await self?.sourceEnded(error, generation: generation) }
        }
    }

    private func restore(
        _ before: PlannedState, _ recipe: SourceBranch.Recipe, _ crop: CropRectangle?,
        after error: CameraError
    ) {
        do throws(CameraError) {
            if capture.source?.device.id == before.device, capture.source?.requested == before.format {
                if capture.isSourceRunning {
                    if let crop { try capture.setCrop(crop) }
                    return
                }
            }
            try capture.removeSource()
            try swap(to: recipe, format: before.format)
            if let crop { try capture.setCrop(crop) }
            enter(.running)
        } catch let lost {
            // Two failures: what was asked for is the caller's error, what was lost is the camera's state.
            enter(.interrupted(lost))
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

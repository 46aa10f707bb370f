/// Chooses the format that a camera is to run in. Pure: it looks at what the camera offers and touches nothing.
enum FormatSelection {
    /// The rate that is sought when none is asked for.
    static let defaultFrameRate = FrameRate(30)

    /// What ``SessionPreset/high`` settles for, one after the other, when no size reaches the rate before. The
    /// steps keep a camera of 20 frames per second at full size from being run at thumbnail size for the sake
    /// of 22.
    static let rateFloors = [24, 15, 10, 5].map { FrameRate($0) }

    /// Chooses the format for a preset or, under ``SessionPreset/inputPriority``, for an explicit request.
    ///
    /// - Parameters:
    ///   - preset: The preset.
    ///   - request: The explicit format, heeded under ``SessionPreset/inputPriority`` only.
    ///   - frameRate: The rate that must be reached; the rate of the request goes before it. `nil` seeks 30
    ///     frames per second and takes the nearest there is.
    ///   - device: The camera.
    /// - Returns: The format, or `nil` when the camera tells its formats only once it runs: then it is to run
    ///   in whatever it gives.
    /// - Throws: ``CameraError/Code/presetUnsupported`` or ``CameraError/Code/formatUnsupported``, with what
    ///   the camera has instead.
    static func select(
        for preset: SessionPreset,
        format request: FormatRequest? = nil,
        frameRate: FrameRate? = nil,
        on device: CaptureDevice
    ) throws(CameraError) -> ActiveFormat? {
        let request = preset == .inputPriority ? request : nil
        let required = request?.frameRate ?? frameRate
        if device.formats.isEmpty {
            try refuseForUnknownFormats(preset: preset, request: request, rate: required, device: device)
            return nil
        }
        let usable = device.usableFormats
        guard !usable.isEmpty else { throw .nothingUsable(on: device) }

        if let request {
            let matching = try formats(matching: request, in: usable, device: device)
            return best(of: try formats(reaching: required, in: matching, device: device), rate: required)
        }
        if let size = preset.fixedSize {
            let exact = usable.filter { $0.dimensions == size }
            guard !exact.isEmpty else { throw .presetUnsupported(preset, on: device) }
            return best(of: try formats(reaching: required, in: exact, device: device), rate: required)
        }
        let candidates = try formats(reaching: required, in: usable, device: device)
        let size = adaptiveSize(for: preset, in: candidates, rateIsGiven: required != nil)
        return best(of: candidates.filter { $0.dimensions == size }, rate: required)
    }

    /// Chooses the format for a configuration.
    static func select(
        for configuration: CaptureConfiguration,
        on device: CaptureDevice
    ) throws(CameraError) -> ActiveFormat? {
        try select(
            for: configuration.preset,
            format: configuration.format,
            frameRate: configuration.frameRate,
            on: device)
    }

    /// What each preset comes to on a camera, in the order of ``SessionPreset/allCases``.
    ///
    /// ``SessionPreset/inputPriority`` has no size of its own.
    static func presets(on device: CaptureDevice) -> [PresetSupport] {
        SessionPreset.allCases.map { preset in
            do throws(CameraError) {
                let format = try select(for: preset, on: device)
                let size = preset == .inputPriority ? nil : format?.dimensions
                return PresetSupport(preset: preset, dimensions: size, isSupported: true)
            } catch {
                return PresetSupport(preset: preset, dimensions: preset.fixedSize, isSupported: false)
            }
        }
    }

    /// The preset to take on a camera that may not be able to do `preset`.
    ///
    /// That is the preset itself if the camera can do it, else the one that
    /// ``nearestPreset(toSize:frameRate:on:)`` gives for its size.
    static func nearestPreset(
        to preset: SessionPreset,
        frameRate: FrameRate? = nil,
        on device: CaptureDevice
    ) -> SessionPreset {
        guard let size = preset.fixedSize, !isSupported(preset, frameRate: frameRate, on: device) else {
            return preset
        }
        return nearestPreset(toSize: size, frameRate: frameRate, on: device)
    }

    /// The fixed preset of a camera that is nearest to a size, the larger of two that are equally near; a camera
    /// without any gets ``SessionPreset/high``.
    static func nearestPreset(
        toSize size: Dimensions,
        frameRate: FrameRate? = nil,
        on device: CaptureDevice
    ) -> SessionPreset {
        let possible = SessionPreset.allCases.filter { isSupported($0, frameRate: frameRate, on: device) }
        let sized = possible.compactMap { preset in preset.fixedSize.map { (preset: preset, size: $0) } }
        let nearest = sized.min { left, right in
            (left.size.squaredDistance(to: size), -left.size.area)
                < (right.size.squaredDistance(to: size), -right.size.area)
        }
        return nearest?.preset ?? .high
    }

    private static func isSupported(_ preset: SessionPreset, frameRate: FrameRate?, on device: CaptureDevice)
        -> Bool
    {
        canSelect(for: CaptureConfiguration(preset: preset, frameRate: frameRate), on: device)
    }

    /// Whether a choice for the configuration succeeds.
    static func canSelect(for configuration: CaptureConfiguration, on device: CaptureDevice) -> Bool {
        do throws(CameraError) {
            _ = try select(for: configuration, on: device)
            return true
        } catch {
            return false
        }
    }
}

// The parts of a choice.
extension FormatSelection {
    private static func refuseForUnknownFormats(
        preset: SessionPreset,
        request: FormatRequest?,
        rate: FrameRate?,
        device: CaptureDevice
    ) throws(CameraError) {
        if let request {
            throw .unknownFormats(refusing: "format \(request)", .formatUnsupported, on: device)
        }
        if preset.fixedSize != nil {
            throw .unknownFormats(refusing: "preset \(preset.rawValue)", .presetUnsupported, on: device)
        }
        if let rate { throw .unknownFormats(refusing: "\(rate) fps", .formatUnsupported, on: device) }
    }

    private static func formats(
        matching request: FormatRequest,
        in usable: [CaptureDevice.Format],
        device: CaptureDevice
    ) throws(CameraError) -> [CaptureDevice.Format] {
        let sized = usable.filter { $0.dimensions == request.dimensions }
        guard !sized.isEmpty else { throw .sizeUnsupported(request, on: device) }
        guard let pixelFormat = request.pixelFormat else { return sized }
        let matching = sized.filter { $0.pixelFormat == pixelFormat }
        guard !matching.isEmpty else { throw .pixelFormatUnsupported(request, offering: sized, on: device) }
        return matching
    }

    private static func formats(
        reaching rate: FrameRate?,
        in formats: [CaptureDevice.Format],
        device: CaptureDevice
    ) throws(CameraError) -> [CaptureDevice.Format] {
        guard let rate else { return formats }
        let reaching = formats.filter { $0.reaches(exactly: rate) }
        guard !reaching.isEmpty else { throw .rateUnsupported(rate, offering: formats, on: device) }
        return reaching
    }

    /// The best of some formats of one size; among equals, the one that the camera lists first.
    private static func best(of formats: [CaptureDevice.Format], rate: FrameRate?) -> ActiveFormat? {
        let wanted = rate ?? defaultFrameRate
        let best = formats.min { left, right in
            FormatScore(left, size: left.dimensions, rate: wanted)
                < FormatScore(right, size: right.dimensions, rate: wanted)
        }
        guard let best else { return nil }
        return ActiveFormat(
            pixelFormat: best.pixelFormat,
            width: best.width,
            height: best.height,
            // Without rates to choose from, only a rate that was asked for can be put to the camera.
            frameRate: best.rate(nearestTo: wanted) ?? rate ?? .variable)
    }

    private static func adaptiveSize(
        for preset: SessionPreset,
        in formats: [CaptureDevice.Format],
        rateIsGiven: Bool
    ) -> Dimensions? {
        switch preset {
        case .photo: largest(of: formats)
        case .medium: nearest(to: Dimensions(width: 480, height: 360), of: formats)
        case .low: nearest(to: Dimensions(width: 192, height: 144), of: formats)
        default: high(of: formats, rateIsGiven: rateIsGiven)
        }
    }

    /// The largest size up to 1920×1080 that reaches 24 frames per second or, failing that, the next of
    /// ``rateFloors``; below all of them the fastest size, the largest of those. A camera that has nothing up to
    /// 1920×1080 gets its smallest size. A rate that was asked for takes the place of the floors.
    private static func high(of formats: [CaptureDevice.Format], rateIsGiven: Bool) -> Dimensions? {
        let fitting = formats.filter { $0.width <= 1920 && $0.height <= 1080 }
        guard !fitting.isEmpty else { return formats.map(\.dimensions).min { $0.area < $1.area } }
        if rateIsGiven { return largest(of: fitting) }
        for floor in rateFloors {
            if let size = largest(of: fitting.filter { $0.reaches(atLeast: floor) }) { return size }
        }
        let fastest = fitting.compactMap(\.maximumFrameRate).max()
        return largest(of: fitting.filter { $0.maximumFrameRate == fastest })
    }

    private static func largest(of formats: [CaptureDevice.Format]) -> Dimensions? {
        formats.map(\.dimensions).max { ($0.area, $0.width) < ($1.area, $1.width) }
    }

    private static func nearest(to size: Dimensions, of formats: [CaptureDevice.Format]) -> Dimensions? {
        formats.map(\.dimensions).min { left, right in
            // The larger of two equally near sizes, hence the negated area.
            (left.squaredDistance(to: size), -left.area) < (right.squaredDistance(to: size), -right.area)
        }
    }
}

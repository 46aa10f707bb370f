/// Carries a configuration over to another camera, which may be able to do less.
enum DeviceSwitch {
    /// A configuration that was carried over, and what had to be given up for it.
    struct Outcome: Equatable, Sendable {
        let configuration: CaptureConfiguration
        let notices: [String]
    }

    /// The configuration for `device` that keeps as much of `configuration` as the camera can do.
    ///
    /// The zoom returns to the full frame. If the rest is not possible, the pixel format is given up first,
    /// then the frame rate, and last the size, for that of the nearest preset. If even that fails, the camera
    /// can do nothing; then the configuration comes back as it was and ``FormatSelection`` says why.
    static func carry(_ configuration: CaptureConfiguration, to device: CaptureDevice) -> Outcome {
        var wanted = configuration
        wanted.device = device.id
        wanted.zoom = Zoom()
        // What may be given up takes looking for, and mostly nothing has to be.
        guard !FormatSelection.canSelect(for: wanted, on: device),
            let taken = concessions(from: wanted, on: device).first(where: {
                FormatSelection.canSelect(for: $0, on: device)
            })
        else { return Outcome(configuration: wanted, notices: []) }
        let notice = "\(wanted.formatWish) is not possible on \(device.label); using \(taken.formatWish)"
        return Outcome(configuration: taken, notices: [notice])
    }

    private static func concessions(
        from wanted: CaptureConfiguration,
        on device: CaptureDevice
    ) -> [CaptureConfiguration] {
        var anyPixelFormat = wanted
        anyPixelFormat.format?.pixelFormat = nil
        var anyRate = anyPixelFormat
        anyRate.format?.frameRate = nil
        anyRate.frameRate = nil
        let rate = wanted.requiredFrameRate
        var nearest = CaptureConfiguration(device: device.id, preset: wanted.preset, frameRate: rate)
        guard let size = wanted.format?.dimensions ?? wanted.preset.fixedSize else {
            return [anyPixelFormat, anyRate]
        }
        nearest.preset = FormatSelection.nearestPreset(toSize: size, frameRate: rate, on: device)
        var nearestAtAnyRate = nearest
        nearestAtAnyRate.frameRate = nil
        nearestAtAnyRate.preset = FormatSelection.nearestPreset(toSize: size, on: device)
        return [anyPixelFormat, anyRate, nearest, nearestAtAnyRate]
    }
}

extension CaptureConfiguration {
    /// The part of the configuration that a camera may lack, as messages name it.
    fileprivate var formatWish: String {
        let wish = format.map { "format \($0)" } ?? "preset \(preset.rawValue)"
        guard let frameRate, format?.frameRate == nil else { return wish }
        return "\(wish) at \(frameRate) fps"
    }
}

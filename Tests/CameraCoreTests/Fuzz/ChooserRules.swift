@testable import CameraCore

/// What a right answer of the chooser is, told a second time and in another way: by what holds of it and not by how it
/// is found.
struct ChooserRules {
    private let device: CaptureDevice
    private let preset: SessionPreset
    private let request: FormatRequest?
    private let rate: FrameRate?
    private let usable: [CaptureDevice.Format]
    private static let pixelFormats = Set(PixelFormat.croppable + [.mjpeg])

    init(_ wish: CaptureConfiguration, on device: CaptureDevice) {
        self.device = device
        preset = wish.preset
        request = wish.preset == .inputPriority ? wish.format : nil
        rate = request?.frameRate ?? wish.frameRate
        usable = device.formats.filter {
            $0.width > 0 && $0.height > 0 && Self.pixelFormats.contains($0.pixelFormat)
        }
    }

    /// What is wrong with an answer; `nil` when nothing is.
    func objection(to answer: Result<ActiveFormat?, CameraError>) -> String? {
        switch (expected, answer) {
        case (.code(let code), .failure(let error)):
            return error.code == code ? nil : "the error is \(error), expected was \(code)"
        case (.code(let code), .success(let format)):
            return "\(String(describing: format)) was chosen, expected was \(code)"
        case (_, .failure(let error)): return "refused: \(error)"
        case (.unknown, .success(let format)):
            return format == nil ? nil : "\(String(describing: format)) was chosen of nothing"
        case (.oneOf(let candidates), .success(let format)):
            guard let format else { return "nothing was chosen of \(candidates)" }
            return objection(to: format, of: candidates)
        }
    }

    private enum Expected {
        case code(CameraError.Code)
        case unknown
        case oneOf([CaptureDevice.Format])
    }

    private var expected: Expected {
        let lacksSize = Expected.code(preset.fixedSize == nil ? .formatUnsupported : .presetUnsupported)
        if device.formats.isEmpty {
            return request == nil && preset.fixedSize == nil && rate == nil ? .unknown : lacksSize
        }
        guard !usable.isEmpty else { return .code(.formatUnsupported) }
        var candidates = usable
        if let size = request?.dimensions ?? preset.fixedSize {
            candidates = candidates.filter { $0.dimensions == size }
        }
        if let pixelFormat = request?.pixelFormat {
            candidates = candidates.filter { $0.pixelFormat == pixelFormat }
        }
        guard !candidates.isEmpty else { return lacksSize }
        if let rate {
            candidates = candidates.filter { format in
                format.frameRates.isEmpty
                    || format.frameRates.contains { Self.nearest(to: rate, in: $0).isEquivalent(to: rate) }
            }
        }
        return candidates.isEmpty ? .code(.formatUnsupported) : .oneOf(candidates)
    }

    private static func nearest(to rate: FrameRate, in range: CaptureDevice.FrameRateRange) -> FrameRate {
        if rate < range.minimum { return range.minimum }
        return range.maximum < rate ? range.maximum : rate
    }

    private func objection(to chosen: ActiveFormat, of candidates: [CaptureDevice.Format]) -> String? {
        let isOffered = candidates.contains { format in
            guard format.pixelFormat == chosen.pixelFormat, format.dimensions == chosen.dimensions else {
                return false
            }
            if format.frameRates.isEmpty { return chosen.frameRate == rate ?? .variable }
            return format.frameRates.contains { range in
                !(chosen.frameRate < range.minimum) && !(range.maximum < chosen.frameRate)
            }
        }
        guard isOffered else { return "the camera does not have \(chosen) at \(chosen.frameRate.fraction)" }
        if let objection = objection(toSize: chosen.dimensions, of: candidates) { return objection }
        let wanted = rate ?? FrameRate(30)
        let cost = Cost(of: chosen.frameRate, for: wanted, chosen.pixelFormat)
        for other in candidates where other.dimensions == chosen.dimensions {
            var rates =
                other.frameRates.isEmpty
                ? [wanted] : other.frameRates.map { Self.nearest(to: wanted, in: $0) }
            // A rate that is told goes before one that may be anything.
            if !wanted.isVariable, rates.contains(where: { !$0.isVariable }) {
                rates.removeAll(where: \.isVariable)
            }
            let nearest = rates.map { Cost(of: $0, for: wanted, other.pixelFormat) }.min { $0 < $1 }
            if let nearest, nearest < cost, !isUntold(chosen, candidates) {
                return "\(chosen) was chosen, \(other) is better"
            }
        }
        return nil
    }

    /// Whether the rate is left open because the camera tells none.
    private func isUntold(_ chosen: ActiveFormat, _ candidates: [CaptureDevice.Format]) -> Bool {
        chosen.frameRate.isVariable
            && candidates.contains {
                $0.pixelFormat == chosen.pixelFormat && $0.dimensions == chosen.dimensions
                    && $0.frameRates.isEmpty
            }
    }

    /// The rate first, then colour, then no decoder.
    private struct Cost: Comparable {
        let missed: Double
        let isGray: Bool
        let isCompressed: Bool

        init(of reached: FrameRate, for wanted: FrameRate, _ pixelFormat: PixelFormat) {
            let difference = abs(reached.framesPerSecond - wanted.framesPerSecond)
            missed = reached.isVariable || reached.isEquivalent(to: wanted) ? 0 : difference
            isGray = pixelFormat.rawValue.hasPrefix("GRAY")
            isCompressed = pixelFormat == .mjpeg
        }

        static func < (left: Cost, right: Cost) -> Bool {
            if left.missed != right.missed { return left.missed < right.missed }
            if left.isGray != right.isGray { return right.isGray }
            return !left.isCompressed && right.isCompressed
        }
    }

    private func objection(toSize size: Dimensions, of candidates: [CaptureDevice.Format]) -> String? {
        let area = Double(size.width) * Double(size.height)
        func areas(_ formats: [CaptureDevice.Format]) -> [Double] {
            formats.map { Double($0.width) * Double($0.height) }
        }
        switch preset {
        case .photo:
            return areas(candidates).contains { $0 > area } ? "\(size) is not the largest" : nil
        case .high:
            let fitting = candidates.filter { $0.width <= 1920 && $0.height <= 1080 }
            if fitting.isEmpty {
                return areas(candidates).contains { $0 < area } ? "\(size) is not the smallest" : nil
            }
            if size.width > 1920 || size.height > 1080 { return "\(size) is too large for high" }
            let fast = fitting.filter { format in
                rate != nil || format.frameRates.isEmpty
                    || format.frameRates.contains { !($0.maximum < FrameRate(24)) }
            }
            return areas(fast).contains { $0 > area } ? "\(size) is not the largest for high" : nil
        default: return nil
        }
    }
}

extension ChooserRules {
    /// What is wrong with a crop in a frame; `nil` when nothing is.
    static func objection(to crop: CropRectangle, in frame: Dimensions) -> String? {
        let sides = [
            (crop.x, crop.width, crop.right(in: frame), frame.width),
            (crop.y, crop.height, crop.bottom(in: frame), frame.height),
        ]
        for (start, length, end, whole) in sides {
            let isInside = start >= 0 && end >= 0 && length >= min(whole, CropRectangle.smallestSide)
            guard isInside, start % 2 == 0, end % 2 == 0 else { return "\(crop) does not fit \(frame)" }
        }
        return nil
    }

    /// What is wrong with a planned step; `nil` when carrying it out gives what is wanted.
    static func objection(
        to step: ConfigurationPlanner.Step?, from current: PlannedState?, to wanted: PlannedState
    ) -> String? {
        let plan = step.map { "\($0)" } ?? "nothing"
        var state = current
        switch step {
        case .swapSource(let device, let format, let zoom):
            state = PlannedState(device: device, format: format, zoom: zoom)
        case .renegotiate(let format, let zoom):
            guard let now = state else { return "renegotiates nothing: \(plan)" }
            if now.format?.pixelFormat.isCompressed != format.pixelFormat.isCompressed {
                return "a decoder appears from nowhere: \(plan)"
            }
            state = PlannedState(device: now.device, format: format, zoom: zoom)
        case .setZoom(let zoom): state?.zoom = zoom
        case nil: break
        }
        guard let state, state.device == wanted.device, state.format == wanted.format else {
            return "\(plan) ends at \(String(describing: state)), wanted was \(wanted)"
        }
        guard let size = wanted.format?.dimensions else { return nil }
        let (shown, meant) = (CropRectangle(state.zoom, in: size), CropRectangle(wanted.zoom, in: size))
        return shown == meant ? nil : "\(plan) shows \(shown), wanted was \(meant)"
    }
}

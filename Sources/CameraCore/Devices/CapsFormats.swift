import GStreamer

/// Reads what caps offer as the formats of a camera.
enum CapsFormats {
    /// The formats in order, without repeats. Memory other than the system's is left out: the graph does not take it.
    ///
    /// - Parameter sizes: the sizes that a range of sizes stands for, as far as they are inside.
    static func formats(_ caps: Caps, sizes: [Dimensions] = SessionPreset.fixedSizes) -> [CaptureDevice
        .Format]
    {
        guard !caps.isAny else { return [] }
        var rates: [Key: [CaptureDevice.FrameRateRange]] = [:]
        var order: [Key] = []
        for structure in caps.structures where structure.allowsSystemMemory {
            for pixelFormat in pixelFormats(structure) {
                for size in dimensions(structure, sizes) {
                    let key = Key(pixelFormat: pixelFormat, size: size)
                    if rates[key] == nil { order.append(key) }
                    rates[key, default: []] += frameRates(structure.fields["framerate"])
                }
            }
        }
        return order.map { key in
            CaptureDevice.Format(
                pixelFormat: key.pixelFormat, width: key.size.width, height: key.size.height,
                frameRates: (rates[key] ?? []).withoutRepeats)
        }
    }

    private struct Key: Hashable {
        let pixelFormat: PixelFormat
        let size: Dimensions
    }

    private static func pixelFormats(_ structure: Caps.Structure) -> [PixelFormat] {
        switch structure.name {
        case "image/jpeg": [.mjpeg]
        case "video/x-raw": strings(structure.fields["format"]).map { PixelFormat(rawValue: $0) }
        default: []
        }
    }

    private static func dimensions(_ structure: Caps.Structure, _ sizes: [Dimensions]) -> [Dimensions] {
        let (width, height) = (structure.fields["width"], structure.fields["height"])
        let (widths, heights) = (integers(width), integers(height))
        if widths.count == 1 || heights.count == 1 || widths.count == heights.count, !widths.isEmpty,
            !heights.isEmpty
        {
            return widths.flatMap { width in heights.map { Dimensions(width: width, height: $0) } }
        }
        return sizes.filter { contains(width, $0.width) && contains(height, $0.height) }.withoutRepeats
    }

    private static func strings(_ value: Value?) -> [String] {
        switch value {
        case .string(let text): [text]
        case .list(let values): values.flatMap { strings($0) }
        default: []
        }
    }

    private static func integers(_ value: Value?) -> [Int] {
        switch value {
        case .int(let number): [number]
        case .list(let values): values.flatMap { integers($0) }
        default: []
        }
    }

    private static func contains(_ value: Value?, _ number: Int) -> Bool {
        switch value {
        case nil: true
        case .int(let only): only == number
        case .intRange(let low, let high): low <= number && number <= high
        case .list(let values): values.contains { contains($0, number) }
        default: false
        }
    }

    private static func frameRates(_ value: Value?) -> [CaptureDevice.FrameRateRange] {
        switch value {
        case .fraction(let numerator, let denominator):
            guard let rate = FrameRate(exactly: numerator, over: denominator) else { return [] }
            return [CaptureDevice.FrameRateRange(minimum: rate, maximum: rate)]
        case .fractionRange(let minimum, let maximum):
            // A maximum of G_MAXINT says "any"; nobody films faster than this.
            guard let low = FrameRate(exactly: minimum.numerator, over: minimum.denominator),
                let high = FrameRate(exactly: maximum.numerator, over: maximum.denominator)
            else { return [] }
            return [CaptureDevice.FrameRateRange(minimum: low, maximum: max(low, min(high, FrameRate(1000))))]
        case .list(let values): return values.flatMap { frameRates($0) }
        default: return []
        }
    }
}

extension SessionPreset {
    /// The sizes of the presets that have one, without repeats.
    static var fixedSizes: [Dimensions] { allCases.compactMap(\.fixedSize).withoutRepeats }
}

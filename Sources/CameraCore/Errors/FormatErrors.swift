// What is said when a camera cannot do what was asked. Each message ends with what it can do.
extension CameraError {
    static func presetUnsupported(_ preset: SessionPreset, on device: CaptureDevice) -> CameraError {
        CameraError(
            .presetUnsupported,
            "preset \(preset.rawValue) is not possible on \(device.label); "
                + "it has \(device.sizeList); choose one of these sizes, or the preset high")
    }

    static func sizeUnsupported(_ request: FormatRequest, on device: CaptureDevice) -> CameraError {
        CameraError(
            .formatUnsupported,
            "format \(request) is not possible on \(device.label); choose one of its sizes: \(device.sizeList)"
        )
    }

    static func pixelFormatUnsupported(
        _ request: FormatRequest,
        offering formats: [CaptureDevice.Format],
        on device: CaptureDevice
    ) -> CameraError {
        let names = formats.map(\.pixelFormat.rawValue).withoutRepeats.joined(separator: ", ")
        return CameraError(
            .formatUnsupported,
            "format \(request) is not possible on \(device.label); at \(request.dimensions) choose one of \(names)"
        )
    }

    static func rateUnsupported(
        _ rate: FrameRate,
        offering formats: [CaptureDevice.Format],
        on device: CaptureDevice
    ) -> CameraError {
        let ranges = formats.flatMap(\.frameRates).sorted {
            ($0.maximum, $0.minimum) < ($1.maximum, $1.minimum)
        }
        let rates = ranges.map(\.description).withoutRepeats.joined(separator: ", ")
        let sizes = formats.map(\.dimensions.description).withoutRepeats
        let place = sizes.count == 1 ? " at \(sizes[0])" : ""
        return CameraError(
            .formatUnsupported,
            "\(rate) fps is not possible on \(device.label)\(place); choose one of its rates: \(rates) fps")
    }

    static func nothingUsable(on device: CaptureDevice) -> CameraError {
        let names = device.formats.map(\.pixelFormat.rawValue).withoutRepeats.joined(separator: ", ")
        return CameraError(
            .formatUnsupported,
            "\(device.label) delivers only \(names), which cannot be cropped; choose another camera")
    }

    static func unknownFormats(refusing wish: String, _ code: Code, on device: CaptureDevice) -> CameraError {
        CameraError(
            code,
            "\(wish) is not possible on \(device.label): what it delivers is known only when it runs; "
                + "choose the preset high, or end its description in caps")
    }
}

extension CaptureDevice {
    /// The camera as messages name it.
    var label: String { "\(name) (\(id))" }

    /// The formats that can pass through the graph.
    var usableFormats: [Format] {
        formats.filter { $0.pixelFormat.isUsable && $0.width > 0 && $0.height > 0 }
    }

    /// The usable sizes for a message, the largest first.
    var sizeList: String {
        let sizes = usableFormats.map(\.dimensions).withoutRepeats.sorted {
            ($0.area, $0.width) > ($1.area, $1.width)
        }
        return sizes.map(\.description).joined(separator: ", ")
    }
}

extension Array where Element: Equatable {
    /// The elements without those that came before, in order; for lists of some dozens.
    var withoutRepeats: [Element] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

import CameraCore

// How the values of CameraCore look in replies: `json` for programs, `text` for people.

extension CaptureDevice {
    /// - Parameter isDefault: Whether this is the camera that is taken when nobody chooses.
    func json(isDefault: Bool) -> JSONValue {
        var object: [String: JSONValue] = [
            "id": .string(id),
            "name": .string(name),
            "position": .string(position.rawValue),
            "type": .string(deviceType.rawValue),
            "spectrum": .string(spectrum.rawValue),
            "provider": .string(provider),
            "formats": .array(formats.map(\.json)),
            "default": .bool(isDefault),
        ]
        if let node { object["node"] = .string(node) }
        if let problem { object["problem"] = .string(problem) }
        return .object(object)
    }

    /// Everything about the camera, one fact a line.
    var text: String {
        var table = TextTable()
        table.add("id", id)
        table.add("name", name)
        table.add("position", position.rawValue)
        if spectrum != .color { table.add("spectrum", spectrum.rawValue) }
        table.add("provider", node.map { "\(provider), \($0)" } ?? provider)
        if let problem { table.add("problem", problem) }
        var label = "formats"
        for line in formatLines {
            table.add(label, line)
            label = ""
        }
        return table.text
    }

    /// One line for each size and set of rates, with the pixel formats that share them.
    private var formatLines: [String] {
        struct Key: Hashable {
            let size: Dimensions
            let rates: [FrameRateRange]
        }
        var order: [Key] = []
        var names: [Key: [String]] = [:]
        for format in formats {
            let key = Key(size: format.dimensions, rates: format.frameRates)
            if names[key] == nil { order.append(key) }
            names[key, default: []].append("\(format.pixelFormat)")
        }
        return order.map { key in
            let rates = key.rates.map(\.description).joined(separator: ", ")
            let formats = (names[key] ?? []).joined(separator: " ")
            return rates.isEmpty ? "\(key.size) \(formats)" : "\(key.size) at \(rates) fps: \(formats)"
        }
    }

    /// The largest size, for a list where there is no room for all; a camera that sees no colours is marked.
    var summary: String {
        guard problem == nil else { return "unusable" }
        func area(_ size: Dimensions) -> Double { Double(size.width) * Double(size.height) }
        let largest = formats.map(\.dimensions).max { area($0) < area($1) }
        let size = largest.map { "up to \($0)" } ?? "formats not known yet"
        return spectrum == .color ? size : "\(size), \(spectrum.rawValue)"
    }
}

extension CaptureDevice.Format {
    var json: JSONValue {
        [
            "format": .string(pixelFormat.rawValue),
            "width": .integer(width),
            "height": .integer(height),
            "framerates": .array(frameRates.map { .string($0.fractions) }),
        ]
    }
}

extension CaptureDevice.FrameRateRange {
    /// `30/1` for a single rate, `1/1-60/1` for a range.
    var fractions: String {
        isSingle ? minimum.fraction : "\(minimum.fraction)-\(maximum.fraction)"
    }
}

extension PresetSupport {
    var json: JSONValue {
        var object: [String: JSONValue] = ["name": .string(preset.rawValue), "supported": .bool(isSupported)]
        if let dimensions {
            object["width"] = .integer(dimensions.width)
            object["height"] = .integer(dimensions.height)
        }
        return .object(object)
    }
}

extension AppliedConfiguration {
    /// Preset and format as negotiated.
    var formatReply: Reply {
        var table = TextTable()
        table.add("preset", configuration.preset.rawValue)
        table.add("format", format.pixelFormat.rawValue)
        table.add("size", "\(format.dimensions)")
        table.add("framerate", "\(format.frameRate)")
        let data: JSONValue = [
            "preset": .string(configuration.preset.rawValue),
            "format": .string(format.pixelFormat.rawValue),
            "width": .integer(format.width),
            "height": .integer(format.height),
            "framerate": .string(format.frameRate.fraction),
        ]
        return Reply(data: data, text: table.text, notices: notices)
    }

    var zoomReply: Reply {
        var table = TextTable()
        let range = "\(zoomRange.minimum.plainText(places: 3)) to \(zoomRange.maximum.plainText(places: 3))"
        table.add("zoom", "\(zoom.plainText(places: 6)) (\(range))")
        table.add("crop", "\(crop)")
        let data: JSONValue = [
            "zoom": .number(zoom),
            "minimum": .number(zoomRange.minimum),
            "maximum": .number(zoomRange.maximum),
            "crop": crop.json,
        ]
        return Reply(data: data, text: table.text, notices: notices)
    }
}

extension CropRectangle {
    var json: JSONValue {
        ["x": .integer(x), "y": .integer(y), "width": .integer(width), "height": .integer(height)]
    }
}

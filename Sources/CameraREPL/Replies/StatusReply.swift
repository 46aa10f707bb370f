import CameraCore

extension CameraStatus {
    var reply: Reply { Reply(data: json, text: text) }

    /// Every key is always there; what is not known is `null`.
    var json: JSONValue {
        var object: [String: JSONValue] = [
            "state": .string(state.description),
            "device": .optional(device?.id),
            "preset": .string(configuration.preset.rawValue),
            "format": .optional(format?.pixelFormat.rawValue),
            "width": format.map { .integer($0.width) } ?? .null,
            "height": format.map { .integer($0.height) } ?? .null,
            "framerate": .optional(format?.frameRate.fraction),
            "measured_framerate": .number(Self.rounded(measuredFrameRate)),
            "zoom": .number(zoom),
            "zoom_minimum": .number(zoomRange.minimum),
            "zoom_maximum": .number(zoomRange.maximum),
            "crop": crop?.json ?? .null,
            "frames": [
                "delivered": .integer(delivered),
                "damaged": .integer(damaged),
                "dropped": [
                    "late": .integer(dropped.late),
                    "out_of_buffers": .integer(dropped.outOfBuffers),
                    "discontinuity": .integer(dropped.discontinuity),
                ],
            ],
            "photos": .integer(photos),
            "outputs": .array(outputs.map(\.json)),
            "uptime_s": .number(Self.rounded(uptime / .seconds(1))),
        ]
        if let error = state.error { object["error"] = error.json() }
        return .object(object)
    }

    var text: String {
        var table = TextTable()
        table.add("state", state.description)
        if let error = state.error { table.add("reason", error.message) }
        table.add("device", device.map { "\($0.id) (\($0.name))" } ?? "none")
        table.add("preset", configuration.preset.rawValue)
        if let format { table.add("format", "\(format)") }
        table.add("measured", "\(measuredFrameRate.plainText(places: 1)) fps")
        table.add("zoom", zoom.plainText(places: 6))
        table.add("frames", "\(delivered) delivered, \(dropped.total) dropped")
        if dropped.total > 0 {
            table.add(
                "dropped",
                "\(dropped.late) late, \(dropped.outOfBuffers) out of buffers, "
                    + "\(dropped.discontinuity) discontinuity")
        }
        if damaged > 0 { table.add("damaged", "\(damaged) frames, left out") }
        table.add("photos", "\(photos)")
        for output in outputs {
            table.add("output", "\(output.name): \(output.state.rawValue), \(output.frames) frames")
        }
        table.add("uptime", "\((uptime / .seconds(1)).plainText(places: 1)) s")
        return table.text
    }

    /// Milliseconds are as exact as these two are.
    private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}

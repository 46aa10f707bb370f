/// Everything that is asked of a camera, as one value that can be edited, compared and stored.
///
/// A preset and an explicit format exclude each other, as in AVFoundation: setting ``format`` makes
/// ``preset`` ``SessionPreset/inputPriority``, and setting any other preset removes the format.
public struct CaptureConfiguration: Equatable, Sendable {
    /// The camera, or `nil` for the default one.
    public var device: CaptureDevice.ID?

    /// The named size.
    public var preset: SessionPreset {
        didSet { if preset != .inputPriority { format = nil } }
    }

    /// The explicit format, present only under ``SessionPreset/inputPriority``.
    public var format: FormatRequest? {
        didSet { if format != nil { preset = .inputPriority } }
    }

    /// Frames per second that the camera must reach, or `nil` for 30 or the nearest there is. The rate of
    /// ``format`` goes before it.
    public var frameRate: FrameRate?

    /// How far and where to zoom in.
    public var zoom: Zoom

    /// Creates a configuration; a format makes the preset ``SessionPreset/inputPriority``, whatever was given.
    public init(
        device: CaptureDevice.ID? = nil,
        preset: SessionPreset = .high,
        format: FormatRequest? = nil,
        frameRate: FrameRate? = nil,
        zoom: Zoom = Zoom()
    ) {
        self.device = device
        self.preset = format == nil ? preset : .inputPriority
        self.format = format
        self.frameRate = frameRate
        self.zoom = zoom
    }

    /// The rate that the camera must reach: that of the format, else ``frameRate``; `nil` leaves it open.
    public var requiredFrameRate: FrameRate? { format?.frameRate ?? frameRate }
}

extension CaptureConfiguration: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case device, preset, format, frameRate, zoom
    }

    /// Reads a configuration.
    ///
    /// What is missing has its default. A field that no configuration has is refused by name, at any depth, and
    /// so is a format next to a preset that would ignore it.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseFields(outside: CodingKeys.self)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let preset = try values.decodeIfPresent(SessionPreset.self, forKey: .preset)
        let format = try values.decodeIfPresent(FormatRequest.self, forKey: .format)
        if let preset, format != nil, preset != .inputPriority {
            throw DecodingError.dataCorruptedError(
                forKey: .format,
                in: values,
                debugDescription: "preset \(preset.rawValue) leaves no room for a format; "
                    + "remove one of the two or make the preset inputPriority")
        }
        self.init(
            device: try values.decodeIfPresent(CaptureDevice.ID.self, forKey: .device),
            preset: preset ?? .high,
            format: format,
            frameRate: try values.decodeIfPresent(FrameRate.self, forKey: .frameRate),
            zoom: try values.decodeIfPresent(Zoom.self, forKey: .zoom) ?? Zoom()
        )
    }
}

/// An explicit capture format, asked for in place of a preset.
///
/// The size is exact. What is left `nil` is chosen: the frame rate nearest to 30 per second, and the pixel
/// format that costs least.
public struct FormatRequest: Hashable, Sendable {
    /// Pixels in a row.
    public var width: Int

    /// Rows in a frame.
    public var height: Int

    /// Frames per second, or `nil` for 30 or the nearest there is.
    public var frameRate: FrameRate?

    /// The format of the camera's pixels, or `nil` for whichever costs least.
    public var pixelFormat: PixelFormat?

    /// Creates a request for exactly this size.
    public init(width: Int, height: Int, frameRate: FrameRate? = nil, pixelFormat: PixelFormat? = nil) {
        self.width = width
        self.height = height
        self.frameRate = frameRate
        self.pixelFormat = pixelFormat
    }

    /// The requested size.
    public var dimensions: Dimensions { Dimensions(width: width, height: height) }
}

extension FormatRequest: CustomStringConvertible {
    /// The request as it is typed: `1280x720@30 YUY2`.
    public var description: String {
        var text = "\(dimensions)"
        if let frameRate { text += "@\(frameRate)" }
        if let pixelFormat { text += " \(pixelFormat)" }
        return text
    }
}

extension FormatRequest: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case width, height, frameRate, pixelFormat
    }

    /// Reads a request; a field that it does not have is refused by name.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseFields(outside: CodingKeys.self)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            width: try values.decode(Int.self, forKey: .width),
            height: try values.decode(Int.self, forKey: .height),
            frameRate: try values.decodeIfPresent(FrameRate.self, forKey: .frameRate),
            pixelFormat: try values.decodeIfPresent(PixelFormat.self, forKey: .pixelFormat)
        )
    }
}

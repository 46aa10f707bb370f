/// The format that a camera delivers: chosen before it runs, negotiated once it does.
public struct ActiveFormat: Hashable, Sendable, CustomStringConvertible {
    /// The format of the camera's pixels.
    public var pixelFormat: PixelFormat

    /// Pixels in a row.
    public var width: Int

    /// Rows in a frame.
    public var height: Int

    /// Frames per second; ``FrameRate/variable`` when the camera names none.
    public var frameRate: FrameRate

    /// Creates a format.
    public init(pixelFormat: PixelFormat, width: Int, height: Int, frameRate: FrameRate) {
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
        self.frameRate = frameRate
    }

    /// The size of a frame.
    public var dimensions: Dimensions { Dimensions(width: width, height: height) }

    /// The format as `1280x720@30 YUY2`, without the rate where that is variable.
    public var description: String {
        frameRate.isVariable ? "\(dimensions) \(pixelFormat)" : "\(dimensions)@\(frameRate) \(pixelFormat)"
    }
}

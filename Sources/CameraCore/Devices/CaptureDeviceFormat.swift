extension CaptureDevice {
    /// One pixel format and size that a camera can deliver, with its frame rates.
    public struct Format: Hashable, Sendable {
        /// The format of the pixels.
        public let pixelFormat: PixelFormat

        /// Pixels in a row.
        public let width: Int

        /// Rows in a frame.
        public let height: Int

        /// The frame rates on offer; empty when the camera does not tell.
        public let frameRates: [FrameRateRange]

        /// Creates a format.
        public init(pixelFormat: PixelFormat, width: Int, height: Int, frameRates: [FrameRateRange]) {
            self.pixelFormat = pixelFormat
            self.width = width
            self.height = height
            self.frameRates = frameRates
        }

        /// The size of a frame.
        public var dimensions: Dimensions { Dimensions(width: width, height: height) }

        /// The highest frame rate on offer; `nil` when the camera does not tell.
        public var maximumFrameRate: FrameRate? { frameRates.map(\.maximum).max() }
    }
}

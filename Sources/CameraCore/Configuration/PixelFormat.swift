/// How the pixels of a frame lie in memory: a GStreamer video format name, or `MJPG` for a stream of JPEGs.
///
/// Any name is allowed, because a camera may offer a format that this module has no constant for.
public struct PixelFormat: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The name, spelled as GStreamer spells it: `I420`, `YUY2`, `BGRx`; `MJPG` stands for `image/jpeg`.
    public let rawValue: String

    /// Makes a pixel format from its name, without checking that anything offers it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Planar YUV 4:2:0, three planes, 12 bits a pixel.
    public static let i420 = PixelFormat(rawValue: "I420")
    /// Planar YUV 4:2:0 with interleaved chroma, two planes, 12 bits a pixel.
    public static let nv12 = PixelFormat(rawValue: "NV12")
    /// Packed YUV 4:2:2 in the order Y, U, Y, V, 16 bits a pixel.
    public static let yuy2 = PixelFormat(rawValue: "YUY2")
    /// Packed YUV 4:2:2 in the order U, Y, V, Y, 16 bits a pixel.
    public static let uyvy = PixelFormat(rawValue: "UYVY")
    /// Packed blue, green, red and one unused byte, 32 bits a pixel.
    public static let bgrx = PixelFormat(rawValue: "BGRx")
    /// Packed red, green, blue, 24 bits a pixel.
    public static let rgb = PixelFormat(rawValue: "RGB")
    /// Packed blue, green, red, 24 bits a pixel.
    public static let bgr = PixelFormat(rawValue: "BGR")
    /// Grey, 8 bits a pixel.
    public static let gray8 = PixelFormat(rawValue: "GRAY8")
    /// One JPEG a frame.
    public static let mjpeg = PixelFormat(rawValue: "MJPG")

    /// Whether frames have to be decoded before their pixels can be touched.
    public var isCompressed: Bool { self == .mjpeg }

    /// The name of the format.
    public var description: String { rawValue }
}

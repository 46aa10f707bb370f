/// The size of a frame in pixels.
public struct Dimensions: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Pixels in a row.
    public var width: Int

    /// Rows in a frame.
    public var height: Int

    /// Creates a size; both sides are in pixels.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The size as `1280x720`.
    public var description: String { "\(width)x\(height)" }
}

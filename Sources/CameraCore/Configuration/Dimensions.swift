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

    /// Reads `1280x720`; `nil` for anything else, and unless both sides are above 0.
    init?(text: some StringProtocol) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1], width > 0, height > 0 else {
            return nil
        }
        self.init(width: width, height: height)
    }

    /// The size as `1280x720`.
    public var description: String { "\(width)x\(height)" }
}

/// A point in a frame, independent of its size: 0,0 is the top left corner, 1,1 the bottom right.
public struct NormalizedPoint: Hashable, Sendable {
    /// From 0 at the left to 1 at the right.
    public var x: Double

    /// From 0 at the top to 1 at the bottom.
    public var y: Double

    /// Creates a point; both coordinates are meant to be in 0…1.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// The middle of the frame.
    public static let center = NormalizedPoint(x: 0.5, y: 0.5)

    /// Whether both coordinates lie in 0…1.
    public var isInsideFrame: Bool { (0...1).contains(x) && (0...1).contains(y) }
}

extension NormalizedPoint: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case x, y
    }

    /// Reads a point; a field that it does not have is refused by name.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseFields(outside: CodingKeys.self)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            x: try values.decode(Double.self, forKey: .x), y: try values.decode(Double.self, forKey: .y))
    }
}

/// How far and where the camera is zoomed in.
///
/// Any number can be stored; ``ZoomRange/validate(_:)`` says whether a frame of a given size can show it.
public struct Zoom: Hashable, Sendable {
    /// The magnification: 1 shows the whole frame, 2 half its width and half its height.
    public var factor: Double

    /// The point of the whole frame that the crop is centred on, as far as the frame's edges allow.
    public var center: NormalizedPoint

    /// Creates a zoom, by default the whole frame.
    public init(factor: Double = 1, center: NormalizedPoint = .center) {
        self.factor = factor
        self.center = center
    }

    /// The zoom of a pinch gesture that began at the factor `base` and has spread by `scale` since.
    ///
    /// The scale of a gesture is cumulative, hence the factor at its beginning and not the present one. The
    /// result stays inside `range`. A scale that no gesture can have (not finite, or not above 0) leaves the
    /// zoom as it is, because a glitch of a touch screen is not an error.
    public func scaled(by scale: Double, from base: Double, in range: ZoomRange) -> Zoom {
        let factor = base * scale
        guard scale.isFinite, scale > 0, factor.isFinite else { return self }
        return Zoom(factor: min(max(factor, range.minimum), range.maximum), center: center)
    }
}

extension Zoom: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case factor, center
    }

    /// Reads a zoom; what is missing has its default, and a field that it does not have is refused by name.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseFields(outside: CodingKeys.self)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            factor: try values.decodeIfPresent(Double.self, forKey: .factor) ?? 1,
            center: try values.decodeIfPresent(NormalizedPoint.self, forKey: .center) ?? .center
        )
    }
}

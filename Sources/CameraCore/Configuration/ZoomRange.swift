/// The zoom factors that a frame of some size allows.
public struct ZoomRange: Hashable, Sendable {
    /// The smallest factor, 1.
    public let minimum: Double

    /// The largest factor, at least 1.
    public let maximum: Double

    /// The range of a frame that is large enough for every factor.
    public static let full = ZoomRange(minimum: 1, maximum: 10)

    /// Creates a range; `minimum` is not above `maximum`.
    public init(minimum: Double = 1, maximum: Double) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// The range for a frame: up to 10, less where the crop would fall under 32×32 pixels.
    public init(for frame: Dimensions) {
        let smallestSide = Double(min(frame.width, frame.height))
        let limit = smallestSide / Double(CropRectangle.smallestSide)
        self.init(minimum: Self.full.minimum, maximum: max(Self.full.minimum, min(Self.full.maximum, limit)))
    }

    /// The factors of the range that a user interface offers as buttons: 1, 2, 3, 5 and 10, as far as they go.
    public var stops: [Double] { [1, 2, 3, 5, 10].filter(contains) }

    /// Whether the factor lies in the range; `nan` does not.
    public func contains(_ factor: Double) -> Bool {
        factor >= minimum && factor <= maximum
    }
}

extension ZoomRange {
    /// A factor that was brought into the range.
    public struct Clamped: Hashable, Sendable {
        /// The factor, inside the range.
        public let factor: Double

        /// Whether the wanted factor lay outside.
        public let isClamped: Bool
    }

    /// Checks an absolute zoom.
    ///
    /// - Throws: ``CameraError/Code/zoomOutOfRange`` when the factor is outside the range or not a number, or
    ///   when the centre is outside the frame.
    public func validate(_ zoom: Zoom) throws(CameraError) {
        guard contains(zoom.factor) else {
            throw CameraError(.zoomOutOfRange, "zoom \(zoom.factor.plainText) is out of range; \(advice)")
        }
        guard zoom.center.isInsideFrame else {
            let point = "\(zoom.center.x.plainText),\(zoom.center.y.plainText)"
            throw CameraError(.zoomOutOfRange, "zoom centre \(point) is outside the frame; give X,Y in 0…1")
        }
    }

    /// Moves a factor by a signed amount and stops at the ends of the range.
    ///
    /// The result is rounded to a millionth, so that ten steps of 0.1 from 1 end at 2.
    ///
    /// - Throws: ``CameraError/Code/zoomOutOfRange`` when the sum is not a number, which no end of the range
    ///   is nearest to.
    public func moved(from factor: Double, by amount: Double) throws(CameraError) -> Clamped {
        let wanted = ((factor + amount) * 1_000_000).rounded() / 1_000_000
        guard !wanted.isNaN else {
            throw CameraError(.zoomOutOfRange, "zoom cannot change by \(amount.plainText); \(advice)")
        }
        return Clamped(factor: min(max(wanted, minimum), maximum), isClamped: !contains(wanted))
    }

    private var advice: String {
        if minimum == maximum {
            return "a frame of this size cannot be zoomed, since less than 32x32 pixels would be left"
        }
        let span = "choose a factor from \(minimum.plainText) to \(maximum.plainText)"
        return maximum < Self.full.maximum
            ? span + " (more would crop this frame to under 32x32 pixels)" : span
    }
}

extension Double {
    /// The number as people write it: `2` and not `2.0`, with a point in every locale.
    package var plainText: String {
        guard let whole = Int(exactly: self), abs(whole) < 1_000_000_000_000 else { return "\(self)" }
        return "\(whole)"
    }

    /// The number as people write it, with at most so many decimals.
    package func plainText(places: Int) -> String {
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        return ((self * scale).rounded() / scale).plainText
    }
}

/// How well a format of a camera serves a wanted size and frame rate; the smallest score is the best.
///
/// The criteria are compared in the order of the properties. A later one decides only between formats that
/// all earlier ones call equal.
struct FormatScore: Comparable {
    /// How far the size is from the wanted one, as the square of the distance; 0 when it is exact.
    let sizeDistance: Double
    /// How many frames per second the rate misses by; 0 for an equivalent rate such as 29.97 for 30.
    let missedRate: Double
    /// Grey comes after colour: saving a decoder is not worth losing the colour.
    let losesColor: Int
    /// Decoding costs more than any conversion.
    let needsDecoder: Int
    /// The cost of converting, by ``PixelFormat/conversionCost``.
    let conversion: Int
    /// The difference that ``missedRate`` forgives, so that an exact rate wins between equals.
    let rateDifference: Double

    /// Scores a format.
    init(_ format: CaptureDevice.Format, size: Dimensions, rate: FrameRate) {
        let reached = format.rate(nearestTo: rate) ?? rate
        sizeDistance = format.dimensions.squaredDistance(to: size)
        rateDifference = reached.isVariable ? 0 : reached.distance(to: rate)
        missedRate = reached.isEquivalent(to: rate) ? 0 : rateDifference
        losesColor = format.pixelFormat.isGray ? 1 : 0
        needsDecoder = format.pixelFormat.isCompressed ? 1 : 0
        conversion = format.pixelFormat.conversionCost ?? .max
    }

    static func < (left: FormatScore, right: FormatScore) -> Bool {
        (
            left.sizeDistance, left.missedRate, left.losesColor, left.needsDecoder, left.conversion,
            left.rateDifference
        )
            < (
                right.sizeDistance, right.missedRate, right.losesColor, right.needsDecoder, right.conversion,
                right.rateDifference
            )
    }
}

extension CaptureDevice.Format {
    /// The rate on offer that is nearest to the wanted one, the faster of two that are equally near; `nil`
    /// when the camera does not tell its rates. A variable one is taken only where there is no other.
    func rate(nearestTo wanted: FrameRate) -> FrameRate? {
        let nearest = frameRates.map { $0.nearest(to: wanted) }
        let told = nearest.filter { !$0.isVariable || wanted.isVariable }
        return (told.isEmpty ? nearest : told).min { left, right in
            let (first, second) = (left.distance(to: wanted), right.distance(to: wanted))
            return first == second ? left > right : first < second
        }
    }

    /// Whether the format can run at the rate or one equivalent to it. A camera that does not tell its rates
    /// is given the benefit of the doubt: negotiation will say.
    func reaches(exactly wanted: FrameRate) -> Bool {
        rate(nearestTo: wanted)?.isEquivalent(to: wanted) ?? true
    }

    /// Whether the format can run at the rate or a higher one, or may for all that is known.
    func reaches(atLeast floor: FrameRate) -> Bool {
        guard let maximumFrameRate, !maximumFrameRate.isVariable else { return true }
        return maximumFrameRate >= floor || maximumFrameRate.isEquivalent(to: floor)
    }
}

extension FrameRate {
    /// The difference in frames per second.
    func distance(to other: FrameRate) -> Double { abs(framesPerSecond - other.framesPerSecond) }
}

extension Dimensions {
    /// The number of pixels.
    var area: Double { Double(width) * Double(height) }

    /// The squared distance of the two sizes as points in a plane.
    func squaredDistance(to other: Dimensions) -> Double {
        let (across, down) = (Double(width) - Double(other.width), Double(height) - Double(other.height))
        return across * across + down * down
    }
}

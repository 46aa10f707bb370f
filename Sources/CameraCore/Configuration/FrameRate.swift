/// Frames per second as a reduced fraction, because 30000/1001 has no exact decimal.
public struct FrameRate: Hashable, Sendable {
    /// Frames in ``denominator`` seconds, never negative.
    public let numerator: Int

    /// Seconds in which ``numerator`` frames come, at least 1.
    public let denominator: Int

    /// Creates a rate and reduces it: `FrameRate(60, 2)` equals `FrameRate(30)`.
    ///
    /// For numbers that come from outside use ``init(exactly:over:)``, which can say no.
    ///
    /// - Precondition: `numerator >= 0` and `denominator > 0`.
    public init(_ numerator: Int, _ denominator: Int = 1) {
        precondition(numerator >= 0 && denominator > 0, "a frame rate is not negative and not over zero")
        let divisor = Self.greatestCommonDivisor(numerator, denominator)
        self.numerator = numerator / divisor
        self.denominator = denominator / divisor
    }

    /// Creates a rate from numbers that may be bad: a negative numerator or a denominator below 1 gives `nil`.
    public init?(exactly numerator: Int, over denominator: Int) {
        guard numerator >= 0, denominator > 0 else { return nil }
        self.init(numerator, denominator)
    }

    /// A rate that varies or is not known, written 0/1 as GStreamer does.
    public static let variable = FrameRate(0)

    /// Whether this is ``variable``.
    public var isVariable: Bool { numerator == 0 }

    /// The rate as a floating-point number; 0 for ``variable``.
    public var framesPerSecond: Double { Double(numerator) / Double(denominator) }

    /// The exact rate as GStreamer and JSON take it: `30000/1001`.
    public var fraction: String { "\(numerator)/\(denominator)" }

    /// Whether the two rates differ by no more than 30 differs from 30000/1001, one part in a thousand.
    ///
    /// Nobody who asks for 30 frames per second wants to be refused by a camera that does 29.97.
    public func isEquivalent(to other: FrameRate) -> Bool {
        let (slower, faster) = self < other ? (self, other) : (other, self)
        return faster.framesPerSecond * 0.999 <= slower.framesPerSecond
    }

    /// How many frame intervals a frame may be late by before ``stallLimit(atLeast:)`` is over: the one that it takes,
    /// one that had just begun, and one lost frame.
    public static let stallIntervals = 3

    /// How long to wait for the next frame before a camera of this rate counts as stalled.
    ///
    /// - Parameter minimum: the limit for fast and for ``variable`` rates; a slow rate gets ``stallIntervals`` intervals.
    public func stallLimit(atLeast minimum: Duration) -> Duration {
        guard !isVariable else { return minimum }
        return max(minimum, .seconds(Double(Self.stallIntervals) / framesPerSecond))
    }

    private static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        var (first, second) = (first, second)
        while second != 0 { (first, second) = (second, first % second) }
        return first
    }
}

extension FrameRate: Comparable {
    /// Compares by cross-multiplying in double width, so that neither rounding nor overflow can mislead.
    public static func < (left: FrameRate, right: FrameRate) -> Bool {
        let product = left.numerator.multipliedFullWidth(by: right.denominator)
        let other = right.numerator.multipliedFullWidth(by: left.denominator)
        return (product.high, product.low) < (other.high, other.low)
    }
}

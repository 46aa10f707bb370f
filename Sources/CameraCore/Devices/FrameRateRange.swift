extension CaptureDevice {
    /// The frame rates from a lowest to a highest one, both included; a single rate when the two are equal.
    public struct FrameRateRange: Hashable, Sendable, CustomStringConvertible {
        /// The lowest rate.
        public let minimum: FrameRate

        /// The highest rate.
        public let maximum: FrameRate

        /// Creates a range; the two ends may come in either order.
        public init(minimum: FrameRate, maximum: FrameRate) {
            self.minimum = min(minimum, maximum)
            self.maximum = max(minimum, maximum)
        }

        /// Creates the range that holds one rate.
        public init(_ rate: FrameRate) {
            self.init(minimum: rate, maximum: rate)
        }

        /// Whether the range holds exactly one rate.
        public var isSingle: Bool { minimum == maximum }

        /// The rate of this range that is nearest to another one.
        public func nearest(to rate: FrameRate) -> FrameRate {
            min(max(rate, minimum), maximum)
        }

        /// The range as `30` or `1–60`.
        public var description: String { isSingle ? "\(minimum)" : "\(minimum)–\(maximum)" }
    }
}

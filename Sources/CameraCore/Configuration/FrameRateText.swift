extension FrameRate {
    /// Reads a rate as people type it: `30`, `29.97`, `23.976` or `30000/1001`.
    ///
    /// A decimal that is a broadcast rate rounded to at least two places means that rate, so `29.97` and
    /// `23.98` are 30000/1001 and 24000/1001. Anything else gives `nil`: zero, a sign, an exponent, a
    /// comma, `nan`, a decimal in a fraction, and what GStreamer's 32-bit fractions cannot hold.
    public init?(parsing text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let rate: FrameRate?
        if parts.count == 2 {
            guard let numerator = Self.digits(parts[0]), let denominator = Self.digits(parts[1]) else {
                return nil
            }
            rate = FrameRate(exactly: numerator, over: denominator)
        } else {
            rate = parts.count == 1 ? Self.decimal(parts[0]) : nil
        }
        guard let rate, !rate.isVariable, rate.numerator <= Int32.max, rate.denominator <= Int32.max else {
            return nil
        }
        self = rate
    }

    private static func decimal(_ text: Substring) -> FrameRate? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = digits(parts[0]) else { return nil }
        if parts.count == 1 { return FrameRate(whole) }
        guard parts.count == 2, parts[1].count <= 9, let rest = digits(parts[1]) else { return nil }
        let scale = parts[1].reduce(1) { scale, _ in scale * 10 }
        let exact = FrameRate(whole * scale + rest, scale)
        guard parts[1].count >= 2 else { return exact }
        return broadcastRates.first { $0.rounds(to: exact, unit: scale) } ?? exact
    }

    /// Ten ASCII digits at most, so that no product of two such numbers overflows; `Int.init` would take a sign.
    private static func digits(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 10, text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else {
            return nil
        }
        return Int(text)
    }

    private static let broadcastRates = [15, 24, 30, 48, 60, 120, 240].map { FrameRate($0 * 1000, 1001) }

    private func rounds(to decimal: FrameRate, unit scale: Int) -> Bool {
        let rounded = (2 * numerator * scale + denominator) / (2 * denominator)
        return FrameRate(rounded, scale) == decimal
    }
}

extension FrameRate: CustomStringConvertible {
    /// The rate for people, with up to three decimals: `30`, `29.97`, `7.5`; `variable` for 0/1.
    ///
    /// Rounded, so store ``fraction`` instead.
    public var description: String {
        if isVariable { return "variable" }
        let (seconds, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        let decimals = Int((Double(remainder) / Double(denominator) * 1000).rounded())
        if seconds == 0 && decimals == 0 { return fraction }
        if decimals == 1000 { return "\(seconds + 1)" }
        if decimals == 0 { return "\(seconds)" }
        var digits = String(String(1000 + decimals).dropFirst())
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(seconds).\(digits)"
    }
}

extension FrameRate: Codable {
    /// Reads a rate from a string such as `"30/1"`; every spelling of ``init(parsing:)`` and `"0/1"` will do.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        if text == FrameRate.variable.fraction {
            self = .variable
        } else if let rate = FrameRate(parsing: text) {
            self = rate
        } else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "'\(text)' is not a frame rate; write it as 30, 29.97 or 30000/1001")
        }
    }

    /// Writes the exact fraction, such as `"30000/1001"`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(fraction)
    }
}

/// Numbers as commands spell them: with a point in every locale, and nothing that only C knows.
enum Numbers {
    /// Reads `2`, `1.5`, `.5`, `1e3`, each with an optional sign; `nil` for everything else, so for a comma,
    /// `nan`, `inf` and hexadecimal digits.
    ///
    /// A number too large for a `Double` becomes the largest one: it is out of every range, not malformed.
    static func decimal(_ text: String) -> Double? {
        var rest = Substring(text).utf8
        if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let whole = takeDigits(&rest)
        var fraction = 0
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = takeDigits(&rest)
            guard fraction > 0 else { return nil }
        }
        guard whole + fraction > 0 else { return nil }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
            guard takeDigits(&rest) > 0 else { return nil }
        }
        guard rest.isEmpty, let value = Double(text) else { return nil }
        let largest = Double.greatestFiniteMagnitude
        return min(max(value, -largest), largest)
    }

    /// Reads decimal digits without a sign; `nil` for everything else. A number too large for an `Int`
    /// becomes the largest one.
    static func integer(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
        return Int(text) ?? Int.max
    }

    private static func takeDigits(_ rest: inout Substring.UTF8View) -> Int {
        let count = rest.prefix(while: isDigit).count
        rest.removeFirst(count)
        return count
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

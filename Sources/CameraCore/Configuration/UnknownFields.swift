extension Decoder {
    /// Throws when the object at hand has a field that `keys` lacks, naming it and the fields there are.
    ///
    /// `Decodable` skips what it does not know, and then a mistyped field looks like one that was obeyed.
    func refuseFields<Keys: CodingKey & CaseIterable>(outside keys: Keys.Type) throws {
        let known = Keys.allCases.map(\.stringValue)
        let present = try container(keyedBy: AnyField.self).allKeys
        guard let stranger = present.map(\.stringValue).sorted().first(where: { !known.contains($0) }) else {
            return
        }
        let message = "unknown field '\(stranger)'; the fields here are \(known.joined(separator: ", "))"
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: codingPath + [AnyField(stringValue: stranger)], debugDescription: message))
    }
}

private struct AnyField: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        return nil
    }
}

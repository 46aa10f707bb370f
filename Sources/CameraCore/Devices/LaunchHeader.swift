import FoundationEssentials

/// The header of a launch file: the comment lines of the form `# key: value` before its description.
struct LaunchHeader: Sendable, Hashable {
    /// What people call the camera or output.
    private(set) var name: String?

    /// Which way the camera looks.
    private(set) var position: CaptureDevice.Position?

    /// Whether the camera takes some frames to find its exposure; unless its file says `# exposure: fixed`, it may.
    private(set) var adaptsExposure = true

    /// What the camera does wrong on purpose.
    private(set) var faults: [Fault] = []

    /// What looks as if it was meant for the header and had no effect, one sentence each, with its place.
    private(set) var notices: [String] = []

    /// The positions that can be written, as a message lists them.
    private static let positions = "front, back or external"
    private static let keys = ["name", "position", "exposure", "fault"]

    private let path: String

    /// - Parameter path: The file, for messages.
    init(path: String) {
        self.path = path
    }

    /// Reads a line of comment.
    ///
    /// - Parameters:
    ///   - comment: what follows the `#`.
    ///   - line: its number, counted from 1.
    ///   - isLate: whether the description has begun.
    mutating func read(_ comment: Substring, line: Int, isLate: Bool) {
        let parts = comment.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let key = parts[0].trimmed.lowercased()
        guard parts.count == 2 else { return checkMissingColon(key, line) }
        // Anything else with a colon in it is a sentence of the description for people.
        guard !key.isEmpty, !key.contains(where: \.isWhitespace) else { return }
        guard Self.keys.contains(key) else { return checkSpelling(key, line, isLate) }
        let value = parts[1].trimmed
        if isLate {
            note(line, "'\(key)' comes after the description has begun; write it above")
        } else if key == "name" {
            readName(value, line)
        } else if key == "position" {
            readPosition(value, line)
        } else if key == "exposure" {
            readExposure(value, line)
        } else if let fault = Fault(value) {
            faults.append(fault)
        } else {
            note(line, "'\(value)' is not a fault; write one of: \(Fault.forms)")
        }
    }

    private mutating func readName(_ value: String, _ line: Int) {
        if value.isEmpty {
            note(line, "the name is empty; write one after the colon")
        } else if name != nil {
            note(line, "the name is given twice; the first one counts")
        } else {
            name = value
        }
    }

    private mutating func readPosition(_ value: String, _ line: Int) {
        guard let read = CaptureDevice.Position(rawValue: value.lowercased()) else {
            return note(line, "'\(value)' is not a position; write \(Self.positions)")
        }
        if position != nil {
            note(line, "the position is given twice; the first one counts")
        } else {
            position = read
        }
    }

    private mutating func readExposure(_ value: String, _ line: Int) {
        switch value.lowercased() {
        case "fixed": adaptsExposure = false
        case "automatic": adaptsExposure = true
        default: note(line, "'\(value)' is not an exposure; write automatic or fixed")
        }
    }

    private mutating func checkSpelling(_ key: String, _ line: Int, _ isLate: Bool) {
        guard !isLate, !NearNames.nearest(to: key, in: Self.keys.map { .init($0) }).isEmpty else { return }
        note(line, "'\(key)' is not part of a header; write name, position, exposure or fault")
    }

    private mutating func checkMissingColon(_ comment: String, _ line: Int) {
        guard let match = comment.wholeMatch(of: /position\s*=?\s*(front|back|external|unspecified)/) else {
            return
        }
        note(line, "a colon is missing; write '# position: \(match.1)'")
    }

    private mutating func note(_ line: Int, _ message: String) {
        notices.append("\(path):\(line): \(message)")
    }
}

/// One word of a command, after quotes and escapes were taken off.
struct Word: Hashable, Sendable {
    var text: String

    /// Whether the word begins with a `~` that no quote or escape protects, and so means the home folder.
    var beginsWithBareTilde = false
}

/// Where a command stands in what was typed, piped or read.
struct Place: Hashable, Sendable, CustomStringConvertible {
    /// A file name, `stdin` or `-c`.
    var source: String

    /// Counted from 1.
    var line: Int

    /// Which command of its line, counted from 1; `nil` where the line says enough.
    var command: Int?

    var description: String {
        guard let command else { return "\(source):\(line)" }
        return "\(source):\(line):\(command)"
    }
}

/// One command as it was written: words and where they stood.
struct Statement: Hashable, Sendable {
    var words: [Word]
    var place: Place
}

/// Aligned text: columns separated by two blanks, nothing after the last one.
struct TextTable {
    private enum Line {
        case row([String])
        /// Text of any length that says more about the row before it.
        case note(String)
    }

    private var lines: [Line] = []

    mutating func add(_ cells: String...) { lines.append(.row(cells)) }
    mutating func add(_ cells: [String]) { lines.append(.row(cells)) }

    /// Adds a line of its own under the last row, which takes no part in the columns.
    mutating func note(_ text: String) { lines.append(.note(text)) }

    /// The rows, one a line.
    var text: String {
        var widths: [Int] = []
        for case .row(let cells) in lines {
            for (column, cell) in cells.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return lines.map { line in
            var text = ""
            switch line {
            case .row(let cells):
                for (column, cell) in cells.enumerated() {
                    text += cell + String(repeating: " ", count: widths[column] - cell.count + 2)
                }
            case .note(let note):
                // GStreamer's reports can have several lines.
                text = "     " + note.split(whereSeparator: \.isNewline).joined(separator: " ")
            }
            while text.last == " " { text.removeLast() }
            return text
        }.joined(separator: "\n")
    }
}

extension String {
    /// The text in lines of at most `width` characters, as far as its words allow.
    func wrapped(to width: Int = 80) -> String {
        var lines: [String] = []
        var line = ""
        for word in split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? word : " " + word
        }
        return (lines + [line]).joined(separator: "\n")
    }
}

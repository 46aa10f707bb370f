import Foundation
import Testing

/// README.md, taken apart.
struct Readme {
    /// A fenced block, with the word that stands behind its opening fence.
    struct Block {
        var language: String
        var lines: [String]

        var text: String { lines.joined(separator: "\n") + "\n" }
    }

    /// A command of the transcript of a session, with what was answered.
    struct Exchange {
        var command: String
        var reply: [String]
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    let text: String
    let blocks: [Block]

    init() throws {
        text = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        var blocks: [Block] = []
        var open: Block?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if let block = open { blocks.append(block) }
                open = open == nil ? Block(language: String(line.dropFirst(3)), lines: []) : nil
            } else {
                open?.lines.append(String(line))
            }
        }
        self.blocks = blocks
    }

    func blocks(of language: String) -> [Block] { blocks.filter { $0.language == language } }

    func block(_ language: String) throws -> Block { try #require(blocks(of: language).first) }

    /// The part under a heading, up to the next one.
    func section(_ heading: String) throws -> [Substring] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "## \(heading)"[...]))
        return Array(lines[(start + 1)...].prefix { !$0.hasPrefix("## ") })
    }

    /// The cells of the table under a heading, without its head.
    func table(under heading: String) throws -> [[String]] {
        try section(heading).filter { $0.hasPrefix("|") }.dropFirst(2).map { row in
            row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The lines for a shell that run the command: those in fences, and the indented ones.
    var shellLines: [String] {
        let indented = text.split(separator: "\n").filter { $0.hasPrefix("    scripts/camera") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        return indented + blocks(of: "sh").flatMap(\.lines)
    }

    /// The session: the line that starts it, and what was typed and answered.
    func session() throws -> (start: String, exchanges: [Exchange]) {
        var lines = try block("console").lines
        let start = lines.removeFirst()
        var exchanges: [Exchange] = []
        for line in lines {
            if line.hasPrefix("camera> ") {
                exchanges.append(Exchange(command: String(line.dropFirst(8)), reply: []))
            } else {
                try #require(!exchanges.isEmpty)
                exchanges[exchanges.count - 1].reply.append(line)
            }
        }
        return (start, exchanges)
    }

    /// What stands between single backquotes.
    static func code(in text: String) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .compactMap { $0.offset.isMultiple(of: 2) ? nil : String($0.element) }
    }
}

import CameraCore
import FoundationEssentials
import Glibc
import GStreamer

/// What can be typed next, from the command table and from what the camera has.
struct Completion: Sendable {
    /// The names that change while the program runs.
    struct Names: Sendable {
        var devices: [String] = []
        var availableOutputs: [String] = []
        var attachedOutputs: [String] = []
        var sizes: [String] = []
        var pixelFormats: [String] = []
    }

    /// A way to go on, in the form in which it would be typed.
    struct Candidate: Hashable, Sendable {
        /// The whole word, quoted or escaped as the user began it.
        var written: String
        /// Whether the word is complete, so that a blank may follow.
        var isWhole: Bool
    }

    /// Candidates for the word at the end of a line, and where in the line that word begins, in bytes.
    struct Result: Sendable {
        var wordStart: Int
        var candidates: [Candidate]
    }

    var names = Names()

    /// - Parameter line: The line up to the cursor.
    func candidates(for line: String) -> Result {
        var parser = StatementParser(source: "line")
        parser.append(line.utf8)
        guard parser.context != .comment else { return Result(wordStart: parser.offset, candidates: []) }
        let start = parser.isInsideWord ? parser.wordStart : parser.offset
        let written = String(decoding: Array(line.utf8.dropFirst(start)), as: UTF8.self)
        let style = Quoting(written: written, context: parser.context)
        let partial = parser.isInsideWord ? parser.partialWord : ""
        let isTilde = style == .escapes && written.hasPrefix("~")
        let words = expectations(after: parser.words.map(\.text), partial: partial)
            .flatMap { names(for: $0, partial: partial, isTilde: isTilde) }
        var seen: Set<String> = []
        // Nobody could type on behind a name that breaks the line or commands the terminal.
        let candidates = words.filter { !$0.text.hasControls && $0.text.hasPrefix(partial) }
            .filter { seen.insert($0.text).inserted }
            .map { Candidate(written: style.write($0.text, isWhole: $0.isWhole), isWhole: $0.isWhole) }
        return Result(wordStart: start, candidates: candidates.sorted { $0.written < $1.written })
    }

    /// What the table lets follow the words.
    private enum Expectation {
        case commandName
        case word(String)
        case argument(Argument.Kind)
    }

    private func expectations(after words: [String], partial: String) -> [Expectation] {
        guard let name = words.first else { return [.commandName] }
        guard let command = CommandTable.command(named: name) else { return [] }
        var positional: [String] = []
        var rest = words.dropFirst()
        // As in the grammar: only commands that have options look for them, and none comes after a `--`.
        var takesOptions = !command.options.isEmpty
        while let word = rest.popFirst() {
            guard takesOptions, word.hasPrefix("--") else {
                positional.append(word)
                continue
            }
            if word == "--" {
                takesOptions = false
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = command.options.first(where: { $0.name == parts[0] }) else { return [] }
            if let argument = option.argument {
                if parts.count == 1, rest.popFirst() == nil { return [.argument(argument.kind)] }
            } else if parts.count == 2 {
                return []
            }
        }
        var expectations: [Expectation] = []
        if takesOptions, partial.hasPrefix("-") { expectations = command.options.map { .word($0.name) } }
        // A word that begins with two dashes is an option and no argument.
        if takesOptions, partial.hasPrefix("--") { return expectations }
        return expectations + command.forms.flatMap { follow($0[...], positional[...]) }
    }

    private func follow(_ form: ArraySlice<Grammar>, _ words: ArraySlice<String>) -> [Expectation] {
        guard let element = form.first else { return [] }
        if case .optional(let inner) = element {
            return follow((inner + form.dropFirst())[...], words) + follow(form.dropFirst(), words)
        }
        guard let word = words.first else {
            switch element {
            case .keyword(let keyword): return [.word(keyword)]
            case .argument(let argument): return [.argument(argument.kind)]
            case .optional: return []
            }
        }
        switch element {
        case .keyword(let keyword) where keyword != word: return []
        case .argument(let argument):
            do throws(CameraError) {
                _ = try argument.value(of: Word(text: word))
            } catch {
                return []
            }
        default: break
        }
        return follow(form.dropFirst(), words.dropFirst())
    }

    private typealias Name = (text: String, isWhole: Bool)

    private func names(for expectation: Expectation, partial: String, isTilde: Bool) -> [Name] {
        func whole(_ texts: [String]) -> [Name] { texts.map { ($0, true) } }
        switch expectation {
        case .commandName: return whole(CommandTable.all.map(\.name))
        case .word(let word): return whole([word])
        case .argument(let kind):
            switch kind {
            case .device: return whole(names.devices)
            case .preset: return whole(SessionPreset.allCases.map(\.rawValue))
            case .path: return Self.paths(beginningWith: partial, isTilde: isTilde)
            case .availableOutput: return whole(names.availableOutputs)
            case .attachedOutput: return whole(names.attachedOutputs)
            case .size: return whole(names.sizes)
            case .pixelFormat: return whole(names.pixelFormats)
            case .command: return whole(CommandTable.all.map(\.name))
            case .zoom, .point, .count, .seconds, .quality: return []
            }
        }
    }

    /// The files that begin like this; a folder is not a whole path yet.
    private static func paths(beginningWith partial: String, isTilde: Bool) -> [Name] {
        let cut = partial.lastIndex(of: "/").map { partial.index(after: $0) } ?? partial.startIndex
        let (folder, prefix) = (String(partial[..<cut]), partial[cut...])
        var place = folder.isEmpty ? "." : folder
        if isTilde, folder.hasPrefix("~/") { place = UserDirectories.home + folder.dropFirst() }
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: place)
            return names.filter { $0.hasPrefix(prefix) && (prefix.hasPrefix(".") || !$0.hasPrefix(".")) }
                .map { name in
                    var information = stat()
                    let isFolder =
                        stat("\(place)/\(name)", &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
                    return isFolder ? ("\(folder)\(name)/", false) : ("\(folder)\(name)", true)
                }
        } catch {
            // A folder that cannot be listed offers nothing; the command will say what is wrong with it.
            return []
        }
    }
}

/// How a word is written: with the quote that it was begun with, or with escapes.
private enum Quoting {
    case escapes
    case single
    case double

    init(written: String, context: StatementParser.Context) {
        switch (context, written.first) {
        case (.singleQuote, "'"): self = .single
        case (.doubleQuote, "\""): self = .double
        default: self = .escapes
        }
    }

    func write(_ text: String, isWhole: Bool) -> String {
        switch self {
        case .single:
            // A single quote cannot stand inside single quotes: leave them, escape it, and enter them again.
            "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
                + (isWhole ? "'" : "")
        case .double:
            "\"" + Self.escape(text, characters: #""\"#) + (isWhole ? "\"" : "")
        case .escapes:
            Self.escape(text, characters: " \t\"'\\;#")
        }
    }

    private static func escape(_ text: String, characters: String) -> String {
        String(text.flatMap { characters.contains($0) ? ["\\", $0] : [$0] })
    }
}

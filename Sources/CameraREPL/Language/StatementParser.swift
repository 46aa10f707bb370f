import CameraCore

/// Splits text into commands and commands into words.
///
/// Words are separated by blanks and tabs, commands by newlines and `;`. `'…'` takes everything literally;
/// in `"…"` and outside of quotes `\` takes the meaning from the character after it, and joins lines when
/// that is a newline. `#` at the beginning of a word starts a comment. A quoted newline is part of its word.
///
/// The parser works on bytes as they arrive, so a command runs as soon as its line is complete, and a `\r`
/// before a newline vanishes wherever the two were cut apart.
struct StatementParser: Sendable {
    enum Outcome: Sendable, Equatable {
        case statement(Statement)
        /// A command that cannot be read; the words before the trouble say which one it was meant to be.
        case malformed(Statement, CameraError)
    }

    /// What the byte at hand stands in.
    enum Context: Sendable, Equatable {
        case plain
        case comment
        case singleQuote
        case doubleQuote
    }

    /// No command of a person or a program comes near this; it bounds the memory that bad input can take.
    static let longestStatement = 65_536

    let source: String
    let countsCommands: Bool
    private(set) var context = Context.plain
    private(set) var words: [Word] = []
    /// Bytes read so far, without `\r` before a newline.
    private(set) var offset = 0
    /// The offset at which the word at hand begins, in its written form.
    private(set) var wordStart = 0
    private(set) var isInsideWord = false

    private var outcomes: [Outcome] = []
    private var nextOutcome = 0
    private var word: [UInt8] = []
    private var wordBeginsWithTilde = false
    private var isEscaped = false
    private var escapeStart = 0
    private var hasPendingReturn = false
    private var byteOrderMarkLength = 0
    private var line = 1
    private var column = 1
    private var statementLine = 1
    private var lastStatement = (line: 0, command: 0)
    private var statementLength = 0
    private var quoteOpened = (line: 1, column: 1)
    private var problem: CameraError?

    /// - Parameters:
    ///   - source: What places call the text.
    ///   - countsCommands: Whether places tell the commands of a line apart.
    init(source: String, countsCommands: Bool = false) {
        self.source = source
        self.countsCommands = countsCommands
    }

    /// Whether more text belongs to the command at hand: an open quote or a joined line.
    var isInsideStatement: Bool {
        context == .singleQuote || context == .doubleQuote || isEscaped || isInsideWord || !words.isEmpty
    }

    /// The text of the word at hand as far as it goes.
    var partialWord: String { String(decoding: word, as: UTF8.self) }

    /// Takes the next piece of text.
    mutating func append(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            if skipsByteOrderMark(byte) { continue }
            if hasPendingReturn {
                hasPendingReturn = false
                if byte != Byte.newline { take(Byte.carriageReturn) }
            }
            if byte == Byte.carriageReturn {
                hasPendingReturn = true
            } else {
                take(byte)
            }
        }
    }

    /// Says that the text has ended, which ends the last command too.
    mutating func finish() {
        hasPendingReturn = false
        if context == .singleQuote || context == .doubleQuote {
            let quote = context == .singleQuote ? "'" : "\""
            report(
                "the \(quote) opened at line \(quoteOpened.line), column \(quoteOpened.column) is never closed; "
                    + "close it, or write \\\(quote) for the character itself")
        } else if isEscaped {
            report(
                "nothing follows the \\ at the end; remove it, or write \\\\ for the character itself")
        }
        context = .plain
        isEscaped = false
        endStatement()
    }

    /// Gives the next complete command; `nil` until there is more text.
    mutating func next() -> Outcome? {
        guard nextOutcome < outcomes.count else { return nil }
        defer {
            nextOutcome += 1
            if nextOutcome == outcomes.count {
                outcomes.removeAll(keepingCapacity: true)
                nextOutcome = 0
            }
        }
        return outcomes[nextOutcome]
    }

    /// Forgets the command at hand, as after an interrupt at the prompt.
    mutating func discard() {
        let line = line
        self = StatementParser(source: source, countsCommands: countsCommands)
        self.line = line
    }
}

extension StatementParser {
    private enum Byte {
        static let null = UInt8(0)
        static let tab = UInt8(ascii: "\t")
        static let newline = UInt8(ascii: "\n")
        static let carriageReturn = UInt8(ascii: "\r")
        static let blank = UInt8(ascii: " ")
        static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    }

    /// Editors on other systems put a byte order mark before the first command.
    private mutating func skipsByteOrderMark(_ byte: UInt8) -> Bool {
        let mark = Byte.byteOrderMark
        guard byteOrderMarkLength < mark.count else { return false }
        if byte == mark[byteOrderMarkLength] {
            byteOrderMarkLength += 1
            return true
        }
        let skipped = mark.prefix(byteOrderMarkLength)
        byteOrderMarkLength = mark.count
        for byte in skipped { take(byte) }
        return false
    }

    private mutating func take(_ byte: UInt8) {
        interpret(byte)
        offset += 1
        if byte == Byte.newline {
            line += 1
            column = 1
        } else if byte & 0xC0 != 0x80 {
            // Continuation bytes of UTF-8 take no column of their own.
            column += 1
        }
    }

    private mutating func interpret(_ byte: UInt8) {
        if byte == Byte.null {
            report("a NUL character cannot be part of a command; remove it")
        }
        switch context {
        case .comment:
            if byte == Byte.newline { endStatement() }
        case .singleQuote:
            if byte == UInt8(ascii: "'") { context = .plain } else { store(byte) }
        case .doubleQuote, .plain:
            if isEscaped {
                isEscaped = false
                if byte == Byte.newline { return }
                beginWord(at: escapeStart)
                store(byte)
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
                escapeStart = offset
                noteStatementBegin()
            } else if context == .plain {
                interpretPlain(byte)
            } else if byte == UInt8(ascii: "\"") {
                context = .plain
            } else {
                store(byte)
            }
        }
    }

    private mutating func interpretPlain(_ byte: UInt8) {
        switch byte {
        case Byte.blank, Byte.tab:
            endWord()
        case Byte.newline, UInt8(ascii: ";"):
            endStatement()
        case UInt8(ascii: "#") where !isInsideWord:
            context = .comment
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            beginWord(at: offset)
            quoteOpened = (line, column)
            context = byte == UInt8(ascii: "'") ? .singleQuote : .doubleQuote
        default:
            if byte == UInt8(ascii: "~"), !isInsideWord { wordBeginsWithTilde = true }
            beginWord(at: offset)
            store(byte)
        }
    }

    private mutating func store(_ byte: UInt8) {
        statementLength += 1
        if statementLength > Self.longestStatement {
            report("the command is longer than \(Self.longestStatement) bytes; split it")
        } else {
            word.append(byte)
        }
    }

    private mutating func noteStatementBegin() {
        if words.isEmpty && !isInsideWord { statementLine = line }
    }

    private mutating func beginWord(at start: Int) {
        guard !isInsideWord else { return }
        noteStatementBegin()
        isInsideWord = true
        wordStart = start
    }

    private mutating func endWord() {
        guard isInsideWord else { return }
        // A malformed command is not run; with what is wrong replaced it can still be named.
        let text = String(decoding: word, as: UTF8.self)
        if String(validating: word, as: UTF8.self) == nil {
            report("'\(text)' is not valid UTF-8; write it in UTF-8")
        }
        words.append(Word(text: text, beginsWithBareTilde: wordBeginsWithTilde))
        word.removeAll(keepingCapacity: true)
        isInsideWord = false
        wordBeginsWithTilde = false
    }

    private mutating func endStatement() {
        endWord()
        if let problem {
            outcomes.append(.malformed(Statement(words: words, place: nextPlace()), problem))
        } else if !words.isEmpty {
            outcomes.append(.statement(Statement(words: words, place: nextPlace())))
        }
        words.removeAll(keepingCapacity: true)
        problem = nil
        statementLength = 0
        context = .plain
    }

    private mutating func nextPlace() -> Place {
        guard countsCommands else { return Place(source: source, line: statementLine) }
        let command = lastStatement.line == statementLine ? lastStatement.command + 1 : 1
        lastStatement = (statementLine, command)
        return Place(source: source, line: statementLine, command: command)
    }

    /// Keeps the first problem: what follows it is often a consequence.
    private mutating func report(_ message: String) {
        noteStatementBegin()
        if problem == nil { problem = CameraError(.usage, message) }
    }
}

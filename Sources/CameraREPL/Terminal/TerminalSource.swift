import CameraCore

/// Commands typed at a terminal.
actor TerminalSource: StatementSource {
    static let prompt = "camera> "
    static let continuationPrompt = "      > "

    private let editor: LineEditor
    private let names: @Sendable () async -> Completion.Names
    private var parser = StatementParser(source: "terminal")
    private var hasEnded = false

    /// - Parameter names: Gives what completion offers; asked before each line.
    init(editor: LineEditor, names: @escaping @Sendable () async -> Completion.Names) {
        self.editor = editor
        self.names = names
    }

    func next() async -> StatementParser.Outcome? {
        while true {
            if let outcome = parser.next() { return outcome }
            if hasEnded { return nil }
            let isContinued = parser.isInsideStatement
            // The words before a continued line are not in the line that libedit has.
            let completion = isContinued ? nil : Completion(names: await names())
            let prompt = isContinued ? Self.continuationPrompt : Self.prompt
            switch await editor.readLine(prompt: prompt, completion: completion) {
            case .line(let line):
                parser.append((line + "\n").utf8)
            case .interrupted:
                parser.discard()
            case .end:
                hasEnded = true
                parser.finish()
            case .cancelled:
                return nil
            }
        }
    }
}

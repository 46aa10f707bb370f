import CameraCore

/// What a command's words may be, one after the other.
indirect enum Grammar: Hashable, Sendable {
    /// This very word.
    case keyword(String)
    case argument(Argument)
    /// All of these or none.
    case optional([Grammar])

    static func argument(_ name: String, _ kind: Argument.Kind, content: PictureFormat? = nil) -> Grammar {
        .argument(Argument(name, kind, content: content))
    }

    /// The element as the synopsis shows it.
    var synopsis: String {
        switch self {
        case .keyword(let word): word
        case .argument(let argument): argument.name
        case .optional(let inner): "[" + inner.map(\.synopsis).joined(separator: " ") + "]"
        }
    }
}

/// A `--name` word of a command, with or without a value after it.
struct CommandOption: Hashable, Sendable {
    let name: String
    var argument: Argument?
    let help: String

    var synopsis: String {
        guard let argument else { return "[\(name)]" }
        return "[\(name) \(argument.name)]"
    }
}

/// The arguments of one command, by their names in the synopsis.
struct Arguments: Hashable, Sendable {
    private(set) var keywords: Set<String> = []
    private var values: [String: ArgumentValue] = [:]

    mutating func bind(_ value: ArgumentValue, to name: String) { values[name] = value }
    mutating func note(_ keyword: String) { keywords.insert(keyword) }

    subscript(_ name: String) -> ArgumentValue? { values[name] }

    func has(_ keyword: String) -> Bool { keywords.contains(keyword) }
}

/// Why words do not fit a grammar, and how far they did.
private struct Mismatch: Error {
    let position: Int
    let problem: String

    /// The mismatch that got further explains better; of two equal ones, the earlier alternative does.
    func better(than other: Mismatch?) -> Bool {
        guard let other else { return true }
        return position > other.position
    }
}

/// Fits words to the forms and options of a command.
struct GrammarMatcher {
    let forms: [[Grammar]]
    let options: [CommandOption]

    /// Binds the words that follow the command's name.
    func match(_ words: [Word]) throws(CameraError) -> Arguments {
        var arguments = Arguments()
        let positional = try takeOptions(out: words, into: &arguments)
        var best: Mismatch?
        for form in forms {
            switch fit(form[...], to: positional[...], arguments) {
            case .success(let bound): return bound
            case .failure(let mismatch): if mismatch.better(than: best) { best = mismatch }
            }
        }
        throw CameraError(.usage, best?.problem ?? "no arguments are understood here")
    }

    /// Options may stand anywhere before a `--`, and only commands that have some look for them: elsewhere a
    /// word with dashes is just a word.
    private func takeOptions(out words: [Word], into arguments: inout Arguments) throws(CameraError) -> [Word]
    {
        guard !options.isEmpty else { return words }
        var positional: [Word] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word.text == "--" {
                positional += rest
                break
            }
            guard word.text.hasPrefix("--") else {
                positional.append(word)
                continue
            }
            let parts = word.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = options.first(where: { $0.name == parts[0] }) else {
                let names = options.map(\.name).joined(separator: ", ")
                throw CameraError(
                    .usage,
                    "there is no option \(parts[0]) here, only \(names); write -- before a path like that")
            }
            arguments.note(option.name)
            guard let argument = option.argument else {
                guard parts.count == 1 else { throw CameraError(.usage, "\(option.name) takes no value") }
                continue
            }
            guard let value = parts.count == 2 ? Word(text: String(parts[1])) : rest.popFirst() else {
                throw CameraError(.usage, "\(option.name) needs a value: \(option.name) \(argument.name)")
            }
            arguments.bind(try argument.value(of: value), to: argument.name)
        }
        return positional
    }

    private func fit(_ form: ArraySlice<Grammar>, to words: ArraySlice<Word>, _ bound: Arguments)
        -> Result<Arguments, Mismatch>
    {
        let position = words.startIndex
        guard let element = form.first else {
            guard let extra = words.first else { return .success(bound) }
            return .failure(Mismatch(position: position, problem: "'\(extra.text)' is not expected here"))
        }
        var bound = bound
        switch element {
        case .optional(let inner):
            guard !words.isEmpty else { return fit(form.dropFirst(), to: words, bound) }
            let with = fit((inner + form.dropFirst())[...], to: words, bound)
            guard case .failure(let mismatch) = with else { return with }
            let without = fit(form.dropFirst(), to: words, bound)
            guard case .failure(let other) = without, !other.better(than: mismatch) else { return without }
            return with
        case .keyword(let keyword):
            guard let word = words.first, word.text == keyword else {
                let problem =
                    words.first.map { "'\($0.text)' is not expected here" } ?? "more is expected at the end"
                return .failure(Mismatch(position: position, problem: problem))
            }
            bound.note(keyword)
        case .argument(let argument):
            guard let word = words.first else {
                return .failure(Mismatch(position: position, problem: "\(argument.name) is missing"))
            }
            do throws(CameraError) {
                bound.bind(try argument.value(of: word), to: argument.name)
            } catch {
                return .failure(Mismatch(position: position, problem: error.message))
            }
        }
        return fit(form.dropFirst(), to: words.dropFirst(), bound)
    }
}

import CameraCore

/// A command: the one place that parser, help, completion and the machine-readable listing draw from.
struct Command: Sendable {
    typealias Run = @Sendable (Invocation, Engine) async throws(CameraError) -> Reply

    let name: String

    /// What it does, in a few words.
    let summary: String

    /// What the summary leaves open, in whole sentences.
    let help: String

    /// The ways to write its arguments; the first that fits is taken.
    let forms: [[Grammar]]

    let options: [CommandOption]

    /// Does the work. It may be cancelled at any `await`.
    let run: Run

    init(
        _ name: String,
        summary: String,
        help: String,
        forms: [[Grammar]] = [[]],
        options: [CommandOption] = [],
        run: @escaping Run
    ) {
        self.name = name
        self.summary = summary
        self.help = help
        self.forms = forms
        self.options = options
        self.run = run
    }

    /// Every way to write the command, one each.
    var synopses: [String] {
        forms.map { form in
            ([name] + form.map(\.synopsis) + options.map(\.synopsis)).joined(separator: " ")
        }
    }

    /// Reads the words that follow the command's name.
    func parse(_ words: [Word]) throws(CameraError) -> Arguments {
        do throws(CameraError) {
            return try GrammarMatcher(forms: forms, options: options).match(words)
        } catch {
            let usage = synopses.joined(separator: " or ")
            throw CameraError(error.code, "\(name): \(error.message); usage: \(usage)")
        }
    }
}

/// A command with its arguments, about to run.
struct Invocation: Sendable {
    let command: Command
    let arguments: Arguments

    /// When the command had been read; latencies count from here.
    let readAt: ContinuousClock.Instant
}

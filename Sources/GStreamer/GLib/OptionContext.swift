import CGStreamer

/// A command line grammar with its help text: `GOptionContext`.
///
/// The options of GStreamer itself (`--gst-debug` and the like) are always part of it, and parsing
/// initialises GStreamer. `--help` and what GStreamer's own options print end the process, as GLib does it.
public struct OptionContext: Sendable {
    /// What an option takes.
    public enum Kind: Sendable {
        /// Nothing: the option is given or not.
        case flag
        /// One text; given more than once, the last one counts.
        case text(placeholder: String)
        /// A text each time it is given, whatever its bytes.
        case byteStrings(placeholder: String)
    }

    /// One option: `GOptionEntry`.
    public struct Option: Sendable {
        let name: String
        let letter: Character?
        let kind: Kind
        let help: String

        var isFlag: Bool { if case .flag = kind { true } else { false } }

        /// Declares an option.
        ///
        /// - Parameters:
        ///   - name: The long name, without dashes.
        ///   - letter: The short name, an ASCII letter, or `nil` for none.
        ///   - kind: What the option takes.
        ///   - help: One line for the help text.
        public init(_ name: String, letter: Character? = nil, _ kind: Kind, help: String) {
            self.name = name
            self.letter = letter
            self.kind = kind
            self.help = help
        }
    }

    /// What a command line said.
    public struct Values: Sendable {
        fileprivate(set) var given: Set<String> = []
        fileprivate(set) var texts: [String: String] = [:]
        fileprivate(set) var byteStrings: [String: [[UInt8]]] = [:]

        /// The arguments that belong to no option, in order.
        public fileprivate(set) var remaining: [String] = []

        /// Whether the flag of that name was given.
        public func flag(_ name: String) -> Bool { given.contains(name) }

        /// What was given to the option of that name, or `nil` if it was not.
        public func text(_ name: String) -> String? { texts[name] }

        /// Everything that was given to the option of that name, in order.
        public func byteStrings(_ name: String) -> [[UInt8]] { byteStrings[name] ?? [] }
    }

    /// A command line that does not fit, or a GStreamer that cannot start: `GError`.
    public struct ParsingError: Error, Sendable, CustomStringConvertible {
        /// What is wrong; as a rule in GLib's words.
        public let description: String
    }

    private let parameters: String
    private let summary: String
    private let epilogue: @Sendable () -> String
    private let options: [Option]

    /// Declares a grammar.
    ///
    /// - Parameters:
    ///   - parameters: What follows the options on the usage line.
    ///   - summary: Printed above the options.
    ///   - epilogue: Printed below them; made only for a command line that may ask for help.
    ///   - options: The options, in the order of the help text.
    public init(
        parameters: String, summary: String, epilogue: @escaping @Sendable () -> String, options: [Option]
    ) {
        self.parameters = parameters
        self.summary = summary
        self.epilogue = epilogue
        self.options = options
    }

    /// The command line of this process, byte for byte: `CommandLine.arguments` repairs what is not UTF-8.
    public static var processArguments: [[UInt8]] {
        (0..<Int(CommandLine.argc)).compactMap { index in
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe bytes(of: argument)
        }
    }

    /// Reads a command line, the program's name first, and initialises GStreamer.
    ///
    /// Texts are taken byte for byte and not converted from the locale's character set, so that a path
    /// typed in the `C` locale arrives as it was typed. Call it from one thread, before GStreamer is used.
    ///
    /// - Parameters:
    ///   - arguments: The command line, byte for byte.
    ///   - print: Prints what an option asks for that ends the process. GLib itself would not notice that nothing
    ///     could be written. It may end the process first.
    /// - Throws: ``ParsingError`` for an unknown option, a missing value, a text that is not UTF-8, or a GStreamer
    ///   that cannot start.
    public func parse(
        _ arguments: [[UInt8]], print: @escaping @Sendable (String) -> Void
    ) throws(ParsingError) -> Values {
        try checkFlags(arguments.dropFirst())
        printer.withLock { $0 = print }
        let former = unsafe g_set_print_handler(printText)
        defer {
            _ = unsafe g_set_print_handler(former)
            printer.withLock { $0 = nil }
        }
        let storage = OptionStorage(options)
        let context = unsafe g_option_context_new(parameters)
        defer { unsafe g_option_context_free(context) }
        unsafe g_option_context_set_summary(context, summary)
        if arguments.contains(where: Self.mayAskForHelp) {
            unsafe g_option_context_set_description(context, epilogue())
        }
        unsafe g_option_context_add_main_entries(context, storage.entries, nil)
        // The context owns the group from here on.
        unsafe g_option_context_add_group(context, gst_init_get_option_group())

        // GLib takes the options that it understood out of this vector and frees them.
        var vector = unsafe makeVector(arguments)
        defer { unsafe g_strfreev(vector) }
        var error: UnsafeMutablePointer<GError>?
        guard unsafe g_option_context_parse_strv(context, &vector, &error) != 0 else {
            defer { unsafe g_clear_error(&error) }
            guard let text = unsafe error?.pointee.message else {
                throw ParsingError(description: "the options cannot be read")
            }
            throw unsafe ParsingError(description: String(cString: text))
        }
        return try storage.values()
    }

    /// Whether an argument is one of `-h`, `-?`, `--help`, `--help-all` and the like, or might be.
    private static func mayAskForHelp(_ argument: [UInt8]) -> Bool {
        argument.first == UInt8(ascii: "-")
            && argument.contains { [UInt8(ascii: "h"), UInt8(ascii: "?")].contains($0) }
    }

    /// GLib takes `--json=no` for `--json`.
    private func checkFlags(_ arguments: ArraySlice<[UInt8]>) throws(ParsingError) {
        var rest = arguments.map { String(decoding: $0, as: UTF8.self) }[...]
        while let argument = rest.popFirst(), argument != "--" {
            guard argument.hasPrefix("--") else {
                // The last of `-kd` has its value in what follows; `-dID` has it itself.
                let letters = argument.hasPrefix("-") ? argument.dropFirst() : ""
                let taker = letters.firstIndex { letter in
                    options.contains { $0.letter == letter && !$0.isFlag }
                }
                if let taker, letters.index(after: taker) == letters.endIndex { rest = rest.dropFirst() }
                continue
            }
            let parts = argument.dropFirst(2).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = options.first(where: { $0.name == parts[0] }) else { continue }
            if option.isFlag {
                guard parts.count == 1 else {
                    throw ParsingError(description: "--\(option.name) takes no value")
                }
            } else if parts.count == 1 {
                rest = rest.dropFirst()
            }
        }
    }

    private func makeVector(_ arguments: [[UInt8]]) -> UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>? {
        let builder = unsafe g_strv_builder_new()
        defer { unsafe g_strv_builder_unref(builder) }
        for argument in arguments {
            unsafe (argument.map(CChar.init(bitPattern:)) + [0]).withUnsafeBufferPointer {
                unsafe g_strv_builder_add(builder, $0.baseAddress)
            }
        }
        return unsafe g_strv_builder_end(builder)
    }
}

/// What takes the place of GLib's printing during ``OptionContext/parse(_:print:)``.
private let printer = Guarded<(@Sendable (String) -> Void)?>(nil)

/// The `GPrintFunc` that hands on to ``printer``; called on the thread that parses.
private func printText(_ text: UnsafePointer<gchar>?) {
    guard let text = unsafe text.map({ unsafe String(cString: $0) }) else { return }
    printer.withLock { $0 }?(text)
}

private func bytes(of text: UnsafePointer<gchar>) -> [UInt8] {
    unsafe UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) }
}

/// The memory that GLib writes the values of options into, and the strings that its entries point at.
///
/// GLib copies the table of entries but not the names in it: this object outlives the context.
@safe private final class OptionStorage {
    private let options: [OptionContext.Option]
    private let flags: UnsafeMutablePointer<gint>
    private let texts: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>
    private let lists: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?>
    private var strings: [UnsafeMutablePointer<gchar>]
    let entries: UnsafeMutablePointer<GOptionEntry>

    init(_ options: [OptionContext.Option]) {
        self.options = options
        unsafe strings = []
        let count = options.count
        unsafe flags = .allocate(capacity: count)
        unsafe flags.initialize(repeating: 0, count: count)
        unsafe texts = .allocate(capacity: count)
        unsafe texts.initialize(repeating: nil, count: count)
        // One list more than options, for the remaining arguments; one entry more again, for the end mark.
        unsafe lists = .allocate(capacity: count + 1)
        unsafe lists.initialize(repeating: nil, count: count + 1)
        unsafe entries = .allocate(capacity: count + 2)
        unsafe entries.initialize(repeating: GOptionEntry(), count: count + 2)
        for (index, option) in options.enumerated() {
            unsafe entries[index] = entry(for: option, at: index)
        }
        // The empty name stands for what belongs to no option (G_OPTION_REMAINING).
        unsafe entries[count].long_name = copy("")
        unsafe entries[count].arg = G_OPTION_ARG_FILENAME_ARRAY
        unsafe entries[count].arg_data = gpointer(lists + count)
    }

    deinit {
        for index in options.indices {
            unsafe g_free(texts[index])
        }
        for index in 0...options.count {
            unsafe g_strfreev(lists[index])
        }
        unsafe strings.forEach { unsafe g_free($0) }
        unsafe entries.deallocate()
        unsafe lists.deallocate()
        unsafe texts.deallocate()
        unsafe flags.deallocate()
    }

    func values() throws(OptionContext.ParsingError) -> OptionContext.Values {
        var values = OptionContext.Values()
        for (index, option) in options.enumerated() {
            switch option.kind {
            case .flag:
                if unsafe flags[index] != 0 { values.given.insert(option.name) }
            case .text:
                if let text = unsafe texts[index] {
                    values.texts[option.name] = try Self.text(
                        unsafe bytes(of: text), "the value of --\(option.name)")
                }
            case .byteStrings:
                values.byteStrings[option.name] = list(index)
            }
        }
        for argument in list(options.count) {
            values.remaining.append(try Self.text(argument, "the argument"))
        }
        return values
    }

    private func list(_ index: Int) -> [[UInt8]] {
        guard let list = unsafe lists[index] else { return [] }
        var result: [[UInt8]] = []
        var position = 0
        while let text = unsafe list[position] {
            result.append(unsafe bytes(of: text))
            position += 1
        }
        return result
    }

    private static func text(_ bytes: [UInt8], _ what: String) throws(OptionContext.ParsingError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let repaired = String(decoding: bytes, as: UTF8.self)
            throw OptionContext.ParsingError(
                description: "\(what), '\(repaired)', is not valid UTF-8; write it in UTF-8")
        }
        return text
    }

    private func entry(for option: OptionContext.Option, at index: Int) -> GOptionEntry {
        var entry = unsafe GOptionEntry()
        unsafe entry.long_name = copy(option.name)
        if let letter = option.letter?.asciiValue { unsafe entry.short_name = gchar(bitPattern: letter) }
        unsafe entry.description = copy(option.help)
        switch option.kind {
        case .flag:
            unsafe entry.arg = G_OPTION_ARG_NONE
            unsafe entry.arg_data = gpointer(flags + index)
        case .text(let placeholder):
            // FILENAME and not STRING: the latter converts from the locale's character set.
            unsafe entry.arg = G_OPTION_ARG_FILENAME
            unsafe entry.arg_description = copy(placeholder)
            unsafe entry.arg_data = gpointer(texts + index)
        case .byteStrings(let placeholder):
            unsafe entry.arg = G_OPTION_ARG_FILENAME_ARRAY
            unsafe entry.arg_description = copy(placeholder)
            unsafe entry.arg_data = gpointer(lists + index)
        }
        return unsafe entry
    }

    private func copy(_ text: String) -> UnsafePointer<gchar>? {
        guard let copy = unsafe g_strdup(text) else { return nil }
        unsafe strings.append(copy)
        return unsafe UnsafePointer(copy)
    }
}

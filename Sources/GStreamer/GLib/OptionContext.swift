import CGStreamer

/// A command line grammar with its help text: `GOptionContext`.
///
/// The options of GStreamer itself (`--gst-debug` and the like) are always part of it, and parsing
/// initialises GStreamer. `--help` prints the help text and ends the process, as GLib does it.
public struct OptionContext: Sendable {
    /// What an option takes.
    public enum Kind: Sendable {
        /// Nothing: the option is given or not.
        case flag
        /// One text; given more than once, the last one counts.
        case text(placeholder: String)
        /// A text each time it is given.
        case texts(placeholder: String)
    }

    /// One option: `GOptionEntry`.
    public struct Option: Sendable {
        let name: String
        let letter: Character?
        let kind: Kind
        let help: String

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
        fileprivate(set) var texts: [String: [String]] = [:]

        /// The arguments that belong to no option, in order.
        public fileprivate(set) var remaining: [String] = []

        /// Whether the flag of that name was given.
        public func flag(_ name: String) -> Bool { given.contains(name) }

        /// What was given to the option of that name, or `nil` if it was not.
        public func text(_ name: String) -> String? { texts[name]?.last }

        /// Everything that was given to the option of that name, in order.
        public func texts(_ name: String) -> [String] { texts[name] ?? [] }
    }

    /// A command line that does not fit, or a GStreamer that cannot start: `GError`.
    public struct ParsingError: Error, Sendable, CustomStringConvertible {
        /// What is wrong, in GLib's words.
        public let description: String
    }

    private let parameters: String
    private let summary: String
    private let epilogue: String
    private let options: [Option]

    /// Declares a grammar.
    ///
    /// - Parameters:
    ///   - parameters: What follows the options on the usage line.
    ///   - summary: Printed above the options.
    ///   - epilogue: Printed below them.
    ///   - options: The options, in the order of the help text.
    public init(parameters: String, summary: String, epilogue: String, options: [Option]) {
        self.parameters = parameters
        self.summary = summary
        self.epilogue = epilogue
        self.options = options
    }

    /// Reads a command line, the program's name first, and initialises GStreamer.
    ///
    /// Texts are taken byte for byte and not converted from the locale's character set, so that a path
    /// typed in the `C` locale arrives as it was typed. Call it from one thread, before GStreamer is used.
    ///
    /// - Throws: ``ParsingError`` for an unknown option, a missing value, or a GStreamer that cannot start.
    public func parse(_ arguments: [String]) throws(ParsingError) -> Values {
        let storage = OptionStorage(options)
        let context = unsafe g_option_context_new(parameters)
        defer { unsafe g_option_context_free(context) }
        unsafe g_option_context_set_summary(context, summary)
        unsafe g_option_context_set_description(context, epilogue)
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
        return storage.values
    }

    private func makeVector(_ arguments: [String]) -> UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>? {
        let builder = unsafe g_strv_builder_new()
        defer { unsafe g_strv_builder_unref(builder) }
        for argument in arguments {
            unsafe g_strv_builder_add(builder, argument)
        }
        return unsafe g_strv_builder_end(builder)
    }
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

    var values: OptionContext.Values {
        var values = OptionContext.Values()
        for (index, option) in options.enumerated() {
            switch option.kind {
            case .flag:
                if unsafe flags[index] != 0 { values.given.insert(option.name) }
            case .text:
                if let text = unsafe texts[index] {
                    values.texts[option.name] = unsafe [String(cString: text)]
                }
            case .texts:
                values.texts[option.name] = list(index)
            }
        }
        values.remaining = list(options.count)
        return values
    }

    private func list(_ index: Int) -> [String] {
        guard let list = unsafe lists[index] else { return [] }
        var result: [String] = []
        var position = 0
        while let text = unsafe list[position] {
            result.append(unsafe String(cString: text))
            position += 1
        }
        return result
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
        case .texts(let placeholder):
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

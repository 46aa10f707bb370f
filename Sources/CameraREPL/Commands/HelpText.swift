/// Help, for people and as a listing for programs, both drawn from the command table.
enum HelpText {
    static var all: Reply {
        Reply(
            data: .array(CommandTable.all.map(\.listing)),
            text: overview + "\n\n'help COMMAND' tells more about a command.")
    }

    /// One line for each way to write a command.
    static var overview: String {
        var table = TextTable()
        for command in CommandTable.all {
            var summary = command.summary
            for synopsis in command.synopses {
                table.add(synopsis, summary)
                summary = ""
            }
        }
        return table.text
    }
}

extension Command {
    var helpReply: Reply {
        let explanation = "\(summary.prefix(1).uppercased())\(summary.dropFirst()). \(help)"
        var text = (synopses + ["", explanation.wrapped()]).joined(separator: "\n")
        if !options.isEmpty {
            var table = TextTable()
            for option in options {
                table.add(
                    [option.name, option.argument?.name].compactMap(\.self).joined(separator: " "),
                    option.help)
            }
            text += "\n\n" + table.text
        }
        return Reply(data: listing, text: text)
    }

    /// The command as a program sees it.
    var listing: JSONValue {
        [
            "name": .string(name),
            "synopses": .array(synopses.map(JSONValue.string)),
            "summary": .string(summary),
            "help": .string(help),
            "forms": .array(forms.map { .array($0.map(\.listing)) }),
            "options": .array(options.map(\.listing)),
        ]
    }
}

extension Grammar {
    fileprivate var listing: JSONValue {
        switch self {
        case .keyword(let word): ["keyword": .string(word)]
        case .argument(let argument): argument.listing
        case .optional(let inner): ["optional": .array(inner.map(\.listing))]
        }
    }
}

extension Argument {
    fileprivate var listing: JSONValue {
        var object: [String: JSONValue] = ["argument": .string(name), "kind": .string(kind.rawValue)]
        if let content { object["endings"] = .array(content.endings.map(JSONValue.string)) }
        return .object(object)
    }
}

extension CommandOption {
    fileprivate var listing: JSONValue {
        ["option": .string(name), "value": argument?.listing ?? .null, "help": .string(help)]
    }
}

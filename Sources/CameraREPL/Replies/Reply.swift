import CameraCore

/// What a command has to say, for programs and for people.
struct Reply: Sendable {
    /// The `data` of the JSON reply.
    var data: JSONValue

    /// The text reply, without a newline at its end; empty for none.
    var text: String

    /// What was decided in the user's place, one sentence each.
    var notices: [String] = []

    /// Whether the session ends with this reply.
    var endsSession = false
}

extension Reply {
    /// A list: an array for programs, a table for people.
    ///
    /// - Parameters:
    ///   - empty: The text in place of a table without rows.
    ///   - add: Adds the row of an item to the table.
    static func list<Item>(
        _ items: some Collection<Item>, empty: String = "", json: (Item) -> JSONValue,
        add: (Item, inout TextTable) -> Void
    ) -> Reply {
        var table = TextTable()
        for item in items { add(item, &table) }
        return Reply(data: .array(items.map(json)), text: items.isEmpty ? empty : table.text)
    }
}

/// A reply or an error, on its way to the terminal or to the program at the other end.
struct Answer: Sendable {
    /// The name of the command, as far as there was one.
    let command: String
    let result: Result<Reply, CameraError>

    /// Where the command was written; `nil` when it was typed.
    var place: Place?

    /// The answer as one JSON object.
    var json: JSONValue {
        var object: [String: JSONValue] = ["command": .string(command)]
        switch result {
        case .success(let reply):
            object["ok"] = true
            object["data"] = reply.data
            if !reply.notices.isEmpty { object["notices"] = .array(reply.notices.map(JSONValue.string)) }
        case .failure(let error):
            object["ok"] = false
            object["error"] = error.json(at: place)
        }
        return .object(object)
    }
}

extension CameraError {
    /// Code and message, with the place where that is known.
    func json(at place: Place? = nil) -> JSONValue {
        var object: [String: JSONValue] = ["code": .string(code.rawValue), "message": .string(message)]
        if let place { object["at"] = .string("\(place)") }
        return .object(object)
    }

    /// The exit status that an unhandled error of this kind leads to.
    var exitStatus: Int32 {
        switch code {
        case .usage, .unknownCommand: ExitStatus.usage
        default: ExitStatus.failed
        }
    }
}

/// How the process ends.
enum ExitStatus {
    static let success: Int32 = 0
    static let failed: Int32 = 1
    static let usage: Int32 = 2

    /// The status of a process that a signal ended, as shells count it.
    static func signal(_ number: Int32) -> Int32 { 128 + number }
}

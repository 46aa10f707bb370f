import CameraCore

/// All commands, in the order in which help lists them.
enum CommandTable {
    static let all: [Command] = [
        .devices, .device, .presets, .preset, .format, .zoom,
        .start, .stop, .frame, .frames, .photo,
        .status, .outputs, .output, .graph, .wait, .help, .quit,
    ]

    static func command(named name: String) -> Command? {
        all.first { $0.name == name }
    }

    /// Finds the command that the words ask for and reads its arguments.
    static func invocation(of words: [Word], readAt: ContinuousClock.Instant) throws(CameraError)
        -> Invocation
    {
        guard let name = words.first?.text else {
            throw CameraError(.internal, "an empty command was not skipped; please report this")
        }
        let command = try named(name)
        return Invocation(
            command: command, arguments: try command.parse(Array(words.dropFirst())), readAt: readAt)
    }

    static func named(_ name: String) throws(CameraError) -> Command {
        guard let command = command(named: name) else {
            let question = NearNames.question(name, in: all.map { NearNames.Choice($0.name) })
            throw CameraError(
                .unknownCommand, "there is no command '\(name)'; \(question)'help' lists the commands")
        }
        return command
    }
}

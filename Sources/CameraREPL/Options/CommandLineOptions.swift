import CameraCore
import GStreamer

/// What the command line asks for.
struct CommandLineOptions: Sendable {
    var device: String?
    var preset: SessionPreset?
    var isJSON = false
    var keepsGoing = false
    var pipelines: String?
    var outputDirectory: String?
    var isVerbose = false
    var showsVersion = false

    /// The texts of `-c`, in order; what is not UTF-8 in them is refused where it stands.
    var commands: [[UInt8]] = []
    /// The scripts to run; `-` is standard input.
    var scripts: [String] = []

    /// Reads a command line, the program's name first. `--help` ends the process.
    ///
    /// - Parameter print: Prints the help; see ``OptionContext/parse(_:print:)``.
    /// - Throws: `usage`, naming what is wrong and where to look.
    init(arguments: [[UInt8]], print: @escaping @Sendable (String) -> Void) throws(CameraError) {
        let values: OptionContext.Values
        do throws(OptionContext.ParsingError) {
            values = try Self.context.parse(arguments, print: print)
        } catch {
            // GLib's messages begin with a capital.
            let message = error.description.prefix(1).lowercased() + error.description.dropFirst()
            throw CameraError(.usage, "\(message); 'camera --help' lists the options")
        }
        device = values.text("device")
        isJSON = values.flag("json")
        keepsGoing = values.flag("keep-going")
        pipelines = values.text("pipelines")
        outputDirectory = values.text("output-directory")
        isVerbose = values.flag("verbose")
        showsVersion = values.flag("version")
        for (name, value) in [
            ("device", device), ("pipelines", pipelines), ("output-directory", outputDirectory),
        ]
        where value?.isEmpty == true {
            throw CameraError(.usage, "--\(name) is empty; give it a value, or leave it out")
        }
        commands = values.byteStrings("command")
        scripts = values.remaining
        if let name = values.text("preset") {
            guard case .preset(let preset) = try Argument.Kind.preset.value(of: Word(text: name)) else {
                throw .missingArgument("--preset")
            }
            self.preset = preset
        }
        guard commands.isEmpty || scripts.isEmpty else {
            throw CameraError(
                .usage, "-c and the script \(scripts[0]) exclude each other; put the commands into the script"
            )
        }
    }

    private static let context = OptionContext(
        parameters: "[FILE.camera …]",
        summary: """
            Drives a camera: interactively at a terminal, with -c, from scripts, or from another program \
            through a pipe. The FILE - is standard input.
            """,
        epilogue: {
            """
            Commands:
            \(HelpText.overview.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))

            Examples:
              camera                                     type commands
              camera -c 'photo'                          take a photo into the pictures folder
              camera -d front -c 'zoom 2; photo me.jpg'  the same, zoomed, with the front camera
              camera --json < commands                   drive it from a program

            Exit status: 0 all well, 1 a command failed, 2 wrong usage, 130 interrupted.
            """
        },
        options: [
            .init(
                "device", letter: "d", .text(placeholder: "ID"),
                help: "Camera to start with: id, name, node, front or back (default: the one chosen last)"),
            .init(
                "preset", letter: "p", .text(placeholder: "NAME"),
                help: "Preset to start with (default: high)"),
            .init(
                "command", letter: "c", .byteStrings(placeholder: "COMMANDS"),
                help: "Run these commands and exit; ; or a newline separates them"),
            .init("json", .flag, help: "Answer with one JSON object a line"),
            .init("keep-going", letter: "k", .flag, help: "Go on after a failed command"),
            .init(
                "pipelines", .text(placeholder: "DIR"), help: "Folder with sources/ and outputs/"),
            .init(
                "output-directory", letter: "o", .text(placeholder: "DIR"),
                help: "Folder for photos without a path; made when missing"),
            .init("verbose", letter: "v", .flag, help: "Tell more on standard error"),
            .init("version", .flag, help: "Print the version and exit"),
        ]
    )
}

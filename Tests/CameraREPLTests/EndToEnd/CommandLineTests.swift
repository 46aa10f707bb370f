import CameraREPL
import Foundation
import Testing

/// The command's contract, as far as it needs no particular camera: every test uses the built-in ones.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CommandLineTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func run(_ arguments: String..., input: String? = nil, environment: [String: String] = [:])
        async throws
        -> CameraProcess.Outcome
    {
        try await CameraProcess.run(
            arguments, input: input,
            environment: ["HOME": folder.path].merging(environment) { _, new in new },
            folder: folder.path)
    }

    @Test func doesNothingWithoutInput() async throws {
        let outcome = try await run()
        #expect(outcome.status == 0)
        #expect(outcome.output.utf8.count + outcome.errors.utf8.count < 1024)
        #expect(try await run("-c", "").status == 0)
    }

    @Test func explainsItself() async throws {
        let help = try await run("--help")
        #expect(help.status == 0)
        for part in [
            "--device", "--help-gst", "zoom [FACTOR|+N|-N] [at X,Y]", "Examples:", "[FILE.camera …]",
        ] {
            #expect(help.output.contains(part), "\(part)")
        }
        let version = try await run("--version")
        #expect(version.status == 0)
        #expect(version.output.contains("camera \(CameraProgram.version)"))
        #expect(version.output.contains("GStreamer 1."))
    }

    @Test(arguments: [
        (["--nosuch"], "--help"),
        (["-p", "nosuch", "-c", "status"], "hd1280x720"),
        (["--pipelines", "/no/such/folder", "-c", "help"], "/no/such/folder"),
        (["-c", "status", "x.camera"], "exclude"),
        (["nosuch.camera"], "nosuch.camera"),
        (["-o", "", "-c", "photo"], "--output-directory is empty"),
        (["-d", "", "-c", "status"], "--device is empty"),
        (["--pipelines=", "-c", "status"], "--pipelines is empty"),
        (["/"], "/"),
    ])
    func refusesWrongUsage(arguments: [String], part: String) async throws {
        let outcome = try await CameraProcess.run(arguments, folder: folder.path)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(part), "\(outcome.errors)")
    }

    @Test func runsCommandsFromTheCommandLine() async throws {
        let outcome = try await run("--json", "-c", "zoom 2; status # rest\npreset hd1280x720")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try outcome.answers.map(\.command) == ["zoom", "status", "preset"])
        let zoom: [String: Any] = try outcome.answers[0].data()
        #expect(zoom["zoom"] as? Double == 2)
        #expect(
            outcome.errors.split(separator: "\n").count == 1, "one notice about the camera: \(outcome.errors)"
        )
    }

    @Test func runsTheLastLineWithoutANewline() async throws {
        let outcome = try await run("--json", input: "zoom 2\r\nzoom 3")
        #expect(outcome.status == 0)
        #expect(try outcome.answers.count == 2)
    }

    @Test func answersALineBeforeTheNextOneIsSent() async throws {
        let process = try CameraProcess(["--json", "-d", "test:ball"], environment: ["HOME": folder.path])
        try process.send("zoom 2\n")
        try await process.waitForOutput("\"zoom\":2")
        try process.send("zoom 3\n")
        try await process.waitForOutput("\"zoom\":3")
        try process.endInput()
        #expect(await process.end().status == 0)
    }

    @Test func stopsAtAFailedCommand() async throws {
        let outcome = try await run("--json", "-c", "zoom 2; zoom 99; zoom 3")
        #expect(outcome.status == 1)
        #expect(try outcome.answers.map(\.code) == [nil, "zoom-out-of-range"])
        let text = try await run("-c", "zoom 99; zoom 3")
        #expect(text.status == 1)
        #expect(text.output.isEmpty)
        #expect(text.errors.contains("1 to 10") || text.errors.contains("from 1"), "\(text.errors)")
    }

    @Test func goesOnWhenTold() async throws {
        let outcome = try await run("-k", "--json", "-c", "zoom 99; nosuch; zoom 1,5; zoom 3; photo 'x")
        #expect(outcome.status == 2)
        #expect(
            try outcome.answers.map(\.code) == [
                "zoom-out-of-range", "unknown-command", "usage", nil, "usage",
            ])
        #expect(try await run("-k", "-c", "zoom 99; zoom 3").status == 1)
    }

    @Test func namesTheLineOfAScript() async throws {
        let script = try folder.make(file: "demo.camera", "# a demo\nzoom 2\n\nnosuch\nzoom 3\n")
        let outcome = try await run(script)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("\(script):4: "), "\(outcome.errors)")
        let json = try await run("--json", script)
        #expect(try json.answers.last?.line.contains("\"at\":\"\(script):4\"") == true)
    }

    @Test(arguments: [[], ["--json"]])
    func tellsWhatGStreamerReported(options: [String]) async throws {
        try folder.make(file: "pipelines/outputs/broken.launch", "nosuchelement1 ! fakesink")
        let arguments = options + ["-d", "test:bars", "-c", "output add broken"]
        let report = "camera: missing-plugin: gst_parse_error "
        #expect(try await !CameraProcess.run(arguments, folder: folder.path).errors.contains(report))
        let outcome = try await CameraProcess.run(["-v"] + arguments, folder: folder.path)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains(report), "\(outcome.errors)")
    }

    @Test func runsSeveralScriptsUntilOneQuits() async throws {
        let first = try folder.make(file: "a.camera", "zoom 2")
        let second = try folder.make(file: "b.camera", "zoom 3\nquit\nzoom 99")
        let outcome = try await run("--json", first, second, first)
        #expect(outcome.status == 0)
        #expect(try outcome.answers.map(\.command) == ["zoom", "zoom", "quit"])
        let input = try await run("--json", first, "-", input: "zoom 4")
        #expect(try input.answers.count == 2)
    }

    @Test func startsWithTheWantedCamera() async throws {
        let outcome = try await run("--json", "-d", "front", "-p", "vga640x480", "-c", "status")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        let status: [String: Any] = try outcome.answers[0].data()
        #expect(status["device"] as? String == "test:ball")
        #expect(status["preset"] as? String == "vga640x480")
        let missing = try await run("--json", "-d", "nosuch", "-c", "status")
        #expect(missing.status == 1)
        #expect(try missing.answers.map(\.code) == ["device-not-found"])
        #expect(try await run("-d", "nosuch").status == 1)
    }

    @Test func rejectsACommaInEveryLocale() async throws {
        for environment in [[:], try CommaLocale.environment(in: folder)] {
            let outcome = try await run(
                "--json", "-k", "-c", "zoom 1.5; zoom 1,5; zoom 2 at 0.5,0.25", environment: environment)
            #expect(try outcome.answers.map(\.code) == [nil, "usage", nil])
            let data: [String: Any] = try outcome.answers[0].data()
            #expect(data["zoom"] as? Double == 1.5)
        }
    }

    // MARK: Where answers go

    /// Runs the command by way of a shell, in which `"$@"` is the command with these arguments.
    private func shell(_ line: String, _ arguments: [String] = []) async throws -> CameraProcess.Outcome {
        try await CameraProcess.run(
            ["-c", line, "sh", CameraProcess.executable.path] + arguments,
            environment: ["HOME": folder.path], folder: folder.path, executable: URL(filePath: "/bin/sh"))
    }

    private static let printing = [
        ["-c", "help; help"], ["--json", "-c", "help"], ["--help"], ["-h"], ["--help-all"], ["--help-gst"],
        ["--version"],
        ["--gst-version"],
    ]

    @Test(arguments: printing)
    func endsQuietlyWhenNobodyReads(arguments: [String]) async throws {
        // The reader is gone before the command begins.
        let outcome = try await shell(
            #"mkfifo p; : < p & exec 3> p; wait; "$@" >&3"#, arguments)
        #expect(outcome.status == 128 + SIGPIPE && outcome.errors.isEmpty, "\(outcome.errors)")
    }

    @Test(arguments: printing)
    func saysThatAnAnswerCannotBeWritten(arguments: [String]) async throws {
        let full = try await shell(#""$@" > /dev/full"#, arguments)
        #expect(full.status == 1)
        let complaint = "error: cannot write to standard output: "
        #expect(full.errors == complaint + "No space left on device; send it somewhere else\n")
        let closed = try await shell(#""$@" >&-"#, arguments)
        #expect(closed.status == 1)
        #expect(closed.errors == complaint + "it is closed; send it somewhere else\n")
    }

    /// The number of a closed descriptor is the next one to be given away: nothing of ours may get it.
    @Test func writesNoAnswersIntoItsOwnFiles() async throws {
        let outcome = try await shell(
            #""$@" >&- 2>&-"#, ["-k", "-d", "test:bars", "-c", "photo a.jpg; devices"])
        #expect(outcome.status == 1)
        let photo = try Data(contentsOf: folder.url.appending(path: "a.jpg"))
        #expect(photo.prefix(2) == Data([0xFF, 0xD8]) && photo.suffix(2) == Data([0xFF, 0xD9]))
    }

    @Test func saysThatThereIsNoInput() async throws {
        let outcome = try await shell(#""$@" <&-"#)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("cannot read stdin: it is closed"), "\(outcome.errors)")
    }

    // MARK: Bytes that are no text

    @Test(arguments: [
        #"exec "$@" --json -k -c "$commands""#, #"printf %s "$commands" | "$@" --json -k"#,
        #"printf %s "$commands" > x.camera; exec "$@" --json -k x.camera"#,
    ])
    func refusesWhatIsNotUTF8(line: String) async throws {
        let outcome = try await shell(#"commands=$(printf 'zo\377m 2\nphoto a\377.jpg\nhelp quit'); "# + line)
        #expect(outcome.status == 2)
        #expect(try outcome.answers.map(\.command) == ["zo\u{FFFD}m", "photo", "help"])
        #expect(try outcome.answers.map(\.code) == ["usage", "usage", nil])
        #expect(try outcome.answers[1].message?.contains("'a\u{FFFD}.jpg' is not valid UTF-8") == true)
        #expect(try folder.names.allSatisfy { !$0.hasSuffix(".jpg") })
    }

    @Test(arguments: ["--device", "--output-directory", "--pipelines", ""])
    func refusesOptionsThatAreNotUTF8(option: String) async throws {
        let outcome = try await shell(#"exec "$@" "$(printf 'a\377b')""#, option.isEmpty ? [] : [option])
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("'a\u{FFFD}b', is not valid UTF-8"), "\(outcome.errors)")
    }

    @Test func flagsTakeNoValue() async throws {
        for option in ["--json=no", "--keep-going=1", "--version="] {
            let outcome = try await run("-d", "--json=x", option, "-c", "help quit")
            #expect(outcome.status == 2 && outcome.output.isEmpty, "\(option)")
            #expect(outcome.errors.contains("takes no value"), "\(outcome.errors)")
        }
        // What looks like one and is the value of another option, or comes after all options.
        #expect(try await run("-kc", "help quit", "--json").status == 0)
        let script = try await run("--", "--json=no")
        #expect(script.errors.contains("--json=no") && !script.errors.contains("takes no value"))
    }

    @Test func namesCannotCommandTheTerminal() async throws {
        let name = "a\u{1B}[31m\u{9B}b.jpg"
        let outcome = try await run(
            "-d", "test:bars", "-k", "-c", "photo \(folder.path)/'\(name)'; bo\u{7}gus")
        #expect(outcome.output.contains("\(folder.path)/a?[31m?b.jpg"), "\(outcome.output)")
        #expect(outcome.errors.contains("'bo?gus'"))
        for text in [outcome.output, outcome.errors] {
            #expect(!text.unicodeScalars.contains { "\u{1B}\u{9B}\u{7}".unicodeScalars.contains($0) })
        }
        #expect(FileManager.default.fileExists(atPath: folder.path(name)), "the file has its name")
    }

    // MARK: Places

    @Test func tellsTheCommandsOfALineApart() async throws {
        let outcome = try await run(
            "-k", "--json", "-c", "nosuch; help quit; zoom 1,5", "-c", "nosuch\nhelp quit; x")
        let places = try outcome.answers.map { $0.line.firstMatch(of: /"at":"([^"]*)"/).map { String($0.1) } }
        #expect(places == ["-c:1:1", nil, "-c:1:3", "-c:2:1", nil, "-c:3:2"])
        let text = try await run("-c", "help quit; nosuch")
        #expect(text.errors.hasPrefix("-c:1:2: there is no command 'nosuch'"), "\(text.errors)")
    }
}

/// A locale that writes decimals with a comma, made for the test.
enum CommaLocale {
    /// The environment that selects it; the numbers of the command must not care.
    static func environment(in folder: TemporaryFolder) throws -> [String: String] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/localedef")
        process.arguments = ["-i", "de_DE", "-f", "UTF-8", folder.path("de_DE.UTF-8")]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(
            process.terminationStatus == 0, "localedef makes no locale with a comma; 'locales' has its data")
        return ["LC_ALL": "de_DE.UTF-8", "LOCPATH": folder.path]
    }
}

import CameraCore
import Dispatch
import FoundationEssentials
import GStreamer
import Glibc

/// The command `camera`: one table of commands behind a terminal, scripts and programs.
///
/// - `Options/` reads the command line and finds the pipelines folder.
/// - `Language/` splits text into commands and words, and reads numbers.
/// - `Commands/` is the table: each command with its grammar, its help and what it does.
/// - `Session/` reads commands, runs them on a camera and answers; signals, files and names too.
/// - `Replies/` writes answers as JSON and as text.
/// - `Terminal/` is line editing, completion and history.
public enum CameraProgram {
    /// The version of the command and the library.
    public static let version = Release.version

    /// Prepares the process: call it first, while there is only one thread.
    ///
    /// Signals are blocked, because one thread takes them for all. Text at the terminal is UTF-8 unless the
    /// locale says otherwise; everything else stays as in the C locale, numbers above all.
    public static func prepareProcess() {
        SignalRouter.block()
        Console.holdClosedDescriptors()
        // An empty home would make paths from the root; without one, the user database names it.
        if let home = getenv("HOME"), home.pointee == 0 { unsetenv("HOME") }
        let isPlainC = setlocale(LC_CTYPE, "").map { ["C", "POSIX"].contains(String(cString: $0)) } ?? true
        if isPlainC { setlocale(LC_CTYPE, "C.UTF-8") }
    }

    /// Runs the command. **Blocks** until it has ended; call it on the main thread.
    ///
    /// GStreamer is initialised on the thread that calls: the registry of its plugins is a hundred thousand small blocks
    /// of memory, which the main thread's heap gives out faster than another's that has yet to grow.
    /// - Parameter arguments: The command line, byte for byte, the program's name first.
    /// - Returns: The exit status: 0 all well, 1 a command failed, 2 wrong usage, 128 and the signal's number
    ///   when one ended it. Nothing of the camera is left then, and GStreamer can be deinitialised.
    public static func run(_ arguments: [[UInt8]]) -> Int32 {
        let router = SignalRouter()
        router.start()
        let plain = Console(isJSON: false, isVerbose: false)
        do {
            let options = try CommandLineOptions(arguments: arguments) { text in
                // GLib ends the process after this, so a failure has to end it first.
                if let closed = plain.print(text) { exit(plain.giveUp(closed)) }
            }
            if options.showsVersion {
                try plain.show(Answer(command: "version", result: .success(versionReply)))
                return ExitStatus.success
            }
            return waited { await status(of: options, router: router, plain) }
        } catch let error as CameraError {
            plain.complain(error.message)
            return error.exitStatus
        } catch let closed as Console.Closed {
            return plain.giveUp(closed)
        } catch {
            plain.complain("the version cannot be told: \(error); please report this")
            return ExitStatus.failed
        }
    }

    private static func waited(_ work: @escaping @Sendable () async -> Int32) -> Int32 {
        let status = Guarded(ExitStatus.success)
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            let result = await work()
            status.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        return status.withLock { $0 }
    }

    private static func status(
        of options: CommandLineOptions, router: SignalRouter, _ plain: Console
    ) async -> Int32 {
        do throws(CameraError) {
            return try await run(options, router: router)
        } catch {
            plain.complain(error.message)
            return error.exitStatus
        }
    }

    private static var versionReply: Reply {
        let text = "camera \(version)\nGStreamer \(GStreamer.version)"
        return Reply(data: .string(text), text: text)
    }

    private static func run(_ options: CommandLineOptions, router: SignalRouter) async throws(CameraError)
        -> Int32
    {
        let console = Console(isJSON: options.isJSON, isVerbose: options.isVerbose)
        let pipelines = try PipelinesFolder.find(explicit: options.pipelines, in: .current)
        console.detail("pipelines folder: \(pipelines?.path ?? "none")")
        let isInteractive = options.commands.isEmpty && options.scripts.isEmpty && isatty(STDIN_FILENO) == 1
        let editor = isInteractive ? makeEditor(console: console) : nil
        if let editor { router.attach(editor) }
        let show: @Sendable (String) -> Void = { [console] notice in
            if let editor { editor.post(notice) } else { console.notice(notice) }
        }
        let notices = EventNotices(isInteractive: isInteractive)
        let engine = Engine(
            settings: Engine.Settings(
                device: options.device, preset: options.preset, pipelines: pipelines,
                photoFolder: PhotoFolder(explicit: options.outputDirectory),
                lastDevice: LastDevice(path: UserDirectories.state + "/camera/device")),
            notify: show,
            detail: { if options.isVerbose { show($0) } },
            observe: { event in if let notice = notices.notice(for: event) { show(notice) } })
        let session = Session(
            sources: try sources(of: options, editor: editor, engine: engine),
            engine: engine, console: console, router: router, editor: editor, keepsGoing: options.keepsGoing)
        return await session.run()
    }

    /// Every script is opened before the first one runs: a mistyped name costs nothing then.
    private static func sources(of options: CommandLineOptions, editor: LineEditor?, engine: Engine)
        throws(CameraError) -> [any StatementSource]
    {
        if let editor {
            return [TerminalSource(editor: editor, names: { await engine.completionNames() })]
        }
        guard options.commands.isEmpty else {
            return [TextSource(options.commands.joined(separator: "\n".utf8), name: "-c")]
        }
        guard !options.scripts.isEmpty else { return [standardInput] }
        var sources: [any StatementSource] = []
        for path in options.scripts {
            sources.append(path == "-" ? standardInput : try StreamSource.file(path))
        }
        return sources
    }

    private static var standardInput: StreamSource {
        StreamSource(descriptor: STDIN_FILENO, ownsDescriptor: false, name: "stdin")
    }

    /// Standard output holds nothing but answers when a program may read it.
    private static func makeEditor(console: Console) -> LineEditor {
        let isForPeople = !console.isJSON && isatty(STDOUT_FILENO) == 1
        return LineEditor(
            outputDescriptor: isForPeople ? STDOUT_FILENO : STDERR_FILENO,
            historyFile: UserDirectories.state + "/camera/history",
            show: { console.notice($0) })
    }
}

import GStreamer
import Foundation

/// The built command, run as a user's shell or another program would run it.
final class CameraProcess: Sendable {
    /// How a run ended.
    struct Outcome: Sendable {
        var status: Int32
        var output: String
        var errors: String

        /// The answers of a run with `--json`.
        var answers: [Answer] {
            get throws { try output.split(separator: "\n").map { try Answer(line: String($0)) } }
        }
    }

    /// One line of JSON.
    struct Answer: Sendable {
        let line: String
        let command: String
        let isSuccess: Bool
        let code: String?
        let message: String?

        init(line: String) throws {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard let object, let command = object["command"] as? String, let ok = object["ok"] as? Bool
            else {
                throw TestFailure("not an answer: \(line)")
            }
            let error = object["error"] as? [String: Any]
            self.line = line
            self.command = command
            isSuccess = ok
            code = error?["code"] as? String
            message = error?["message"] as? String
        }

        /// The `data` of the answer, for looking into it.
        func data<Value>(as type: Value.Type = Value.self) throws -> Value {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard let data = object?["data"] as? Value else {
                throw TestFailure("other data than expected: \(line)")
            }
            return data
        }
    }

    /// The command next to the test bundle.
    static let executable: URL = {
        let bundle = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        return bundle.deletingLastPathComponent().appending(path: "camera")
    }()

    private let process: Process
    private let input = Pipe()
    private let output = Transcript()
    private let errors = Transcript()

    init(
        _ arguments: [String], environment: [String: String] = [:], folder: String? = nil,
        executable: URL = executable
    ) throws {
        process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = Self.environment(with: environment)
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        process.standardInput = input
        process.standardOutput = output.pipe
        process.standardError = errors.pipe
        try process.run()
        output.follow()
        errors.follow()
    }

    var identifier: Int32 { process.processIdentifier }

    deinit {
        // Only a test that failed half-way leaves it running.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The home of a test that names none; each user has their own.
    private static let home = FileManager.default.temporaryDirectory
        .appending(path: "camera-repl-home-\(getuid())")

    /// What GStreamer knows of its plugins.
    static let registry = FileManager.default.temporaryDirectory
        .appending(path: "camera-repl-registry-\(getuid()).bin")

    /// The repository's folder of cameras and outputs.
    static let pipelines = Readme.root.appending(path: "pipelines").path

    /// A home of its own, so that no test depends on or touches the user's files; no real camera but the virtual
    /// machine's; and nothing of a desktop, as where a camera runs unattended.
    static func environment(with changes: [String: String]) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment
        let names = [
            "CAMERA_PIPELINES", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
            "DISPLAY",
            "WAYLAND_DISPLAY",
        ]
        for name in names { environment[name] = nil }
        environment["HOME"] = home.path
        // Finding all plugins anew for each home takes longer than most tests.
        environment["GST_REGISTRY"] = registry.path
        if environment["CAMERA_VM"] != "1" { environment["GST_PLUGIN_SYSTEM_PATH_1_0"] = PluginFolder.path }
        return environment.merging(changes) { _, new in new }
    }

    /// Runs the command to its end.
    static func run(
        _ arguments: [String], input: String? = nil, environment: [String: String] = [:],
        folder: String? = nil, executable: URL = executable
    ) async throws -> Outcome {
        let process = try CameraProcess(
            arguments, environment: environment, folder: folder, executable: executable)
        if let input { try process.send(input) }
        try process.endInput()
        return await process.end()
    }

    func send(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    func endInput() throws { try input.fileHandleForWriting.close() }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits until the output holds a text.
    func waitForOutput(_ text: String) async throws { try await output.wait(for: text) }

    /// Waits until the standard error holds a text.
    func waitForErrors(_ text: String) async throws { try await errors.wait(for: text) }

    /// Waits until the process has ended, and says when.
    ///
    /// The end of its output can come later, and so can ``end()``: processes that other tests start at the same moment
    /// may have got hold of its pipes.
    func exit() async -> ContinuousClock.Instant {
        let identifier = id_t(identifier)
        return await withCheckedContinuation { continuation in
            DispatchQueue(label: "process").async {
                var information = siginfo_t()
                // Its status is left for Foundation; when that has been quicker there is nothing to wait for.
                while waitid(P_PID, identifier, &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
                continuation.resume(returning: .now)
            }
        }
    }

    /// Waits for the end of the process and of its output.
    func end() async -> Outcome {
        let text = await output.end()
        let complaints = await errors.end()
        let status = await withCheckedContinuation { continuation in
            DispatchQueue(label: "process").async { [process] in
                process.waitUntilExit()
                // A signal that killed the process is told apart from a status by its sign.
                let isExit = process.terminationReason == .exit
                continuation.resume(
                    returning: isExit ? process.terminationStatus : -process.terminationStatus)
            }
        }
        return Outcome(status: status, output: text, errors: complaints)
    }
}

struct TestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// What a process wrote so far; waiting for a text in it needs no polling.
final class Transcript: Sendable {
    private struct State {
        var bytes = Data()
        var hasEnded = false
        var waiters: [(text: String?, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    let pipe = Pipe()
    private let state = Guarded(State())

    /// Begins to collect what comes through the pipe.
    func follow() { follow(pipe.fileHandleForReading) }

    /// Begins to collect what comes through a handle, as it comes: `FileHandle` would wait for more.
    func follow(_ handle: FileHandle) {
        DispatchQueue(label: "transcript").async { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(handle.fileDescriptor, &buffer, buffer.count)
                // Reading from a terminal that nobody holds any more is an error (EIO), and the end.
                guard count > 0 else { break }
                append(Data(buffer.prefix(count)))
            }
            finish()
        }
    }

    var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }

    func append(_ data: Data) {
        wake { $0.bytes.append(data) }
    }

    func finish() {
        wake { $0.hasEnded = true }
    }

    /// Waits until a text was written.
    func wait(for text: String) async throws {
        guard await arrives(text) else {
            throw TestFailure("'\(text)' never came, but this: \(self.text)")
        }
    }

    /// Waits until nothing more can be written, and gives everything.
    func end() async -> String {
        _ = await arrives(nil)
        return text
    }

    /// - Parameter text: What is waited for, or `nil` for the end.
    ///   A test that runs out of time is cancelled, and then nothing is waited for any more.
    private func arrives(_ text: String?) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiters.append((text, continuation)) }
                wake { _ in }
            }
        } onCancel: {
            finish()
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let done = state.withLock { state -> [(CheckedContinuation<Bool, Never>, Bool)] in
            change(&state)
            let text = String(decoding: state.bytes, as: UTF8.self)
            var done: [(CheckedContinuation<Bool, Never>, Bool)] = []
            state.waiters.removeAll { waiter in
                let isThere = waiter.text.map(text.contains) ?? state.hasEnded
                guard isThere || state.hasEnded else { return false }
                done.append((waiter.continuation, isThere))
                return true
            }
            return done
        }
        for (continuation, isThere) in done { continuation.resume(returning: isThere) }
    }
}

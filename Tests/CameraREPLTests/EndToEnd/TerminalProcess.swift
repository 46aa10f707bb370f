import Foundation
import Glibc

@testable import CameraREPL

/// The built command at a terminal of its own.
final class TerminalProcess: Sendable {
    let screen = Transcript()
    private let master: FileHandle
    private let process: pid_t
    private let hasEnded = Flag()

    init(_ arguments: [String] = [], environment: [String: String] = [:]) throws {
        var (descriptor, other): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: 40, ws_col: 200, ws_xpixel: 0, ws_ypixel: 0)
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard openpty(&descriptor, &other, &path, nil, &size) == 0 else {
            throw TestFailure("no pseudo terminal: \(String(cString: strerror(errno)))")
        }
        for end in [descriptor, other] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Held until the process has opened it too: a terminal that nobody holds reads as ended.
        defer { close(other) }
        master = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let name = String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        process = try Self.spawn(
            [CameraProcess.executable.path] + arguments,
            environment: CameraProcess.environment(
                with: environment.merging(["TERM": "xterm"]) { old, _ in old }),
            terminal: name)
        screen.follow(master)
    }

    deinit {
        // Only a test that failed half-way leaves it running.
        if !hasEnded.isSet { kill(process, SIGKILL) }
    }

    func type(_ text: String) throws { try master.write(contentsOf: Data(text.utf8)) }

    func signal(_ number: Int32) { kill(process, number) }

    /// Types a line and waits for something on the screen that only its answer contains.
    func enter(_ line: String, until text: String) async throws {
        try type(line + "\n")
        try await screen.wait(for: text)
    }

    /// Waits for the end and gives the exit status.
    func end() async -> Int32 {
        _ = await screen.end()
        return await withCheckedContinuation { continuation in
            DispatchQueue(label: "process").async { [process, hasEnded] in
                var status: Int32 = 0
                while waitpid(process, &status, 0) < 0 && errno == EINTR {}
                hasEnded.set(true)
                let signal = status & 0x7F
                continuation.resume(returning: signal == 0 ? (status >> 8) & 0xFF : -signal)
            }
        }
    }

    /// A session leader that opens a terminal gets it as its controlling one, and with it ^C.
    private static func spawn(_ arguments: [String], environment: [String: String], terminal: String) throws
        -> pid_t
    {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        // The pipes of tests that run at the same time would stay open in this process.
        for descriptor in 3..<256 as Range<Int32> { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        let newSession: Int16 = 0x80  // POSIX_SPAWN_SETSID, which is not imported
        let defaultSignals = Int16(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, newSession | defaultSignals)
        // What the tests were started to ignore would be ignored at this terminal too.
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer {
            argv.forEach { free($0) }
            envp.forEach { free($0) }
        }
        var process: pid_t = 0
        let failure = posix_spawn(&process, arguments[0], &actions, &attributes, &argv, &envp)
        guard failure == 0 else {
            throw TestFailure("cannot run \(arguments[0]): \(String(cString: strerror(failure)))")
        }
        return process
    }
}

import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct SignalTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Runs the command as from a shell, whatever signals the tests themselves were started to ignore.
    private func start(_ arguments: String...) throws -> CameraProcess {
        try CameraProcess(
            ["--default-signal=INT,TERM,HUP", CameraProcess.executable.path, "--json"] + arguments,
            environment: ["HOME": folder.path], folder: folder.path, executable: URL(filePath: "/usr/bin/env")
        )
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func stopsCleanly(signal: Int32) async throws {
        let process = try start("-d", "test:bars", "-c", "frame; wait seconds 3600; frame")
        try await process.waitForOutput("\"frame\"")
        let begin = ContinuousClock.now
        process.signal(signal)
        #expect(await begin.duration(to: process.exit()) < .seconds(4))
        let outcome = await process.end()
        #expect(outcome.status == 128 + signal)
        #expect(try outcome.answers.filter(\.isSuccess).map(\.command) == ["frame"])
    }

    @Test func stopsWhileItWaitsForInput() async throws {
        let process = try start("-d", "test:bars")
        try process.send("status\n")
        try await process.waitForOutput("\"status\"")
        process.signal(SIGINT)
        #expect(await process.end().status == 130)
        try process.endInput()
    }

    /// `nohup`, and what a script runs in the background: whoever started it wants it to go on.
    @Test func signalsThatWereIgnoredStaySo() async throws {
        let process = try CameraProcess(
            [
                "-c", #"trap "" HUP INT; exec "$@""#, "sh", CameraProcess.executable.path, "--json", "-d",
                "test:bars",
            ],
            environment: ["HOME": folder.path], executable: URL(filePath: "/bin/sh"))
        try process.send("status\n")
        try await process.waitForOutput("\"status\"")
        process.signal(SIGHUP)
        process.signal(SIGINT)
        try process.send("wait seconds 0.5\nzoom 2\n")
        try process.endInput()
        let outcome = await process.end()
        #expect(outcome.status == 0)
        #expect(try outcome.answers.map(\.command) == ["status", "wait", "zoom"])
    }

    /// The driver stays stuck for a minute.
    @Test func endsWhileADriverDoesNotAnswer() async throws {
        let process = try start("--pipelines", CameraProcess.pipelines, "-d", "file:stuck-opening")
        try process.send("status\nstart\n")
        try await process.waitForOutput("\"status\"")
        let begin = ContinuousClock.now
        process.signal(SIGINT)
        #expect(await begin.duration(to: process.exit()) < .seconds(10))
        #expect(await process.end().status == 130)
    }

    @Test func stopAndQuitComeThroughWhileADriverDoesNotAnswer() async throws {
        for commands in ["stop\nquit\n", "quit\n"] {
            let process = try start("-k", "--pipelines", CameraProcess.pipelines, "-d", "file:stuck-closing")
            try process.send("frame\n")
            try await process.waitForOutput("\"frame\"")
            let begin = ContinuousClock.now
            try process.send(commands)
            let ended = await process.exit()
            #expect(begin.duration(to: ended) < .seconds(10), "the driver is stuck for a minute")
            let outcome = await process.end()
            let isStopped = commands.hasPrefix("stop")
            #expect(try outcome.answers.map(\.code) == (isStopped ? [nil, "timeout", nil] : [nil, nil]))
            #expect(outcome.status == (isStopped ? 1 : 0))
        }
    }

    @Test func leavesNoPartialFile() async throws {
        let photos = (0..<500).map { "photo \($0).jpg" }.joined(separator: ";")
        let process = try start("-d", "test:bars", "-c", photos)
        try await process.waitForOutput("\"photo\"")
        process.signal(SIGINT)
        let outcome = await process.end()
        #expect(outcome.status == 130)
        let files = try folder.names.filter { $0 != ".cache" }
        #expect(files.count < 500)
        for name in files {
            #expect(name.hasSuffix(".jpg") && !name.hasPrefix("."), "\(name)")
            let data = try Data(contentsOf: folder.url.appending(path: name))
            #expect(data.prefix(2) == Data([0xFF, 0xD8]) && data.suffix(2) == Data([0xFF, 0xD9]), "\(name)")
        }
    }
}

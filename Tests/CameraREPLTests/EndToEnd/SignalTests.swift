import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct SignalTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func start(_ commands: String) throws -> CameraProcess {
        try CameraProcess(
            ["--json", "-d", "test:bars", "-c", commands], environment: ["HOME": folder.path],
            folder: folder.path)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func stopsCleanly(signal: Int32) async throws {
        let process = try start("frame; wait seconds 3600; frame")
        try await process.waitForOutput("\"frame\"")
        let clock = ContinuousClock()
        let outcome: CameraProcess.Outcome
        let begin = clock.now
        process.signal(signal)
        outcome = await process.end()
        #expect(outcome.status == 128 + signal)
        #expect(begin.duration(to: clock.now) < .seconds(4))
        #expect(try outcome.answers.filter(\.isSuccess).map(\.command) == ["frame"])
    }

    @Test func stopsWhileItWaitsForInput() async throws {
        let process = try CameraProcess(["--json", "-d", "test:bars"], environment: ["HOME": folder.path])
        try process.send("status\n")
        try await process.waitForOutput("\"status\"")
        process.signal(SIGINT)
        #expect(await process.end().status == 130)
        try process.endInput()
    }

    @Test func leavesNoPartialFile() async throws {
        let photos = (0..<500).map { "photo \($0).jpg" }.joined(separator: ";")
        let process = try start(photos)
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

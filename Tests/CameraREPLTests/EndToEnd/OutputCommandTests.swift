import Foundation
import Testing

/// `output add` and `output remove`, and what is said of outputs that do not start, fail or end.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct OutputCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.make(folder: "outputs")
    }

    private func camera(_ arguments: String..., environment: [String: String] = [:]) throws -> CameraProcess {
        try CameraProcess(
            ["-d", "test:bars", "-p", "qvga320x240"] + arguments,
            environment: ["HOME": folder.path].merging(environment) { _, new in new }, folder: folder.path)
    }

    @Test func aPortIsServedByOneProcessOnly() async throws {
        let pipelines = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../pipelines").standardized.path
        let environment = ["CAMERA_MJPEG_PORT": "47393", "CAMERA_PIPELINES": pipelines]
        let first = try camera("--json", environment: environment)
        try first.send("output add mjpeg-tcp\n")
        try await first.waitForOutput("\"state\":\"running\"")
        let second = try camera(
            "--json", "-k", "-c", "output add mjpeg-tcp; status", environment: environment)
        try second.endInput()
        let outcome = await second.end()
        #expect(outcome.status == 1)
        let refused = try #require(try outcome.answers.first)
        #expect(refused.code == "output-failed")
        for part in ["mjpeg-tcp", "47393", "in use"] {
            #expect(refused.message?.contains(part) == true, "\(refused.line)")
        }
        #expect(!outcome.errors.contains("notice: output"), "told twice: \(outcome.errors)")
        let status: [String: Any] = try outcome.answers[1].data()
        #expect((status["outputs"] as? [Any])?.isEmpty == true)
        try first.endInput()
        #expect(await first.end().status == 0)
    }

    @Test(arguments: [true, false])
    func aFailureIsToldOnceAndAgainInTheReplyToItsRemoval(_ isRemoved: Bool) async throws {
        try folder.make(
            file: "outputs/frail.launch",
            "identity error-after=3 ! filesink location=\"\(folder.path)/film_${CAMERA_TIME}\"")
        let camera = try camera("--json", "--pipelines", folder.path)
        try camera.send("output add frail\n")
        try await camera.waitForErrors("notice: output frail failed")
        let film = folder.path(try #require(try folder.names.first { $0.hasPrefix("film_") }))
        try camera.send(isRemoved ? "output remove frail\n" : "output add frail\n")
        try camera.endInput()
        let outcome = await camera.end()
        #expect(outcome.status == 0)
        // The one that was added again may fail too before the end.
        let notices = outcome.errors.components(separatedBy: "output frail failed").count - 1
        #expect(isRemoved ? notices == 1 : (1...2).contains(notices), "\(outcome.errors)")
        let answer = try #require(try outcome.answers.last)
        #expect(answer.isSuccess)
        let output = try #require(try answer.data(as: [[String: Any]].self).first)
        #expect(output["state"] as? String == (isRemoved ? "available" : "running"))
        let removed = try #require(output["removed"] as? [String: Any])
        #expect(removed["state"] as? String == "failed")
        #expect((removed["error"] as? [String: Any])?["code"] as? String == "output-failed")
        #expect(removed["files"] as? [String] == [film])
        #expect(answer.line.contains("had failed (output-failed); \(film) is left, 230400 bytes"))
    }

    @Test func anEndIsToldAndListed() async throws {
        try folder.make(file: "outputs/short.launch", "identity eos-after=3 ! fakesink")
        let camera = try camera("--pipelines", folder.path)
        try camera.send("output add short\n")
        try await camera.waitForErrors("notice: output short has ended")
        try camera.send("outputs\noutput remove short\n")
        try camera.endInput()
        let outcome = await camera.end()
        #expect(outcome.status == 0)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.dropFirst() == ["short  ended  3 frames", "short  available"], "\(lines)")
        #expect(outcome.errors.components(separatedBy: "has ended").count == 2, "told once")
    }
}

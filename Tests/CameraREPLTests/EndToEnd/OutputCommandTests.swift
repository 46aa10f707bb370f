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
        let port = try TCP.freePort()
        // A home that cannot be made: what writes no files needs none.
        try folder.make(file: "file")
        let environment = [
            "CAMERA_MJPEG_PORT": "\(port)", "CAMERA_PIPELINES": CameraProcess.pipelines,
            "HOME": folder.path("file/home"),
        ]
        let first = try camera("--json", environment: environment)
        try first.send("output add mjpeg-tcp\n")
        try await first.waitForOutput("\"state\":\"running\"")
        let served = try await TCP.read(from: port, until: Data([0xFF, 0xD8, 0xFF]))
        #expect(String(decoding: served, as: UTF8.self).contains("--camera"))
        let second = try camera(
            "--json", "-k", "-c", "output add mjpeg-tcp; status", environment: environment)
        try second.endInput()
        let outcome = await second.end()
        #expect(outcome.status == 1)
        let refused = try #require(try outcome.answers.first)
        #expect(refused.code == "output-failed")
        for part in ["mjpeg-tcp", "\(port)", "in use"] {
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
        let states = isRemoved ? ["available"] : ["running", "failed"]
        #expect(states.contains(output["state"] as? String ?? ""))
        let removed = try #require(output["removed"] as? [String: Any])
        #expect(removed["state"] as? String == "failed")
        #expect((removed["error"] as? [String: Any])?["code"] as? String == "output-failed")
        #expect(removed["files"] as? [String] == [film])
        #expect(answer.line.contains("had failed (output-failed); \(film) is left, 230400 bytes"))
    }

    /// Adding it again removes it first; what it left is told also when the new one does not start.
    @Test(arguments: [("error-after=3", " had failed (output-failed); "), ("eos-after=3", " has ended; ")])
    func whatIsLeftIsToldWhenAddingAgainFails(end: String, part: String) async throws {
        try folder.make(
            file: "outputs/frail.launch",
            "identity \(end) ! filesink location=\"\(folder.path)/film_${CAMERA_TIME}\"")
        let camera = try camera("--json", "--pipelines", folder.path)
        try camera.send("output add frail\n")
        try await camera.waitForErrors("notice: output frail ")
        let film = folder.path(try #require(try folder.names.first { $0.hasPrefix("film_") }))
        try folder.make(file: "outputs/frail.launch", "nosuchelement1 ! fakesink")
        try camera.send("output add frail\n")
        try camera.endInput()
        let answer = try #require(try await camera.end().answers.last)
        #expect(answer.code == "missing-plugin")
        #expect(answer.message?.contains("output frail\(part)\(film) is left, ") == true, "\(answer.line)")
    }

    @Test func thePhotoFolderIsMadeForOutputsThatWriteThere() async throws {
        try folder.make(file: "outputs/plain.launch", "# Not to ${CAMERA_OUTPUT_DIRECTORY}\nfakesink")
        try folder.make(
            file: "outputs/film.launch", "filesink location=\"${CAMERA_OUTPUT_DIRECTORY:-.}/film\"")
        for (name, isMade) in [("nosuch", false), ("plain", false), ("film", true)] {
            let process = try camera("--pipelines", folder.path, "-c", "output add \(name)")
            #expect(await process.end().status == (name == "nosuch" ? 1 : 0))
            #expect(
                FileManager.default.fileExists(atPath: folder.path("Pictures/Camera")) == isMade, "\(name)")
        }
    }

    /// With a reply for people, and at the end of the session, when no reply tells it.
    @Test(arguments: [true, false])
    func theFilesThatAreThereAreNamed(isRemoved: Bool) async throws {
        let process = try camera(
            "-o", folder.path, "-c",
            "output add recording; wait frames 5" + (isRemoved ? "; output remove recording" : ""),
            environment: ["CAMERA_PIPELINES": CameraProcess.pipelines])
        let outcome = await process.end()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let film = folder.path(try #require(try folder.names.first { $0.hasSuffix(".mkv") }))
        let notice = "notice: output recording has ended; \(film) is left, "
        #expect((isRemoved ? outcome.output : outcome.errors).contains(notice), "\(outcome.errors)")
        #expect((isRemoved ? outcome.errors : outcome.output).contains("is left") == false, "told once")
    }

    @Test func aRecordingIsAFilmForTheFileCamera() async throws {
        let pipelines = ["CAMERA_PIPELINES": CameraProcess.pipelines]
        let recording = try camera(
            "-o", folder.path, "-c", "output add recording; wait frames 20; output remove recording",
            environment: pipelines)
        #expect(await recording.end().status == 0)
        let film = folder.url.appending(path: try #require(try folder.names.first { $0.hasSuffix(".mkv") }))
        let outcome = try await CameraProcess.run(
            ["--json", "-d", "file:video-file", "-c", "frame"],
            environment: pipelines.merging(["HOME": folder.path, "CAMERA_VIDEO_URI": film.absoluteString]) {
                $1
            })
        #expect(outcome.status == 0, "\(outcome.output)")
        let frame: [String: Any] = try #require(try outcome.answers.first).data()
        #expect(frame["width"] as? Int == 1280)
        let average = try #require(frame["average"] as? [String: Double])
        #expect(
            average.values.allSatisfy { (20...235).contains($0) }, "the bars that were recorded: \(average)")
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

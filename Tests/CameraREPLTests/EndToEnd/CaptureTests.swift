import Foundation
import Testing

/// Frames and photos of the built-in cameras, through the command.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CaptureTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func run(_ commands: String, _ options: String..., environment: [String: String] = [:])
        async throws
        -> CameraProcess.Outcome
    {
        try await CameraProcess.run(
            ["--json", "-d", "test:bars", "-p", "vga640x480"] + options + ["-c", commands],
            environment: ["HOME": folder.path].merging(environment) { _, new in new }, folder: folder.path)
    }

    @Test func tellsAboutFrames() async throws {
        let outcome = try await run("frame; frames 3; wait frames 2; status; stop")
        #expect(outcome.status == 0, "\(outcome.errors) \(outcome.output)")
        let answers = try outcome.answers
        let frame: [String: Any] = try answers[0].data()
        #expect(
            Set(frame.keys) == [
                "sequence", "pts", "width", "height", "format", "strides", "bytes", "average",
            ])
        #expect(frame["width"] as? Int == 640 && frame["height"] as? Int == 480)
        let average = try #require(frame["average"] as? [String: Double])
        #expect(Set(average.keys) == ["r", "g", "b"])
        #expect(average.values.allSatisfy { (1...254).contains($0) }, "bars are neither black nor white")
        let frames: [[String: Any]] = try answers[1].data()
        let sequences = frames.compactMap { $0["sequence"] as? Int }
        #expect(sequences.count == 3 && zip(sequences, sequences.dropFirst()).allSatisfy(<))
        let status: [String: Any] = try answers[3].data()
        #expect(status["state"] as? String == "running")
        let state: [String: Any] = try answers[4].data()
        #expect(state["state"] as? String == "stopped")
    }

    @Test func savesAFrame() async throws {
        let name = "My Frames (1) é 日本.png"
        let outcome = try await run("frame '\(name)'; frame --overwrite \"\(name)\"; frame '\(name)'")
        #expect(try outcome.answers.map(\.code) == [nil, nil, "file-exists"])
        #expect(outcome.status == 1)
        let data = try Data(contentsOf: folder.url.appending(path: name))
        #expect(data.prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]))
        #expect(try folder.names.filter { $0 != ".cache" } == [name])
        let missing = try await run("frame missing/a.png")
        #expect(try missing.answers[0].code == "directory-unwritable")
        #expect(try missing.answers[0].message?.contains(folder.path("missing")) == true)
    }

    @Test func takesPhotos() async throws {
        let outcome = try await run(
            "photo a.jpg --quality 50; photo 'b c.jpg'; photo a.jpg; wait photo; quit")
        #expect(outcome.status == 1)
        let answers = try outcome.answers
        #expect(answers.map(\.code) == [nil, nil, "file-exists"])
        let photo: [String: Any] = try answers[0].data()
        #expect(Set(photo.keys) == ["path", "width", "height", "bytes", "pts", "latency_ms"])
        #expect(photo["path"] as? String == folder.path("a.jpg"))
        for name in ["a.jpg", "b c.jpg"] {
            let data = try Data(contentsOf: folder.url.appending(path: name))
            #expect(data.prefix(2) == Data([0xFF, 0xD8]) && data.suffix(2) == Data([0xFF, 0xD9]))
        }
        #expect(photo["bytes"] as? Int == (try Data(contentsOf: folder.url.appending(path: "a.jpg"))).count)
    }

    /// What is wrong with a path is said before anything starts, by `photo` and by `frame`.
    @Test func refusesAPathThatIsNone() async throws {
        try folder.make(folder: "there")
        let paths = ["there", "there/", "./there/", "missing/", ".", "a.gif"]
        let commands = paths.flatMap { ["photo \($0)", "photo \($0) --overwrite", "frame \($0)"] }
        let outcome = try await run(commands.joined(separator: ";") + "; status", "-k")
        let answers = try outcome.answers
        #expect(answers.count == commands.count + 1)
        for (command, answer) in zip(commands, answers) {
            #expect(answer.code == "usage", "\(command): \(answer.line)")
            let part =
                command.contains(".gif") ? "would hold a" : "names a folder; give the name of a file in it"
            #expect(answer.message?.contains(part) == true, "\(command): \(answer.line)")
        }
        #expect(try answers.last?.data(as: [String: Any].self)["state"] as? String == "stopped")
        #expect(try folder.names.filter { $0 != ".cache" } == ["there"])
    }

    @Test func tellsWhenAPictureWasCaptured() async throws {
        let outcome = try await CameraProcess.run(
            ["-d", "test:bars", "-p", "vga640x480", "-c", "photo a; frame"],
            environment: ["HOME": folder.path],
            folder: folder.path)
        #expect(outcome.output.matches(of: /(?m)^captured  at [0-9.]+ s of running time$/).count == 2)
    }

    /// Nobody can tell whether this camera has found its exposure: the limit ends the wait.
    @Test func waitsForTheExposureUnlessToldOtherwise() async throws {
        try folder.make(
            file: "pipelines/sources/dark.launch",
            "videotestsrc pattern=black ! video/x-raw,format=I420,width=320,height=240,framerate=30/1")
        var times: [Double] = []
        for command in ["photo a.jpg", "photo b.jpg --unsettled"] {
            let outcome = try await CameraProcess.run(
                ["--json", "-d", "file:dark", "-c", command], environment: ["HOME": folder.path],
                folder: folder.path)
            #expect(outcome.status == 0, "\(outcome.output)")
            let photo: [String: Any] = try #require(try outcome.answers.first).data()
            times.append(try #require(photo["pts"] as? Double))
        }
        #expect(times[0] > 1.8, "two seconds at most, and no less here")
        #expect(times[1] < times[0])
    }

    @Test func namesPhotosInThePicturesFolder() async throws {
        let outcome = try await run("photo; photo; photo", environment: ["TZ": "UTC"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let paths = try outcome.answers.map { try $0.data(as: [String: Any].self)["path"] as? String ?? "" }
        #expect(Set(paths).count == 3)
        for path in paths {
            #expect(path.hasPrefix(folder.path("Pictures/Camera/IMG_")))
            #expect(FileManager.default.fileExists(atPath: path))
        }
        let other = try await run("photo", "-o", "new/place")
        let path = try other.answers[0].data(as: [String: Any].self)["path"] as? String
        #expect(path?.hasPrefix(folder.path("new/place/IMG_")) == true)
    }

    @Test func obeysTheUsersPicturesFolder() async throws {
        try folder.make(folder: ".config")
        try folder.make(file: ".config/user-dirs.dirs", "XDG_PICTURES_DIR=\"$HOME/Bilder é\"\n")
        let outcome = try await run("photo")
        let path = try outcome.answers[0].data(as: [String: Any].self)["path"] as? String
        #expect(path?.hasPrefix(folder.path("Bilder é/Camera/IMG_")) == true, "\(outcome.output)")
    }

    @Test func switchesCameraAndZoom() async throws {
        let outcome = try await run(
            "zoom 2; device test:ball; zoom; zoom +99; zoom -1; zoom 2 at 0,0; device; devices; presets", "-k"
        )
        #expect(outcome.status == 0, "\(outcome.output)")
        let answers = try outcome.answers
        #expect(try answers[2].data(as: [String: Any].self)["zoom"] as? Double == 1)
        let clamped: [String: Any] = try answers[3].data()
        #expect(clamped["zoom"] as? Double == clamped["maximum"] as? Double)
        #expect(answers[3].line.contains("\"notices\""))
        let crop = try answers[5].data(as: [String: Any].self)["crop"] as? [String: Int]
        #expect(crop?["x"] == 0 && crop?["y"] == 0)
        #expect(try answers[6].data(as: [String: Any].self)["id"] as? String == "test:ball")
        let devices: [[String: Any]] = try answers[7].data()
        #expect(devices.count { $0["default"] as? Bool == true } == 1)
        let ids = devices.compactMap { $0["id"] as? String }
        #expect(ids.contains("test:bars") && ids.contains("test:ball"))
        let presets: [[String: Any]] = try answers[8].data()
        #expect(presets.count == 14)
    }

    @Test func keepsWhatItHasAfterAnError() async throws {
        let outcome = try await run("start; zoom 2; zoom 99; format 641x7; frame; zoom; preset", "-k")
        #expect(
            try outcome.answers.map(\.code) == [
                nil, nil, "zoom-out-of-range", "format-unsupported", nil, nil, nil,
            ])
        #expect(try outcome.answers[5].data(as: [String: Any].self)["zoom"] as? Double == 2)
        #expect(try outcome.answers[6].data(as: [String: Any].self)["width"] as? Int == 640)
    }

    @Test func showsTheGraph() async throws {
        let outcome = try await run("start; graph")
        let dot = try outcome.answers[1].data(as: [String: Any].self)["dot"] as? String
        #expect(dot?.hasPrefix("digraph") == true)
    }

    @Test func aChangeIsInForceForTheNextFrame() async throws {
        let commands = (0..<5).map { _ in "zoom 10 at 0,0; frame; zoom 1; frame" }.joined(separator: ";")
        let outcome = try await run("frame; \(commands)")
        let averages = try outcome.answers.filter { $0.command == "frame" }.dropFirst()
            .map { try $0.data(as: [String: Any].self)["average"] as? [String: Double] ?? [:] }
        #expect(averages.count == 10)
        // The top left corner of the bars is one colour, the whole picture is a mixture.
        let corners = Set(averages.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element["b"]))
        let wholes = Set(averages.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element["b"]))
        #expect(corners.isDisjoint(with: wholes), "\(averages)")
    }
}

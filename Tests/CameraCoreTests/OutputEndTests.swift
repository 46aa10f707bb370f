import Foundation
import Testing

@testable import CameraCore

extension CameraTests {
    /// How outputs end: by themselves, by a failure, or by being removed; and what they leave.
    @Suite struct OutputEndTests {
        /// Waits for the stop of the camera, and gives the outputs' events up to it.
        private func outputEvents(
            to camera: CameraController, _ events: inout AsyncStream<CameraEvent>.Iterator
        ) async throws -> [CameraEvent] {
            try await camera.stop()
            var found: [CameraEvent] = []
            _ = try await events.first { event -> Bool? in
                switch event {
                case .outputEnded, .outputFailed: found.append(event)
                case .stateChanged(.stopped): return true
                default: break
                }
                return nil
            }
            return found
        }

        @Test(arguments: [
            ("inside", "identity eos-after=10 ! queue ! fakesink"), ("sink", "fakesink num-buffers=10"),
            ("twice", "tee name=t ! queue ! fakesink num-buffers=10  t. ! queue ! fakesink"),
        ])
        func oneThatEndsByItself(_ name: String, _ description: String) async throws {
            // A removal that waited for another end would take longer than a test may.
            var deadlines = CaptureGraph.Deadlines()
            deadlines.drain = .seconds(100)
            try await withFolder { folder in
                try write(description, "outputs", name, in: folder)
                try await withCamera("test:bars", .qvga320x240, pipelines: folder, deadlines: deadlines) {
                    camera in
                    var events = camera.events().makeAsyncIterator()
                    var frames = try await camera.frames().makeAsyncIterator()
                    for round in 0..<3 {
                        #expect(try await camera.addOutput(name).state == .running)
                        let ended = try await events.first { event -> String? in
                            if case .outputEnded(let name) = event { name } else { nil }
                        }
                        #expect(ended == name)
                        let status = try #require(camera.status.outputs.first)
                        #expect(status.state == .ended && status.error == nil && status.frames >= 10)
                        _ = try await frames.take(3)
                        #expect(camera.status.outputs == [status])
                        // Added again without being removed, or removed in between.
                        if round == 1 { #expect(try await camera.removeOutput(name) == status) }
                    }
                    #expect(try await outputEvents(to: camera, &events).isEmpty)
                    try await camera.removeOutput(name)
                    #expect(await camera.outputs().map(\.state) == [.available])
                }
            }
        }

        @Test func oneThatEndsByItselfLeavesAWholeFile() async throws {
            try await withFolder { folder in
                let file = folder.appendingPathComponent("one.png")
                try write(
                    "videoconvert ! pngenc snapshot=true ! filesink location=\"\(file.path)\"", "outputs",
                    "one",
                    in: folder)
                try await withCamera("test:bars", .qvga320x240, pipelines: folder) { camera in
                    var events = camera.events().makeAsyncIterator()
                    try await camera.addOutput("one")
                    _ = try await events.first { if case .outputEnded = $0 { true } else { nil } }
                    let data = try Data(contentsOf: file)
                    #expect(data.prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]))
                    #expect(data.dropLast(4).suffix(4) == Data("IEND".utf8))
                    let removed = try await camera.removeOutput("one")
                    #expect(removed.state == .ended && removed.files.map(\.path) == [file.path])
                }
            }
        }

        @Test func oneThatIsRemovedHasEndedAndSaysWhatItWrote() async throws {
            try await withFolder { folder in
                let pattern = folder.appendingPathComponent("a_%03d.jpg").path
                let old = folder.appendingPathComponent("a_900.jpg")
                try Data("old".utf8).write(to: old)
                try write("jpegenc ! multifilesink location=\"\(pattern)\"", "outputs", "many", in: folder)
                try await withCamera("test:bars", .qvga320x240, pipelines: folder) { camera in
                    var events = camera.events().makeAsyncIterator()
                    var frames = try await camera.frames().makeAsyncIterator()
                    try await camera.addOutput("many")
                    _ = try await frames.take(5)
                    let removed = try await camera.removeOutput("many")
                    #expect(removed.state == .ended && removed.error == nil)
                    let names = removed.files.map(\.lastPathComponent)
                    #expect(names.count > 1 && names.first == "a_000.jpg", "\(names)")
                    #expect(try names + ["a_900.jpg", "outputs"] == files(in: folder))
                    #expect(try await outputEvents(to: camera, &events).isEmpty)
                }
            }
        }

        @Test func oneThatFailedSaysSoWhenItIsRemoved() async throws {
            try await withFolder { folder in
                let file = folder.appendingPathComponent("film")
                try write(
                    "identity error-after=3 ! filesink location=\"\(file.path)\"", "outputs", "frail",
                    in: folder)
                try await withCamera("test:bars", .qvga320x240, pipelines: folder) { camera in
                    var events = camera.events().makeAsyncIterator()
                    try await camera.addOutput("frail")
                    let told = try await events.first { event -> CameraError? in
                        if case .outputFailed(_, let error) = event { error } else { nil }
                    }
                    let removed = try await camera.removeOutput("frail")
                    #expect(removed.state == .failed && removed.error == told)
                    #expect(removed.files.map(\.path) == [file.path])
                    #expect(try Data(contentsOf: file).count == 2 * 320 * 240 * 3 / 2)
                    #expect(await camera.outputs() == [OutputStatus(name: "frail", state: .available)])
                    #expect(try await outputEvents(to: camera, &events).isEmpty, "told twice")
                }
            }
        }

        /// An empty file is of no use; but one that was there before is not the output's.
        @Test(arguments: [false, true])
        func anEmptyFileOfItsOwnIsNotLeft(_ isThereBefore: Bool) async throws {
            try await withFolder { folder in
                let file = folder.appendingPathComponent("film")
                if isThereBefore { try Data().write(to: file) }
                try write(
                    "identity error-after=1 ! filesink location=\"\(file.path)\"", "outputs", "frail",
                    in: folder)
                try await withCamera("test:bars", .qvga320x240, pipelines: folder) { camera in
                    var events = camera.events().makeAsyncIterator()
                    try await camera.addOutput("frail")
                    _ = try await events.first { if case .outputFailed = $0 { true } else { nil } }
                    #expect(try files(in: folder).contains("film"))
                    let removed = try await camera.removeOutput("frail")
                    #expect(removed.state == .failed)
                    #expect(try files(in: folder).contains("film") == isThereBefore)
                    #expect(removed.files.isEmpty != isThereBefore)
                }
            }
        }

        /// The head of a film alone plays nowhere.
        @Test func aFilmWithoutAFrameIsNotLeft() async throws {
            try await withFolder { folder in
                let film = folder.appendingPathComponent("film.mkv")
                try write(
                    "videotestsrc is-live=true ! video/x-raw,framerate=1/7", "sources", "slow", in: folder)
                try write(
                    "jpegenc ! matroskamux ! filesink async=false location=\"\(film.path)\"", "outputs",
                    "film",
                    in: folder)
                try await withCamera("file:slow", nil, pipelines: folder) { camera in
                    try await camera.addOutput("film")
                    let removed = try await camera.removeOutput("film")
                    #expect(removed.frames == 0 && removed.files.isEmpty, "\(removed)")
                    #expect(try !files(in: folder).contains("film.mkv"))
                }
            }
        }

        @Test(.enabled(if: Mount.isPossible, "only root can mount a file system"))
        func aFullDiskEndsARecording() async throws {
            try await withFolder { folder in
                let small = folder.appendingPathComponent("small")
                try await Mount.with(small, options: "size=200k") {
                    let text = try String(
                        contentsOf: pipelinesFolder.appendingPathComponent("outputs/recording.launch"),
                        encoding: .utf8
                    ).replacing("${CAMERA_OUTPUT_DIRECTORY:-.}", with: small.path)
                    try write(text, "outputs", "recording", in: folder)
                    try await withCamera("test:bars", .hd1280x720, pipelines: folder) { camera in
                        var events = camera.events().makeAsyncIterator()
                        var frames = try await camera.frames().makeAsyncIterator()
                        try await camera.addOutput("recording")
                        let told = try await events.first { event -> CameraError? in
                            if case .outputFailed(_, let error) = event { error } else { nil }
                        }
                        #expect(told.code == .diskFull)
                        let removed = try await camera.removeOutput("recording")
                        #expect(removed.state == .failed && removed.error?.code == .diskFull)
                        #expect(try removed.files.map(\.lastPathComponent) == files(in: small))
                        #expect(removed.files.count == 1)
                        _ = try await frames.take(3)
                        #expect(try await outputEvents(to: camera, &events).isEmpty, "told twice")
                    }
                }
            }
        }

        /// A sink that does not let go is left behind; that is told, and the output can be added all the same.
        @Test func oneThatDoesNotFinishHasFailed() async throws {
            var deadlines = CaptureGraph.Deadlines()
            deadlines.drain = .milliseconds(200)
            try await withFolder { folder in
                try write("identity sleep-time=700000 ! fakesink", "outputs", "slow", in: folder)
                try await withCamera("test:bars", .qvga320x240, pipelines: folder, deadlines: deadlines) {
                    camera in
                    var events = camera.events().makeAsyncIterator()
                    var frames = try await camera.frames().makeAsyncIterator()
                    try await camera.addOutput("slow")
                    _ = try await frames.take(3)
                    let removed = try await camera.removeOutput("slow")
                    #expect(removed.state == .failed)
                    #expect(removed.error?.message.contains("end of the stream") ?? false, "\(removed)")
                    #expect(try await camera.addOutput("slow").state == .running)
                    _ = try await frames.take(3)
                    let told = try await outputEvents(to: camera, &events)
                    #expect(told == removed.error.map { [.outputFailed(name: "slow", $0)] })
                }
            }
        }

        /// What an output cannot take must not decide what the camera delivers, nor stop it.
        @Test(arguments: [
            ("audio", "audioconvert ! fakesink"),
            ("other", "identity ! video/x-raw,format=BGRx ! fakesink"),
            ("size", "identity ! video/x-raw,width=64 ! fakesink"),
        ])
        func oneThatCannotTakeThePicture(_ name: String, _ description: String) async throws {
            try await withFolder { folder in
                try write(description, "outputs", name, in: folder)
                try await withCamera("test:bars", .qvga320x240, pipelines: folder) { camera in
                    var frames = try await camera.frames().makeAsyncIterator()
                    _ = try await frames.required()
                    var events = camera.events().makeAsyncIterator()
                    try await camera.addOutput(name)
                    let told = try await events.first { event -> CameraError? in
                        switch event {
                        case .outputFailed(_, let error): error
                        case .stateChanged(.interrupted(let error)): error
                        default: nil
                        }
                    }
                    #expect(told.code == .outputFailed && told.message.contains("videoconvert"), "\(told)")
                    _ = try await frames.take(3)
                    try await camera.setPreset(.vga640x480)
                    #expect(try await frames.take(3).width == 640)
                    #expect(camera.status.outputs.map(\.state) == [.failed])
                }
            }
        }
    }
}

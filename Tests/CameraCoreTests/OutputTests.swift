import Foundation
import Testing

@testable import CameraCore

extension CameraTests {
    /// Branches of `pipelines/outputs`: on and off under a running preview, and their failures.
    @Suite struct OutputTests {
        /// A folder with the repository's outputs, which write to that folder.
        private func outputs(in folder: URL, _ names: String...) throws {
            for name in names {
                let file = pipelinesFolder.appendingPathComponent("outputs/\(name).launch")
                let text = try String(contentsOf: file, encoding: .utf8)
                    .replacing("${CAMERA_OUTPUT_DIRECTORY:-.}", with: folder.path)
                    .replacing("${CAMERA_TIMELAPSE_SECONDS:-10}", with: "1")
                try write(text, "outputs", name, in: folder)
            }
        }

        /// A port of the loopback that nobody has now.
        private func freePort() throws -> UInt16 {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
                }
            }
            try #require(isBound)
            return UInt16(bigEndian: address.sin_port)
        }

        @Test func comingAndGoingLeavesNoGap() async throws {
            try await withFolder { folder in
                try write(
                    "videoconvert ! video/x-raw,format=BGRx ! fakesink", "outputs", "nothing", in: folder)
                try await withCamera("test:ball", .vga640x480, pipelines: folder) { camera in
                    let (times, continuation) = AsyncStream.makeStream(of: Double.self)
                    let subscription = try await camera.onFrame { continuation.yield($0.presentationTime) }
                    for _ in 0..<50 {
                        try await camera.addOutput("nothing")
                        try await camera.removeOutput("nothing")
                    }
                    subscription.cancel()
                    continuation.finish()
                    var last: Double?
                    var longest = 0.0
                    for await time in times {
                        if let last { longest = max(longest, time - last) }
                        last = time
                    }
                    #expect(longest > 0 && .seconds(longest) < promptly, "\(longest) s")
                    #expect(await !camera.graph().contains("output-nothing"))
                    #expect(await camera.outputs().map(\.state) == [.available])
                }
            }
        }

        @Test func mistakesWithNames() async throws {
            try await withFolder { folder in
                try write("fakesink", "outputs", "good", in: folder)
                try write("nosuchelement1 ! fakesink", "outputs", "missing", in: folder)
                try write("fakesink ! ! ", "outputs", "broken", in: folder)
                try write("videotestsrc ! fakesink", "outputs", "closed", in: folder)
                try write("video/x-raw,format=I420 ! fakesink", "outputs", "caps", in: folder)
                try write("fakesink location=${CAMERA_NOWHERE}", "outputs", "unset", in: folder)
                try write("fakesink  fakesink name=other", "outputs", "two", in: folder)
                try write("videoconvert ! jpegenc name=open", "outputs", "open", in: folder)
                try await withCamera("test:bars", .qvga320x240, pipelines: folder) { camera in
                    let mistakes: [(String, CameraError.Code, String)] = [
                        ("nowhere", .outputFailed, "nowhere"), ("missing", .missingPlugin, "nosuchelement1"),
                        ("broken", .pipelineInvalid, "broken"), ("closed", .pipelineInvalid, "sink pad"),
                        ("caps", .pipelineInvalid, "begin with an element"),
                        ("unset", .pipelineInvalid, "CAMERA_NOWHERE"), ("two", .pipelineInvalid, "other"),
                        ("open", .pipelineInvalid, "'src' of 'open'"),
                    ]
                    for (name, code, part) in mistakes {
                        let error = await error { try await camera.addOutput(name) }
                        #expect(error?.code == code, "\(name): \(String(describing: error))")
                        #expect(error?.message.contains(name) ?? false)
                        #expect(error?.message.contains(part) ?? false, "\(error?.message ?? "")")
                    }
                    let near = await error { try await camera.addOutput("godo") }
                    #expect(near?.message.hasSuffix("; did you mean good? 'outputs' lists them") ?? false)
                    try await camera.addOutput("good")
                    #expect(await error { try await camera.addOutput("good") }?.code == .outputFailed)
                    try await camera.removeOutput("good")
                    #expect(await error { try await camera.removeOutput("good") }?.code == .outputFailed)
                }
            }
        }

        @Test func anOutputThatCannotOpenItsFileIsRefused() async throws {
            try await withFolder { folder in
                try write(
                    "jpegenc ! filesink location=\"\(folder.path)/missing/a.jpg\"", "outputs", "file",
                    in: folder)
                try await withCamera("test:bars", .qvga320x240, pipelines: folder) { camera in
                    var frames = try await camera.frames().makeAsyncIterator()
                    _ = try await frames.required()
                    for _ in 0..<3 {
                        let error = await error { try await camera.addOutput("file") }
                        #expect(error?.code == .directoryUnwritable)
                        #expect(error?.message.contains("missing/a.jpg") ?? false, "\(error?.message ?? "")")
                    }
                    #expect(await !camera.graph().contains("output-file"))
                    _ = try await frames.take(3)
                    #expect(camera.status.state == .running)
                }
            }
        }

        @Test func aPortThatIsTakenIsRefused() async throws {
            try await withFolder { folder in
                let port = try freePort()
                let text = "jpegenc ! tcpserversink host=127.0.0.1 port=\(port) sync=false"
                try write(text, "outputs", "one", in: folder)
                try write(text, "outputs", "two", in: folder)
                try await withCamera("test:bars", .qvga320x240, pipelines: folder) { camera in
                    var frames = try await camera.frames().makeAsyncIterator()
                    _ = try await frames.required()
                    try await camera.addOutput("one")
                    var events = camera.events().makeAsyncIterator()
                    // The element starts all the same and only tells its bus.
                    let refused = await error { try await camera.addOutput("two") }
                    #expect(refused?.code == .outputFailed)
                    for part in ["two", "\(port)", "in use"] {
                        #expect(refused?.message.contains(part) ?? false, "\(refused?.message ?? "")")
                    }
                    _ = try await frames.take(3)
                    #expect(camera.status.outputs.map(\.name) == ["one"])
                    #expect(camera.status.outputs.map(\.state) == [.running])
                    try await camera.stop()
                    // Who was told by the error is not told by an event too.
                    _ = try await events.first { event -> Bool? in
                        if case .outputFailed = event { Issue.record("\(event)") }
                        return if case .stateChanged(.stopped) = event { true } else { nil }
                    }
                }
            }
        }

        @Test func anOutputThatFailsLaterIsCutOff() async throws {
            try await withFolder { folder in
                try write("identity error-after=5 ! fakesink", "outputs", "frail", in: folder)
                try write("fakesink", "outputs", "strong", in: folder)
                try await withCamera("test:bars", .qvga320x240, pipelines: folder) { camera in
                    var events = camera.events().makeAsyncIterator()
                    var frames = try await camera.frames().makeAsyncIterator()
                    for _ in 0..<3 {
                        if camera.status.outputs.allSatisfy({ $0.name != "strong" }) {
                            try await camera.addOutput("strong")
                        }
                        try await camera.addOutput("frail")
                        let (name, error) = try await events.first { event -> (String, CameraError)? in
                            if case .outputFailed(let name, let error) = event { (name, error) } else { nil }
                        }
                        #expect(name == "frail" && error.code == .outputFailed)
                        #expect(error.message.contains("frail"))
                        _ = try await frames.take(10)
                        let states = camera.status.outputs.map(\.state)
                        #expect(states == [.failed, .running])
                        #expect(camera.status.state == .running)
                    }
                    try await camera.removeOutput("frail")
                    let before = try #require(camera.status.outputs.first).frames
                    _ = try await frames.take(10)
                    #expect(try #require(camera.status.outputs.first).frames > before)
                }
            }
        }

        @Test func aRecordingPlaysAcrossAChangeOfSize() async throws {
            try await withFolder { folder in
                try outputs(in: folder, "recording")
                try await withCamera("test:ball", .hd1280x720, pipelines: folder) { camera in
                    var frames = try await camera.frames().makeAsyncIterator()
                    try await camera.addOutput("recording")
                    _ = try await frames.take(20)
                    try await camera.setPreset(.vga640x480)
                    try await camera.setZoom(2)
                    _ = try await frames.take(20)
                    try await camera.removeOutput("recording")
                    #expect(camera.status.outputs.isEmpty)
                    let name = try #require(try files(in: folder).first { $0.hasSuffix(".mkv") })
                    // The film is the next camera: it plays for as long as it was recorded, then it ends.
                    let film = try String(
                        contentsOf: pipelinesFolder.appendingPathComponent("sources/video-file.launch"),
                        encoding: .utf8)
                    try write(
                        film.replacing(
                            "${CAMERA_VIDEO_URI:-file:///path/to/film.webm}",
                            with: folder.appendingPathComponent(name).absoluteString),
                        "sources", "film", in: folder)
                    var events = camera.events().makeAsyncIterator()
                    let began = await camera.runningTime
                    try await camera.selectDevice("file:film")
                    let frame = try await frames.required()
                    #expect(frame.width == 1280 && frame.height == 720)
                    let reason = try await events.first { event -> CameraError? in
                        if case .stateChanged(.interrupted(let error)) = event { error } else { nil }
                    }
                    #expect(reason.code == .deviceLost)
                    #expect(await camera.runningTime - began > 0.8)
                }
            }
        }

        @Test func aTimeLapseIsMadeOfPictures() async throws {
            try await withFolder { folder in
                try outputs(in: folder, "time-lapse")
                try await withCamera("test:bars", .vga640x480, pipelines: folder) { camera in
                    var frames = try await camera.frames().makeAsyncIterator()
                    try await camera.addOutput("time-lapse")
                    _ = try await frames.take(65)
                    try await camera.removeOutput("time-lapse")
                    let pictures = try files(in: folder).filter { $0.hasSuffix(".jpg") }
                    #expect((2...4).contains(pictures.count), "\(pictures)")
                    let whole = try Picture(pattern: "smpte", size: Dimensions(width: 640, height: 480))
                    for name in pictures {
                        let picture = try Picture(jpeg: folder.appendingPathComponent(name))
                        #expect(picture.size == whole.size)
                        let comparison = PictureComparison(
                            picture, shows: Part(of: whole.size, zoom: 1), of: whole, tolerance: 6,
                            margin: 16,
                            excluding: PictureComparison.isSnow)
                        #expect(comparison.isGood, "\(comparison)")
                    }
                }
            }
        }
    }
}

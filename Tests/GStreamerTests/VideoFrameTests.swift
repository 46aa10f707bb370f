import Testing

@testable import GStreamer

@Suite(.timeLimit(.minutes(1))) struct VideoFrameTests {
    private func frame(_ format: String, _ width: Int, _ height: Int, pattern: String = "white") async throws
        -> Sample
    {
        try await sample(
            "videotestsrc num-buffers=1 pattern=\(pattern) ! "
                + "video/x-raw,format=\(format),width=\(width),height=\(height),framerate=25/1")
    }

    private func layout(_ sample: Sample) throws -> VideoInfo {
        let caps = try #require(sample.caps)
        return try #require(VideoInfo(caps))
    }

    /// Strides and lines by plane, and all bytes of the frame.
    @Test(
        arguments: [
            ("I420", 640, 480, [640, 320, 320], [480, 240, 240], 460_800),
            ("I420", 853, 479, [856, 428, 428], [479, 240, 240], 856 * 480 + 2 * 428 * 240),
            ("NV12", 853, 479, [856, 856], [479, 240], 856 * 480 + 856 * 240),
            ("BGRx", 853, 479, [3412], [479], 3412 * 479),
            ("RGB", 1366, 768, [4100], [768], 4100 * 768),
            ("YUY2", 853, 479, [1708], [479], 1708 * 479),
            ("GRAY8", 853, 479, [856], [479], 856 * 479),
        ] as [(String, Int, Int, [Int], [Int], Int)])
    func liesInMemoryAsTheFormatSays(
        format: String, width: Int, height: Int, strides: [Int], lines: [Int], byteCount: Int
    ) async throws {
        let sample = try await frame(format, width, height)
        let info = try layout(sample)
        #expect(info.format == format)
        #expect(info.width == width)
        #expect(info.height == height)
        #expect(info.frameRate == Value.Fraction(25, 1))
        #expect(sample.byteCount == byteCount)
        try sample.withVideoFrame(info) { frame in
            #expect(frame.planeCount == strides.count)
            for plane in strides.indices {
                #expect(frame.stride(plane) == strides[plane])
                #expect(frame.lineCount(plane) == lines[plane])
                frame.withPlane(plane) { bytes, stride in
                    #expect(stride == strides[plane])
                    #expect(bytes.byteCount == strides[plane] * lines[plane])
                }
            }
        }
    }

    @Test func hasItsPixelsWhereTheStrideSays() async throws {
        let luma = try await frame("I420", 853, 479)
        try luma.withVideoFrame(try layout(luma)) { frame in
            for (plane, size, value) in [(0, (853, 479), 235), (1, (427, 240), 128), (2, (427, 240), 128)] {
                frame.withPlane(plane) { bytes, stride in
                    for (column, line) in [
                        (0, 0), (size.0 - 1, 0), (0, size.1 - 1), (size.0 - 1, size.1 - 1),
                    ] {
                        let pixel = bytes.unsafeLoad(
                            fromByteOffset: line * stride + column, as: UInt8.self)
                        #expect(pixel == value)
                    }
                }
            }
        }
        let red = try await frame("RGB", 1366, 768, pattern: "red")
        try red.withVideoFrame(try layout(red)) { frame in
            frame.withPlane(0) { bytes, stride in
                let pixel = (0..<3).map {
                    bytes.unsafeLoad(fromByteOffset: 767 * stride + 1365 * 3 + $0, as: UInt8.self)
                }
                #expect(pixel == [255, 0, 0])
            }
        }
    }

    @Test func tellsColorimetry() async throws {
        #expect(try layout(try await frame("I420", 640, 480)).colorimetry == "bt601")
        #expect(try layout(try await frame("I420", 1280, 720)).colorimetry == "bt709")
    }

    @Test(
        arguments: [
            Caps.Structure("image/jpeg", ["width": .int(640), "height": .int(480)]),
            Caps.Structure("video/x-raw"),
            Caps.Structure(
                "video/x-raw", ["format": .string("I420"), "width": .intRange(1, 9), "height": .int(9)]),
            Caps.Structure("audio/x-raw", ["rate": .int(48000)]),
        ])
    func hasALayoutOnlyForFixedRawVideo(_ structure: Caps.Structure) throws {
        try initialize()
        #expect(VideoInfo(Caps(structure)) == nil)
        #expect(VideoInfo(Caps()) == nil)
    }

    @Test func failsOnABufferThatIsTooSmall() async throws {
        let small = try await frame("I420", 64, 48)
        let large = try layout(try await frame("I420", 640, 480))
        let error = try gstreamerError { try small.withVideoFrame(large) { _ in } }
        #expect(error.kind == .read)
    }

    private struct Stop: Error {}

    @Test func passesOnWhatTheBodyThrows() async throws {
        let sample = try await frame("I420", 64, 48)
        let info = try layout(sample)
        for _ in 0..<3 {
            #expect(throws: Stop.self) { try sample.withVideoFrame(info) { _ in throw Stop() } }
            #expect(throws: Stop.self) { try sample.withBytes { _ in throw Stop() } }
        }
        #expect(try sample.withBytes { $0.byteCount } == sample.byteCount)
    }

    @Test func becomesAPNG() async throws {
        let sample = try await frame("I420", 853, 479)
        let png = try sample.converted(to: Caps(Caps.Structure("image/png")), timeout: ClockTime(seconds: 30))
        let header = try png.withBytes { bytes in
            (0..<24).map { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        }
        #expect(header.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        #expect(header[16..<20] == [0, 0, 3, 0x55])
        #expect(header[20..<24] == [0, 0, 1, 0xDF])
        #expect(png.byteCount > 24)
        #expect(png.caps?.structures.first?.name == "image/png")
    }

    @Test func becomesAnotherFormatAndSize() async throws {
        let wish = Caps(
            Caps.Structure("video/x-raw", ["format": .string("BGRx"), "width": .int(64), "height": .int(36)]))
        let converted = try await frame("I420", 640, 360).converted(to: wish, timeout: ClockTime(seconds: 30))
        let info = try layout(converted)
        #expect((info.format, info.width, info.height) == ("BGRx", 64, 36))
        #expect(converted.byteCount == 64 * 36 * 4)
    }

    @Test func saysThatAFormatCannotBeMade() async throws {
        let sample = try await frame("I420", 64, 48)
        let wish = Caps(Caps.Structure("image/x-nonexistent"))
        #expect(throws: GStreamerError.self) {
            try sample.converted(to: wish, timeout: ClockTime(seconds: 30))
        }
    }
}

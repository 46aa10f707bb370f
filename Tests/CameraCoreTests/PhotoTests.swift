import Foundation
import Testing

@testable import CameraCore

extension CameraTests {
    /// What is in a photo, and which frame it is.
    @Suite struct PhotoTests {
        @Test func isAYCbCrJPEGWithHalvedColour() async throws {
            try await withFolder { folder in
                try await withCamera("test:bars", .hd1280x720) { camera in
                    let photo = try await camera.capturePhoto(to: folder.appendingPathComponent("a.jpg"))
                    let header = try JPEGHeader(photo.url)
                    #expect(header.width == 1280 && header.height == 720)
                    #expect(header.isYCbCr420, "\(header.components)")
                    #expect(photo.bytes == (try Data(contentsOf: photo.url)).count)
                    #expect(photo.device == "test:bars")
                    #expect(try files(in: folder) == ["a.jpg"])
                    #expect(camera.status.photos == 1)
                }
            }
        }

        @Test func qualityDecidesTheSize() async throws {
            try await withFolder { folder in
                try await withCamera("test:bars", .vga640x480) { camera in
                    var sizes: [Int] = []
                    for quality in [1, 30, 85, 100] {
                        let photo = try await camera.capturePhoto(
                            to: folder.appendingPathComponent("\(quality).jpg"),
                            settings: PhotoSettings(quality: quality))
                        _ = try Picture(jpeg: photo.url)
                        sizes.append(photo.bytes)
                    }
                    #expect(sizes == sizes.sorted() && Set(sizes).count == 4, "\(sizes)")
                    for quality in [0, 101, -1] {
                        let error = await error {
                            _ = try await camera.capturePhoto(
                                to: folder.appendingPathComponent("no.jpg"),
                                settings: PhotoSettings(quality: quality))
                        }
                        #expect(error?.code == .usage)
                    }
                    #expect(try files(in: folder).count == 4)
                }
            }
        }

        /// The limit of a wait follows the rate: here it would be over before any frame but the first.
        @Test(arguments: ["", "is-live=true"])
        func aSlowCameraIsWaitedFor(_ setting: String) async throws {
            var deadlines = CaptureGraph.Deadlines()
            deadlines.frame = .milliseconds(100)
            try await withFolder { folder in
                try write(
                    "videotestsrc \(setting) ! video/x-raw,format=I420,width=320,height=240,framerate=2/1",
                    "sources", "slow", in: folder)
                try await withCamera("file:slow", pipelines: folder, deadlines: deadlines) { camera in
                    var frames = try await camera.frames().makeAsyncIterator()
                    let frame = try await frames.required()
                    let photo = try await camera.capturePhoto(to: folder.appendingPathComponent("a.jpg"))
                    #expect(photo.presentationTime >= frame.presentationTime)
                    let next = try await camera.capturePhoto(
                        to: folder.appendingPathComponent("b.jpg"), settings: PhotoSettings(timing: .next))
                    #expect(next.presentationTime > photo.presentationTime)
                }
            }
        }

        @Test func rapidShotsAreDifferentFrames() async throws {
            try await withFolder { folder in
                try await withCamera("file:numbered") { camera in
                    var times: [Double] = []
                    var rows: [[Int]] = []
                    for number in 0..<10 {
                        let photo = try await camera.capturePhoto(
                            to: folder.appendingPathComponent("\(number).jpg"))
                        times.append(photo.presentationTime)
                        let picture = try Picture(jpeg: photo.url)
                        rows.append((0..<640).map { Int(picture[$0, 240].green) })
                    }
                    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(times)")
                    // A bar that tells the frame's number moves from one to the next.
                    for (row, next) in zip(rows, rows.dropFirst()) {
                        #expect(zip(row, next).contains { abs($0 - $1) > 100 })
                    }
                }
            }
        }

        @Test func aSecondPhotoAtATimeIsRefused() async throws {
            try await withFolder { folder in
                try await withCamera("test:bars") { camera in
                    try await camera.setFormat(
                        FormatRequest(width: 640, height: 480, frameRate: FrameRate(1), pixelFormat: .i420))
                    var events = camera.events().makeAsyncIterator()
                    async let first = camera.capturePhoto(
                        to: folder.appendingPathComponent("a.jpg"), settings: PhotoSettings(timing: .next))
                    // The first waits for the next of one frame a second.
                    _ = try await events.first { event -> Bool? in
                        if case .photo(.started) = event { true } else { nil }
                    }
                    let refused = await error {
                        _ = try await camera.capturePhoto(to: folder.appendingPathComponent("b.jpg"))
                    }
                    #expect(refused?.code == .photoInProgress)
                    _ = try await first
                    #expect(try files(in: folder) == ["a.jpg"])
                    _ = try await camera.capturePhoto(to: folder.appendingPathComponent("b.jpg"))
                    #expect(try files(in: folder) == ["a.jpg", "b.jpg"])
                }
            }
        }

        @Test func stoppingEndsAWaitingPhoto() async throws {
            try await withFolder { folder in
                try await withCamera("test:bars") { camera in
                    try await camera.setFormat(
                        FormatRequest(width: 640, height: 480, frameRate: FrameRate(1), pixelFormat: .i420))
                    try await camera.start()
                    var events = camera.events().makeAsyncIterator()
                    let taking = Task {
                        try await camera.capturePhoto(
                            to: folder.appendingPathComponent("a.jpg"), settings: PhotoSettings(timing: .next)
                        )
                    }
                    _ = try await events.first { event -> Bool? in
                        if case .photo(.started) = event { true } else { nil }
                    }
                    let stopped = ContinuousClock.now
                    try await camera.stop()
                    let error = await error { _ = try await taking.value }
                    // Either its frame had come already, or it ends with the camera, long before a camera's deadline.
                    #expect(error == nil || error?.code == .notRunning)
                    #expect(ContinuousClock.now - stopped < .seconds(5))
                    let last = try await events.first { event -> PhotoEvent? in
                        switch event {
                        case .photo(let step): if case .captured = step { nil } else { step }
                        default: nil
                        }
                    }
                    if case .failed = last { #expect(error != nil) } else { #expect(error == nil) }
                }
            }
        }

        @Test func nextIsAFrameFromAfterTheCall() async throws {
            try await withFolder { folder in
                try await withCamera("test:bars", .qvga320x240) { camera in
                    try await camera.start()
                    for number in 0..<10 {
                        let asked = await camera.runningTime
                        let photo = try await camera.capturePhoto(
                            to: folder.appendingPathComponent("\(number).jpg"),
                            settings: PhotoSettings(timing: .next))
                        #expect(photo.presentationTime > asked)
                    }
                }
            }
        }

        @Test func aPhotoAfterALongWhileIsNoOldFrame() async throws {
            try await withFolder { folder in
                try await withCamera("file:numbered") { camera in
                    _ = try await camera.capturePhoto(to: folder.appendingPathComponent("first.jpg"))
                    var frames = try await camera.frames().makeAsyncIterator()
                    let before = await camera.runningTime
                    let last = try await frames.take(60)
                    // A source that is not live keeps to real time.
                    #expect(last.presentationTime - before > 1.5)
                    let now = await camera.runningTime
                    #expect(last.presentationTime <= now + 0.1)
                    let photo = try await camera.capturePhoto(to: folder.appendingPathComponent("a.jpg"))
                    #expect(photo.presentationTime >= last.presentationTime)
                }
            }
        }

        /// Each half of the frame is of one colour; a photo right after a zoom into the other half has only that.
        @Test func noPhotoAndNoFrameIsFromBeforeAZoom() async throws {
            try await withFolder { folder in
                try await withCamera("test:bars", .vga640x480) { camera in
                    var frames = try await camera.frames().makeAsyncIterator()
                    _ = try await frames.required()
                    for round in 0..<20 {
                        let isLeft = round % 2 == 0
                        try await camera.setZoom(
                            10, center: NormalizedPoint(x: isLeft ? 1 / 14.0 : 13 / 14.0, y: 1 / 3.0))
                        let photo = try await camera.capturePhoto(
                            to: folder.appendingPathComponent("\(round).jpg"))
                        let frame = try await frames.required()
                        let expected =
                            isLeft
                            ? Color(red: 255, green: 255, blue: 255) : Color(red: 0, green: 0, blue: 255)
                        for picture in [try Picture(jpeg: photo.url), try Picture(frame)] {
                            #expect(picture.average.distance(to: expected) < 12, "round \(round)")
                        }
                    }
                }
            }
        }

        @Test func noPhotoAndNoFrameIsFromBeforeAChangeOfDeviceOrSize() async throws {
            try await withFolder { folder in
                try await withCamera("test:bars", .qvga320x240) { camera in
                    var frames = try await camera.frames().makeAsyncIterator()
                    _ = try await frames.required()
                    for round in 0..<20 {
                        let isBall = round % 2 == 0
                        try await camera.selectDevice(isBall ? "test:ball" : "test:bars")
                        let preset = [SessionPreset.qvga320x240, .cif352x288, .vga640x480][round % 3]
                        let size = try await camera.setPreset(preset).format.dimensions
                        try await camera.setZoom(1.5)
                        let photo = try await camera.capturePhoto(
                            to: folder.appendingPathComponent("\(round).jpg"))
                        let frame = try await frames.required()
                        for picture in [try Picture(jpeg: photo.url), try Picture(frame)] {
                            #expect(picture.size == size, "round \(round)")
                            #expect(
                                (picture.average.red < 40) == isBall, "round \(round): \(picture.average)")
                        }
                    }
                }
            }
        }

        /// Sizes that are no multiples of anything, padded lines, grey, and JPEG from the camera.
        @Test(arguments: [
            ("odd-853x479", "I420", 853, 479), ("grey-1366x768", "GRAY8", 1366, 768),
            ("rgb-1366x768", "RGB", 1366, 768), ("mjpeg-960x540", "BGRx", 960, 540),
            ("mjpeg-1280x720", "BGRx", 1280, 720), ("fraction-30000-1001", "YUY2", 640, 480),
        ])
        func awkwardCamerasGiveWholePictures(_ name: String, _ format: String, _ width: Int, _ height: Int)
            async throws
        {
            let size = Dimensions(width: width, height: height)
            let whole = try Picture(pattern: "smpte", size: size, format: format)
            let isTwiceCoded = name.hasPrefix("mjpeg")
            try await withFolder { folder in
                try await withCamera("file:\(name)") { camera in
                    var frames = try await camera.frames(format: .rgb).makeAsyncIterator()
                    let preview = try Picture(await frames.required())
                    let photo = try await camera.capturePhoto(to: folder.appendingPathComponent("a.jpg"))
                    let stored = try Picture(jpeg: photo.url)
                    for (picture, margin) in [(preview, isTwiceCoded ? 16.0 : 2), (stored, 16)] {
                        #expect(picture.size == size)
                        let comparison = PictureComparison(
                            picture, shows: Part(of: size, zoom: 1), of: whole,
                            tolerance: isTwiceCoded ? 8 : 6, margin: margin,
                            excluding: PictureComparison.isSnow)
                        #expect(comparison.isGood, "\(comparison)")
                        // The last row and column: green where padding got in. The lower middle of the bars is black.
                        for (x, y) in [(width * 5 / 8, height - 1), (width - 1, height / 3)] {
                            #expect(
                                picture[x, y].distance(to: whole[x, y]) <= 16, "\(picture[x, y]) at \(x),\(y)"
                            )
                        }
                    }
                    if format == "GRAY8" {
                        let color = stored.average
                        #expect(abs(color.red - color.green) <= 2 && abs(color.blue - color.green) <= 2)
                    }
                    let zoomed = try await camera.setZoom(3)
                    #expect(zoomed.format.dimensions == size)
                    let closer = try await camera.capturePhoto(to: folder.appendingPathComponent("b.jpg"))
                    let comparison = PictureComparison(
                        try Picture(jpeg: closer.url), shows: Part(of: size, zoom: 3), of: whole,
                        tolerance: 10, margin: isTwiceCoded ? 48 : 16,
                        excluding: { x, y in
                            PictureComparison.isSnow(x, y) || x > 0.5 + 0.48 / 3
                        })
                    #expect(comparison.isGood, "\(comparison)")
                }
            }
        }

        @Test func whoWantsTheFirstFrameGetsIt() async throws {
            try await withFolder { folder in
                try await withCamera("file:dark-start") { camera in
                    let photo = try await camera.capturePhoto(
                        to: folder.appendingPathComponent("a.jpg"),
                        settings: PhotoSettings(waitsForExposure: false))
                    #expect(try Picture(jpeg: photo.url).average.green < 30)
                }
            }
        }

        /// A room without light: the photo comes all the same.
        @Test func aDarkSceneIsPhotographedAtTheLimit() async throws {
            try await withFolder { folder in
                try write(
                    "videotestsrc pattern=black is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=30/1",
                    "sources", "dark", in: folder)
                try await withCamera("file:dark", pipelines: folder) { camera in
                    var frames = try await camera.frames().makeAsyncIterator()
                    _ = try await frames.required()
                    let first = try #require(await camera.firstFrameTime)
                    let photo = try await camera.capturePhoto(to: folder.appendingPathComponent("a.jpg"))
                    #expect(photo.presentationTime - first >= ExposureSettling.limit)
                    // Whoever asks later does not wait again.
                    let second = try await camera.capturePhoto(to: folder.appendingPathComponent("b.jpg"))
                    #expect(second.presentationTime - photo.presentationTime < 1)
                }
            }
        }

        @Test func aSlowWakingCameraIsNotPhotographedInTheDark() async throws {
            try await withFolder { folder in
                try await withCamera { camera in
                    try await camera.selectDevice("file:dark-start")
                    let photo = try await camera.capturePhoto(to: folder.appendingPathComponent("a.jpg"))
                    let picture = try Picture(jpeg: photo.url)
                    #expect(picture.average.green > 60)
                }
            }
        }
    }
}

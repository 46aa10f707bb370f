import Foundation
import GStreamer
import Testing

@testable import CameraCore

extension CameraTests {
    /// The preview: formats, sizes, order, and how it begins and ends.
    @Suite struct PreviewTests {
        @Test func theNativeFormatComesAsItIs() async throws {
            try await withCamera("test:bars", .vga640x480) { camera in
                var frames = try await camera.frames().makeAsyncIterator()
                let frame = try await frames.required()
                #expect(frame.format == camera.status.format?.pixelFormat)
                #expect(frame.width == 640 && frame.height == 480)
                #expect(frame.byteCount == 640 * 480 * 3 / 2)
                #expect(try frame.planeCount == 3)
                #expect(try frame.strides == [640, 320, 320])
            }
        }

        @Test func otherFormatsAndSizesAreConverted() async throws {
            let whole = try Picture(pattern: "smpte", size: Dimensions(width: 1280, height: 720))
            try await withCamera("test:bars", .hd1280x720) { camera in
                let small = Dimensions(width: 320, height: 180)
                let wishes: [(PixelFormat?, Dimensions?)] = [
                    (.bgrx, nil), (.rgb, nil), (.gray8, small), (nil, small), (.bgrx, small),
                ]
                for (format, size) in wishes {
                    var frames = try await camera.frames(format: format, size: size).makeAsyncIterator()
                    let frame = try await frames.required()
                    if let format { #expect(frame.format == format) }
                    let expected = size ?? Dimensions(width: 1280, height: 720)
                    #expect(Dimensions(width: frame.width, height: frame.height) == expected)
                    if format == .gray8 { continue }
                    let comparison = PictureComparison(
                        try Picture(frame), shows: Part(of: whole.size, zoom: 1), of: whole, tolerance: 6,
                        margin: 2, excluding: PictureComparison.isSnow)
                    #expect(comparison.isGood, "\(String(describing: format)): \(comparison)")
                }
            }
        }

        @Test(arguments: [(0, 0), (-1, 5), (40_000, 2), (2, 32_768)])
        func aSizeThatNoFrameCanHaveIsRefused(width: Int, height: Int) async throws {
            try await withCamera("test:bars", .qvga320x240) { camera in
                let refused = await error {
                    _ = try await camera.frames(size: Dimensions(width: width, height: height))
                }
                #expect(refused?.code == .formatUnsupported)
                #expect(refused?.message.contains("\(width)x\(height)") ?? false)
            }
        }

        @Test func aSizeOfAnotherShapeIsFilledUp() async throws {
            try await withCamera("test:bars", .hd1280x720) { camera in
                let size = Dimensions(width: 320, height: 240)
                var frames = try await camera.frames(format: .bgrx, size: size).makeAsyncIterator()
                let picture = try Picture(await frames.required())
                #expect(picture.size == size)
                let (black, white) = (
                    Color(red: 0, green: 0, blue: 0), Color(red: 255, green: 255, blue: 255)
                )
                for y in [0, 25, 214, 239] { #expect(picture[20, y].distance(to: black) <= 4, "line \(y)") }
                for y in [35, 100] { #expect(picture[20, y].distance(to: white) <= 6, "line \(y)") }
            }
        }

        /// Who starts a camera does not wait for its second frame, which this one gives two seconds later.
        @Test(arguments: ["sequence", "callback", "converted", "photo"])
        func whoStartsTheCameraGetsItsFirstFrame(as reader: String) async throws {
            try await withFolder { folder in
                try write(
                    "videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=1/2",
                    "sources", "slow", in: folder)
                try await withCamera("file:slow", pipelines: folder) { camera in
                    let time: Double
                    switch reader {
                    case "photo":
                        let url = folder.appendingPathComponent("a.jpg")
                        let settings = PhotoSettings(waitsForExposure: false)
                        time = try await camera.capturePhoto(to: url, settings: settings).presentationTime
                    case "callback":
                        let (stream, continuation) = AsyncStream.makeStream(of: VideoFrame.self)
                        let subscription = try await camera.onFrame { continuation.yield($0) }
                        var frames = stream.makeAsyncIterator()
                        time = try #require(await frames.next(isolation: nil)).presentationTime
                        subscription.cancel()
                    default:
                        var frames = try await camera.frames(format: reader == "converted" ? .bgrx : nil)
                            .makeAsyncIterator()
                        time = try await frames.required().presentationTime
                    }
                    #expect(await camera.firstFrameTime == time)
                }
            }
        }

        /// A branch that is hung on while the first frame passes must get that frame's caps, too.
        @Test func frameAfterFrameFromTheStartOn() async throws {
            for _ in 0..<60 {
                try await withCamera("test:bars", .qvga320x240, pipelines: nil) { camera in
                    var frames = try await camera.frames().makeAsyncIterator()
                    #expect(try await frames.required().width == 320)
                }
            }
        }

        @Test func aPixelFormatThatNobodyKnowsIsRefused() async throws {
            try await withCamera("test:bars", .qvga320x240) { camera in
                let error = await error { _ = try await camera.frames(format: PixelFormat(rawValue: "XYZ9")) }
                #expect(error?.code == .formatUnsupported)
                #expect(error?.message.contains("XYZ9") ?? false)
            }
        }

        @Test func sequenceAndTimeGrow() async throws {
            try await withCamera("test:ball", .qvga320x240) { camera in
                var frames = try await camera.frames().makeAsyncIterator()
                var before = try await frames.required()
                for _ in 0..<30 {
                    let frame = try await frames.required()
                    #expect(frame.sequence > before.sequence)
                    #expect(frame.presentationTime > before.presentationTime)
                    before = frame
                }
            }
        }

        @Test func leavingTheLoopRemovesTheBranch() async throws {
            try await withCamera("test:bars", .qvga320x240) { camera in
                for _ in 0..<5 {
                    for await _ in try await camera.frames(format: .bgrx) { break }
                    await camera.graphMeets { !$0.contains("preview") }
                }
                #expect(camera.status.state == .running)
            }
        }

        @Test func aStreamThatNobodyReadsGoesToo() async throws {
            try await withCamera("test:bars", .qvga320x240) { camera in
                let stream = try await camera.frames()
                #expect(await camera.graph().contains("preview"))
                _ = consume stream
                await camera.graphMeets { !$0.contains("preview") }
            }
        }

        @Test func aCancelledTaskEndsItsLoop() async throws {
            try await withCamera("test:bars", .qvga320x240) { camera in
                let frames = try await camera.frames()
                let counting = Task {
                    var count = 0
                    for await _ in frames { count += 1 }
                    return count
                }
                var others = try await camera.frames().makeAsyncIterator()
                _ = try await others.take(3)
                counting.cancel()
                // It ends, however many it has seen.
                _ = await counting.value
            }
        }

        /// Only who closes the camera waits for a callback.
        @Test(arguments: [nil, PixelFormat.bgrx])
        func aCallbackThatTakesItsTimeHoldsUpOnlyTheClose(format: PixelFormat?) async throws {
            let (entered, leaves) = (Latch<Void>(), Latch<Void>())
            let isOver = Guarded(false)
            try await withCamera("test:bars", .qvga320x240) { camera in
                let subscription = try await camera.onFrame(format: format) { _ in
                    guard entered.deliver(()) else { return }
                    _ = leaves.wait(for: .seconds(60))
                    isOver.withLock { $0 = true }
                }
                guard case .delivered = await entered.value(within: .seconds(30)) else {
                    throw Picture.Failure(description: "No frame came")
                }
                var events = camera.events().makeAsyncIterator()
                subscription.cancel()
                await camera.graphMeets { !$0.contains("preview") }
                try await camera.stop()
                // Nothing went wrong on the way there.
                guard case .stateChanged(.stopped)? = await events.next() else {
                    throw Picture.Failure(description: "The cancelled callback was reported")
                }
                #expect(!isOver.withLock { $0 })
                leaves.deliver(())
            }
            #expect(isOver.withLock { $0 })
        }

        /// Who forgets to close a camera has it stopped all the same: criticals, which are fatal here, would tell.
        @Test func aForgottenCameraIsStopped() async throws {
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            do {
                let camera = try CameraController(
                    options: .init(pipelines: pipelinesFolder, discoversHardware: false))
                try await camera.start()
                let ended = EndMark { continuation.finish() }
                let subscription = try await camera.onFrame { _ in ended.touch() }
                subscription.cancel()
            }
            // The callback goes with the last of the camera.
            for await _ in stream {}
        }

        @Test func callbacksComeUntilCancelled() async throws {
            try await withCamera("test:bars", .qvga320x240) { camera in
                let (stream, continuation) = AsyncStream.makeStream(of: VideoFrame.self)
                let subscription = try await camera.onFrame(format: .bgrx) { continuation.yield($0) }
                var frames = stream.makeAsyncIterator()
                var last = 0
                for _ in 0..<5 {
                    let frame = try #require(await frames.next(isolation: nil))
                    #expect(frame.format == .bgrx && frame.sequence > last)
                    last = frame.sequence
                }
                subscription.cancel()
                subscription.cancel()
                await camera.graphMeets { !$0.contains("preview") }
                continuation.finish()
            }
        }

        @Test func severalAtOnceEachGetTheirOwn() async throws {
            try await withCamera("test:ball", .vga640x480) { camera in
                var native = try await camera.frames().makeAsyncIterator()
                var small = try await camera.frames(size: Dimensions(width: 160, height: 120))
                    .makeAsyncIterator()
                var colour = try await camera.frames(format: .bgrx).makeAsyncIterator()
                for _ in 0..<10 {
                    #expect(try await native.required().width == 640)
                    #expect(try await small.required().width == 160)
                    #expect(try await colour.required().format == .bgrx)
                }
            }
        }

        @Test func streamsLiveOnAcrossStopStartAndOtherDevices() async throws {
            try await withCamera("test:bars", .vga640x480) { camera in
                var native = try await camera.frames().makeAsyncIterator()
                var converted = try await camera.frames(format: .bgrx).makeAsyncIterator()
                var last = try await native.required()
                _ = try await converted.required()
                for device in ["test:ball", "file:plain", "file:several-sizes", "test:bars"] {
                    try await camera.stop()
                    try await camera.selectDevice(device)
                    try await camera.start()
                    let frame = try await native.required()
                    #expect(frame.sequence > last.sequence && frame.presentationTime > last.presentationTime)
                    #expect(try await converted.required().presentationTime > last.presentationTime)
                    last = frame
                }
                for device in ["test:ball", "file:plain", "file:several-sizes", "test:bars"] {
                    try await camera.selectDevice(device)
                    let frame = try await native.required()
                    #expect(frame.sequence > last.sequence && frame.presentationTime > last.presentationTime)
                    #expect(try await converted.required().presentationTime > last.presentationTime)
                    last = frame
                }
            }
        }

        @Test func noFrameOfTheOldSizeComesAfterAChange() async throws {
            try await withCamera("test:bars", .vga640x480) { camera in
                var native = try await camera.frames().makeAsyncIterator()
                var converted = try await camera.frames(format: .bgrx).makeAsyncIterator()
                _ = try await native.required()
                _ = try await converted.required()
                let presets: [SessionPreset] = [.hd4K3840x2160, .qvga320x240, .hd1280x720, .cif352x288]
                for preset in presets + presets {
                    // The most that the large size allows would leave nothing of the small one.
                    if preset == .qvga320x240 { try await camera.setZoom(10) }
                    let format = try await camera.setPreset(preset).format
                    #expect(format.dimensions == preset.fixedSize)
                    for frame in [try await native.required(), try await converted.required()] {
                        #expect(Dimensions(width: frame.width, height: frame.height) == format.dimensions)
                    }
                    try await camera.setZoom(1)
                }
            }
        }

        @Test func aDeviceCanBeChangedFromInsideTheLoop() async throws {
            try await withCamera("test:bars", .qvga320x240) { camera in
                var changes = 0
                for await frame in try await camera.frames() {
                    #expect(frame.width == 320)
                    let began = ContinuousClock.now
                    try await camera.selectDevice(changes % 2 == 0 ? "test:ball" : "test:bars")
                    #expect(ContinuousClock.now - began < promptly)
                    changes += 1
                    if changes == 50 { break }
                }
                #expect(changes == 50)
            }
        }

        @Test func aDeviceCanBeChangedFromInsideACallback() async throws {
            try await withCamera("test:bars", .qvga320x240) { camera in
                let (changes, done) = AsyncStream.makeStream(of: Bool.self)
                let turn = Turn()
                let subscription = try await camera.onFrame { _ in
                    guard turn.take() else { return }
                    Task {
                        do {
                            try await camera.selectDevice(
                                camera.status.device?.id == "test:bars" ? "test:ball" : "test:bars")
                            done.yield(true)
                        } catch { done.yield(false) }
                        turn.giveBack()
                    }
                }
                var iterator = changes.makeAsyncIterator()
                for _ in 0..<50 { #expect(await iterator.next(isolation: nil) == true) }
                subscription.cancel()
                done.finish()
            }
        }

        @Test func whoIsSlowGetsTheNewest() async throws {
            try await withCamera("test:bars", .qvga320x240) { camera in
                let stream = try await camera.frames()
                var slow = stream.makeAsyncIterator()
                let first = try await slow.required()
                var quick = try await camera.frames().makeAsyncIterator()
                let current = try await quick.take(30)
                let next = try await slow.required()
                #expect(next.presentationTime >= current.presentationTime)
                #expect(next.sequence > first.sequence + 20)
                #expect(stream.droppedCount >= 20)
                #expect(camera.status.dropped.late >= 20)
            }
        }

        @Test func closingEndsAllStreams() async throws {
            let camera = try CameraController(options: .init(discoversHardware: false))
            let frames = try await camera.frames()
            let events = camera.events()
            let counting = Task {
                var count = 0
                for await _ in frames { count += 1 }
                for await _ in events { count += 1 }
                return count
            }
            try await camera.close()
            _ = await counting.value
            try await camera.close()
            let error = await error { _ = try await camera.frames() }
            #expect(error?.code == .notRunning)
        }
    }
}

/// Lets one at a time do something, and the others leave it.
private final class Turn: Sendable {
    private let isTaken = Guarded(false)

    func take() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    func giveBack() { isTaken.withLock { $0 = false } }
}

/// Tells when the last one that knows it has gone.
private final class EndMark: Sendable {
    private let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    func touch() {}

    deinit { onEnd() }
}

import Dispatch
import Foundation
import GStreamer
import Testing

@testable import CameraCore

extension CameraTests {
    /// A camera that sends JPEG decodes what somebody waits for, and nothing else.
    @Suite struct DecodeDemandTests {
        private static let rate = 60.0

        @Test func nothingIsDecodedThatNobodyWaitsFor() async throws {
            try await withMJPEGCamera { camera, folder in
                try await camera.start()
                let watch = try await camera.watchDecoder()
                await watch.arrivals(20)
                #expect(watch.decoded == 0)
                let first = try #require(await camera.timeOfFirstFrame)
                let status = camera.status
                #expect(status.delivered >= 20)
                #expect(status.measuredFrameRate > 0)
                #expect(status.state == .running)

                // A photo is of what the camera sent last.
                let settings = PhotoSettings(waitsForExposure: false)
                let photo = try await camera.capturePhoto(
                    to: folder.appendingPathComponent("a.jpg"), settings: settings)
                #expect(watch.decoded == 1)
                #expect(isLater(photo.presentationTime, than: first, by: 20))
                #expect(try Picture(jpeg: photo.url).isBars)
                await watch.arrivals(20)
                #expect(watch.decoded == 1)
                let later = try await camera.capturePhoto(
                    to: folder.appendingPathComponent("b.jpg"), settings: settings)
                #expect(isLater(later.presentationTime, than: photo.presentationTime, by: 20))
            }
        }

        /// The numbers of its frames, and the count of what it missed, tell of the frames that nobody decoded.
        @Test(arguments: [nil, .bgrx] as [PixelFormat?])
        func aSlowLoopHasOnlyTheNewestDecoded(format: PixelFormat?) async throws {
            try await withMJPEGCamera { camera, _ in
                let stream = try await camera.frames(format: format)
                var frames = stream.makeAsyncIterator()
                var last = try await frames.required()
                let watch = try await camera.watchDecoder()
                for round in 1...5 {
                    await watch.arrivals(6)
                    let frame = try await frames.required()
                    // The first call may have come before the first frame, and have asked for another.
                    #expect((round...round + 1).contains(watch.decoded))
                    expectNumbered(frame, after: last)
                    #expect(frame.sequence >= last.sequence + 6)
                    last = frame
                }
                #expect(stream.droppedCount == last.sequence - 6)
                #expect(camera.status.dropped.late == stream.droppedCount)
            }
        }

        @Test(arguments: [nil, .bgrx] as [PixelFormat?])
        func aSlowCallbackHasOnlyTheNewestDecoded(format: PixelFormat?) async throws {
            try await withMJPEGCamera { camera, _ in
                try await camera.start()
                let watch = try await camera.watchDecoder()
                let (frames, frame) = AsyncStream<VideoFrame>.makeStream()
                let subscription = try await camera.onFrame(format: format) {
                    frame.yield($0)
                    watch.waitForArrivals(6)
                }
                var all: [VideoFrame] = []
                for await frame in frames {
                    all.append(frame)
                    if all.count == 5 { break }
                }
                subscription.cancel()
                for (last, frame) in zip(all, all.dropFirst()) {
                    expectNumbered(frame, after: last)
                    #expect(frame.sequence >= last.sequence + 5)
                }
                // The first may have been decoded before the watch began, and the callback have asked for one more.
                #expect((4...6).contains(watch.decoded))
            }
        }

        /// What one has decoded comes to the other too, who gets the newest all the same.
        @Test func aSlowReaderBesideAFastOneGetsTheNewest() async throws {
            try await withMJPEGCamera { camera, _ in
                var slow = try await camera.frames().makeAsyncIterator()
                var fast = try await camera.frames().makeAsyncIterator()
                for _ in 0..<5 {
                    let reached = try await fast.take(6)
                    let frame = try await slow.required()
                    #expect(frame.presentationTime >= reached.presentationTime)
                }
                let last = try await fast.required().presentationTime
                let watch = try await camera.watchDecoder()
                await watch.arrivals(6)
                // Nobody has read for a while: what both have in their mailboxes is old.
                for frame in [try await fast.required(), try await slow.required()] {
                    #expect(isLater(frame.presentationTime, than: last, by: 6))
                }
            }
        }

        @Test func anOutputHasAllDecoded() async throws {
            try await withMJPEGCamera { camera, folder in
                try write("fakesink sync=false async=false", "outputs", "all", in: folder)
                try await camera.addOutput("all")
                let watch = try await camera.watchDecoder()
                await watch.arrivals(20)
                #expect(watch.decoded >= 15)
                try await camera.removeOutput("all")
                let before = watch.decoded
                await watch.arrivals(20)
                #expect(watch.decoded <= before + 1)
            }
        }

        @Test(arguments: [true, false])
        func aCameraEndsThoughNobodyLooks(isLive: Bool) async throws {
            try await withFolder { folder in
                try write(
                    """
                    videotestsrc is-live=\(isLive) num-buffers=20 ! video/x-raw,format=I420,width=320,height=240,framerate=60/1
                        ! jpegenc ! image/jpeg,width=320,height=240,framerate=60/1
                    """, "sources", "film", in: folder)
                try await withCamera("file:film", pipelines: folder) { camera in
                    var events = camera.events().makeAsyncIterator()
                    try await camera.start()
                    let error = try await events.first {
                        if case .stateChanged(let state) = $0 { state.error } else { nil }
                    }
                    #expect(error.code == .deviceLost)
                    #expect(error.message.contains("has ended"))
                }
            }
        }

        /// A file has no times; its frames come one after the other all the same.
        @Test func aPictureThatIsReadAgainAndAgainKeepsItsRate() async throws {
            try await withMJPEGCamera { camera, folder in
                let picture = folder.appendingPathComponent("a.jpg")
                _ = try await camera.capturePhoto(to: picture)
                try write(
                    """
                    multifilesrc location=\(picture.path) loop=true num-buffers=20
                        caps=image/jpeg,width=320,height=240,framerate=20/1
                        ! image/jpeg,width=320,height=240,framerate=20/1
                    """, "sources", "loop", in: folder)
                try await camera.stop()
                try await camera.selectDevice("file:loop")
                let began = ContinuousClock.now
                var last = 0.0
                var first: Double?
                let stream = try await camera.frames()
                let events = camera.events()
                let end = Task {
                    for await event in events {
                        if case .stateChanged(.interrupted) = event { break }
                    }
                    try await camera.close()
                }
                for await frame in stream {
                    first = first ?? frame.presentationTime
                    last = frame.presentationTime
                }
                try await end.value
                // Twenty frames are nineteen intervals; one that nobody has taken yet goes with the camera.
                #expect(began.duration(to: .now) > .milliseconds(900))
                #expect(try (0.899...0.951).contains(last - #require(first)))
            }
        }

        /// Whatever is done while a frame waits before the decoder comes back, and shows.
        @Test func changesGoOnThoughNobodyLooks() async throws {
            try await withMJPEGCamera { camera, folder in
                for round in 0..<5 {
                    try await camera.start()
                    var watch = try await camera.watchDecoder()
                    await watch.arrivals(3)
                    try await camera.setZoom(2)
                    let close = try await camera.capturePhoto(
                        to: folder.appendingPathComponent("\(round).jpg"))
                    #expect(try !Picture(jpeg: close.url).isBars)
                    try await camera.setZoom(1)
                    try await camera.selectDevice("test:bars")
                    try await camera.selectDevice("file:mjpeg")
                    watch = try await camera.watchDecoder()
                    await watch.arrivals(3)
                    #expect(watch.decoded <= 1)
                    try await camera.stop()
                }
            }
        }

        /// Who waits since before a change gets the next frame, though the camera of before sent raw ones.
        @Test func aWaitGoesOnOverAChange() async throws {
            try await withMJPEGCamera { camera, _ in
                try await camera.selectDevice("test:bars")
                var frames = try await camera.frames().makeAsyncIterator()
                for round in 0..<10 {
                    _ = try await frames.required()
                    try await camera.selectDevice(round.isMultiple(of: 2) ? "file:mjpeg" : "test:bars")
                }
                _ = try await frames.required()
            }
        }

        /// A camera's first frames can be older than the last of the one before, and go nowhere.
        @Test func aWaitGoesOnOverFramesThatAreOutdated() async throws {
            try await withMJPEGCamera { camera, _ in
                try await camera.selectDevice("test:bars")
                // So no frame takes the shortcut, past the pad that sets them ahead.
                try await camera.setZoom(2)
                var frames = try await camera.frames().makeAsyncIterator()
                _ = try await frames.required()
                try await camera.setAhead(milliseconds: 300)
                repeat {} while try await frames.required().presentationTime < camera.runningTime + 0.2
                try await camera.selectDevice("file:mjpeg")
                _ = try await frames.required()
                #expect(await camera.outdatedFrames > 1)
            }
        }

        private func withMJPEGCamera(_ body: (CameraController, URL) async throws -> Void) async throws {
            try await withFolder { folder in
                try write(
                    """
                    videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=60/1
                        ! jpegenc ! image/jpeg,width=320,height=240,framerate=60/1
                    """, "sources", "mjpeg", in: folder)
                try await withCamera("file:mjpeg", pipelines: folder) { try await body($0, folder) }
            }
        }

        /// Whether a frame was sent at least so many frames after another.
        private func isLater(_ time: Double, than other: Double, by frames: Double) -> Bool {
            time > other + (frames - 0.5) / Self.rate
        }

        /// Its number counts all frames that the camera has sent.
        private func expectNumbered(_ frame: VideoFrame, after last: VideoFrame) {
            let sent = ((frame.presentationTime - last.presentationTime) * Self.rate).rounded()
            #expect(Double(frame.sequence - last.sequence) == sent)
        }
    }
}

/// Counts what comes to the decoder of a running camera, and to the queue before it.
private final class DecoderWatch: Sendable {
    /// Signalled at each frame of the camera.
    private let arrival = DispatchSemaphore(value: 0)
    private let counts = Guarded<(arrived: Int, decoded: Int)>((0, 0))
    private let news = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    init(_ camera: isolated CameraController) throws {
        let source = try #require(camera.capture.source)
        let elements = source.bin.descendants
        let queue = try #require(elements.first { $0.name == "newest" }?.staticPad("sink"))
        let decoder = try #require(elements.first { $0.name == "decoder" }?.staticPad("sink"))
        queue.addProbe(.buffer) { [self] _ in
            counts.withLock { $0.arrived += 1 }
            arrival.signal()
            news.continuation.yield()
            return .pass
        }
        decoder.addProbe(.buffer) { [self] _ in
            counts.withLock { $0.decoded += 1 }
            return .pass
        }
    }

    var decoded: Int { counts.withLock { $0.decoded } }

    /// As ``arrivals(_:)``, for a thread of its own. **Blocks**.
    func waitForArrivals(_ count: Int) {
        // Those from before do not count.
        while arrival.wait(timeout: .now()) == .success {}
        for _ in 0..<count { arrival.wait() }
    }

    /// Comes back when so many frames more have come.
    func arrivals(_ count: Int) async {
        let end = counts.withLock { $0.arrived } + count
        for await _ in news.stream where counts.withLock({ $0.arrived }) >= end { break }
    }
}

extension CameraController {
    fileprivate var timeOfFirstFrame: Double? { capture.intake.counts.first?.seconds }

    /// Has the running camera's frames be later than they are.
    fileprivate func setAhead(milliseconds: Int64) throws {
        let now = Int64(capture.pipeline.runningTime.nanoseconds)
        try #require(capture.source).output.setOffset(now + milliseconds * 1_000_000)
    }

    fileprivate var outdatedFrames: Int { capture.intake.counts.outdated }

    fileprivate func watchDecoder() throws -> DecoderWatch { try DecoderWatch(self) }
}

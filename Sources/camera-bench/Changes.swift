import CameraCore
import GStreamer

/// Changes under a running 30 fps preview, and when the preview shows them.
enum Changes {
    private static let frameRate = 30.0

    /// From `test:bars` to `test:ball` and back, told apart by the top left corner.
    static func devices(_ count: Int) async throws -> Samples {
        try await measure(count) { camera, index in
            let isBall = index.isMultiple(of: 2)
            try await camera.selectDevice(isBall ? "test:ball" : "test:bars")
            return { $0.cornerLuma.map { $0 < 64 } == isBall }
        }
    }

    /// To 1280×720, from 640×480; the way back is not counted.
    static func presets(_ count: Int) async throws -> Samples {
        try await measure(
            count,
            before: { camera, _ in
                try await camera.setPreset(.vga640x480)
                return { $0.width == 640 }
            },
            change: { camera, _ in
                try await camera.setPreset(.hd1280x720)
                return { $0.width == 1280 }
            })
    }

    /// From the whole picture, whose corner is white (235), to the middle of it, where the corner is in the cyan bar
    /// (188), and back.
    static func zooms(_ count: Int) async throws -> Samples {
        try await measure(count) { camera, index in
            let isClose = index.isMultiple(of: 2)
            try await camera.setZoom(isClose ? 4 : 1)
            return { $0.cornerLuma.map { $0 < 212 } == isClose }
        }
    }

    private typealias Change = (CameraController, Int) async throws -> (SeenFrame) -> Bool

    private static func measure(
        _ count: Int, before: Change? = nil, change: Change
    ) async throws -> Samples {
        try await withCamera { camera in
            try await repeated(count, before: before, change: change, on: camera)
        }
    }

    private static func repeated(
        _ count: Int, before: Change?, change: Change, on camera: CameraController
    ) async throws -> Samples {
        try await camera.apply {
            $0.device = "test:bars"
            $0.preset = .hd1280x720
        }
        let (frames, sink) = AsyncStream<SeenFrame>.makeStream()
        let subscription = try await camera.onFrame { sink.yield(SeenFrame($0)) }
        var iterator = frames.makeAsyncIterator()
        var samples = Samples(milliseconds: [], framesUntilVisible: [], gaps: [], stale: 0)
        for index in 0..<count {
            if let before {
                _ = try await run(before, on: camera, index, &iterator)
            }
            let outcome = try await run(change, on: camera, index, &iterator)
            samples.milliseconds?.append(outcome.milliseconds)
            samples.framesUntilVisible?.append(outcome.frames)
            samples.gaps?.append(outcome.gap)
            samples.stale = (samples.stale ?? 0) + outcome.stale
        }
        subscription.cancel()
        return samples
    }

    private static func run(
        _ change: Change, on camera: CameraController, _ index: Int,
        _ frames: inout AsyncStream<SeenFrame>.Iterator
    ) async throws -> (milliseconds: Double, frames: Int, gap: Double, stale: Int) {
        var last: SeenFrame?
        for _ in 0..<2 { last = await frames.next() }
        // Calls come at any moment between two frames, not always right after one.
        try await Task.sleep(for: .seconds(Double.random(in: 0..<1 / frameRate)))
        let began = ContinuousClock.now
        let isNew = try await change(camera, index)
        let replied = ContinuousClock.now
        var (count, stale) = (0, 0)
        while let frame = await frames.next() {
            if frame.arrival >= began { count += 1 }
            if frame.arrival >= began, isNew(frame) {
                let gap = last.map { (frame.time - $0.time) * frameRate } ?? 0
                return ((frame.arrival - began).milliseconds, count, gap, stale)
            }
            if frame.arrival > replied { stale += 1 }
            guard count < 300 else { break }
            last = frame
        }
        let seen = last.map { "\($0.width) wide, corner \($0.cornerLuma ?? -1)" } ?? "none"
        throw BenchError(
            description: "Change \(index + 1) did not show within \(count) frames; the last: \(seen)")
    }
}

/// What is remembered of a frame; the frame itself goes back to the camera.
struct SeenFrame: Sendable {
    let arrival = ContinuousClock.now
    let time: Double
    let width: Int
    /// Of a pixel near the top left corner: 235 in the whole test:bars, 16 in test:ball; `nil`
    /// when the plane cannot be read.
    let cornerLuma: Int?

    init(_ frame: VideoFrame) {
        time = frame.presentationTime
        width = frame.width
        do throws(CameraError) {
            cornerLuma = try frame.withPlane(0) { (bytes, stride) throws(CameraError) in
                Int(bytes.unsafeLoad(fromByteOffset: 8 * stride + 8, as: UInt8.self))
            }
        } catch {
            cornerLuma = nil
        }
    }
}

import CameraCore
import FoundationEssentials
import GStreamer
import Glibc

/// A preview of file:bench for a long time, with a photo and a change of zoom between two samples.
///
/// Each sample is a line of its own at once, so that who watches sees it going on.
struct Soak {
    let minutes: Double
    let folder: String

    private static let interval = Duration.seconds(10)

    func measure() async throws -> Samples {
        let pipelines = URL(fileURLWithPath: folder, isDirectory: true)
        let url = pipelines.appendingPathComponent("soak.jpg")
        return try await withCamera(.init(pipelines: pipelines, discoversHardware: false)) { camera in
            try await camera.apply { $0.device = "file:bench" }
            let seen = Guarded((frames: 0, first: 0, last: 0))
            let subscription = try await camera.onFrame { frame in
                seen.withLock {
                    if $0.frames == 0 { $0.first = frame.sequence }
                    $0.frames += 1
                    $0.last = frame.sequence
                }
            }
            let began = ContinuousClock.now
            var next = began
            var sample = Samples()
            repeat {
                next += Self.interval
                _ = try await camera.capturePhoto(to: url, settings: PhotoSettings(overwrites: true))
                try await camera.setZoom(camera.status.zoom == 1 ? 2 : 1)
                try await Task.sleep(until: next, clock: .continuous)
                guard camera.status.state == .running else {
                    throw BenchError(description: "The camera is \(camera.status.state)")
                }
                let counts = seen.withLock { $0 }
                sample = Samples(
                    frames: counts.frames, missed: counts.last - counts.first + 1 - counts.frames,
                    seconds: (ContinuousClock.now - began) / .seconds(1), use: try ProcessUse.now)
                print(try sample.json)
                fflush(nil)
            } while ContinuousClock.now - began < .seconds(minutes * 60)
            subscription.cancel()
            return sample
        }
    }
}

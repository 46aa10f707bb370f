import CameraCore
import FoundationEssentials
import GStreamer

/// Takes every frame that a file-described camera delivers, until the camera ends.
struct Preview {
    /// How the frames are taken.
    enum Reader: String {
        case callback, sequence
    }

    let reader: Reader
    let format: PixelFormat?
    let folder: String
    var zoom = 1.0
    /// How many callbacks take them at the same time; there is one sequence at most.
    var readers = 1
    var takesPhotos = false

    /// Runs the camera to its end; its frames are those that it sent.
    static func unwatched(in folder: String) async throws -> Samples {
        try await withCamera(.init(pipelines: folderURL(folder), discoversHardware: false)) { camera in
            let events = camera.events()
            try await camera.apply { $0.device = "file:bench" }
            try await camera.start()
            try await end(of: events)
            return Samples(frames: camera.status.delivered)
        }
    }

    private static func folderURL(_ path: String) -> URL { URL(fileURLWithPath: path, isDirectory: true) }

    func measure() async throws -> Samples {
        let pipelines = Self.folderURL(folder)
        let counters = (0..<readers).map { _ in Counter() }
        let loop = try await withCamera(.init(pipelines: pipelines, discoversHardware: false)) { camera in
            let events = camera.events()
            try await camera.apply {
                $0.device = "file:bench"
                $0.zoom.factor = zoom
            }
            switch reader {
            case .callback:
                var subscriptions: [FrameSubscription] = []
                for counter in counters {
                    subscriptions.append(try await camera.onFrame(format: format) { counter.note($0) })
                }
                let photos = takesPhotos ? Task { try await takePhotos(with: camera) } : nil
                try await Self.end(of: events)
                photos?.cancel()
                for subscription in subscriptions { subscription.cancel() }
                if let photos { try await Self.awaitEnd(of: photos) }
                return nil as Task<Void, Never>?
            case .sequence:
                let frames = try await camera.frames(format: format)
                let loop = Task {
                    for await frame in frames { for counter in counters { counter.note(frame) } }
                }
                try await Self.end(of: events)
                return loop
            }
        }
        // The sequence ends with the camera.
        await loop?.value
        return Samples(frames: counters.map(\.count).min())
    }

    /// All readers count in the same way, so that they differ in nothing else.
    private final class Counter: Sendable {
        private let frames = Guarded(0)

        var count: Int { frames.withLock { $0 } }
        func note(_ frame: VideoFrame) { frames.withLock { $0 += 1 } }
    }

    /// One a second, until cancelled or until the camera ends.
    private func takePhotos(with camera: CameraController) async throws {
        let url = Self.folderURL(folder).appendingPathComponent("second.jpg")
        var next = ContinuousClock.now
        while true {
            // By the clock: the time that a photo takes would make them fewer.
            next += .seconds(1)
            try await Task.sleep(until: next, clock: .continuous)
            _ = try await camera.capturePhoto(to: url, settings: PhotoSettings(overwrites: true))
        }
    }

    /// The photo that the end of the camera cut off has not failed; any other has.
    private static func awaitEnd(of photos: Task<Void, any Error>) async throws {
        do { try await photos.value } catch is CancellationError { return } catch let error as CameraError
            where [.cancelled, .deviceLost, .notRunning].contains(error.code)
        {
            return
        }
    }

    private static func end(of events: CameraEvents) async throws {
        for await event in events {
            switch event {
            case .stateChanged(.interrupted(let error)) where error.code == .deviceLost: return
            case .stateChanged(.interrupted(let error)), .error(let error):
                throw error
            default: continue
            }
        }
        throw BenchError(description: "The camera was closed before it ended")
    }
}

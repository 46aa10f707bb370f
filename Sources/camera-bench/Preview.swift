import CameraCore
import Foundation
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

    func measure() async throws -> Samples {
        let pipelines = URL(fileURLWithPath: folder, isDirectory: true)
        let counter = Counter()
        // Both count the same way, so that the readers differ in nothing else.
        let note: @Sendable (VideoFrame) -> Void = { _ in counter.count.withLock { $0 += 1 } }
        let loop = try await withCamera(.init(pipelines: pipelines, discoversHardware: false)) { camera in
            let events = camera.events()
            try await camera.apply { $0.device = "file:bench" }
            switch reader {
            case .callback:
                let subscription = try await camera.onFrame(format: format, note)
                try await end(of: events)
                subscription.cancel()
                return nil as Task<Void, Never>?
            case .sequence:
                let frames = try await camera.frames(format: format)
                let loop = Task { for await frame in frames { note(frame) } }
                try await end(of: events)
                return loop
            }
        }
        // The sequence ends with the camera.
        await loop?.value
        return Samples(frames: counter.count.withLock { $0 })
    }

    private final class Counter: Sendable { let count = Guarded(0) }

    private func end(of events: CameraEvents) async throws {
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

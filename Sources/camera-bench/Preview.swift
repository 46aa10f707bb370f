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
        let camera = try CameraController(options: .init(pipelines: pipelines, discoversHardware: false))
        let events = camera.events()
        try await camera.apply { $0.device = "file:bench" }
        let count = Guarded(0)
        // Both count the same way, so that the readers differ in nothing else.
        let note: @Sendable (VideoFrame) -> Void = { frame in count.withLock { $0 = frame.sequence } }
        switch reader {
        case .callback:
            let subscription = try await camera.onFrame(format: format, note)
            try await end(of: events)
            subscription.cancel()
            try await camera.close()
        case .sequence:
            let frames = try await camera.frames(format: format)
            let loop = Task { for await frame in frames { note(frame) } }
            try await end(of: events)
            try await camera.close()
            await loop.value
        }
        return Samples(frames: count.withLock { $0 })
    }

    private func end(of events: CameraEvents) async throws {
        for await event in events {
            switch event {
            case .stateChanged(.interrupted(let error)) where error.code == .deviceLost: return
            case .stateChanged(.interrupted(let error)), .stateChanged(.failed(let error)), .error(let error):
                throw error
            default: continue
            }
        }
        throw BenchError(description: "The camera was closed before it ended")
    }
}

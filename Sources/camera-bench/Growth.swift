import CameraCore
import Foundation
import GStreamer

/// What the process holds more after much of the same than after a little of it.
struct Growth {
    /// What is repeated.
    enum Work: String {
        case frames, photos, switches
    }

    let work: Work
    let count: Int
    let folder: String

    func measure() async throws -> Samples {
        let pipelines = URL(fileURLWithPath: folder, isDirectory: true)
        return try await withCamera(.init(pipelines: pipelines, discoversHardware: false)) { camera in
            try await camera.apply {
                $0.device = work == .frames ? "file:bench" : "test:bars"
                if work != .frames {
                    $0.preset = .hd1280x720
                    $0.frameRate = FrameRate(60)
                }
            }
            let frames = Guarded(0)
            let subscription = try await camera.onFrame { _ in frames.withLock { $0 += 1 } }
            // What is made once, and memory that is kept to be used again, is there after a tenth. A second later what
            // ended has gone.
            try await repeated(max(10, count / 10), camera, frames)
            try await Task.sleep(for: .seconds(1))
            let before = try ProcessUse.now
            try await repeated(count, camera, frames)
            let after = try await ProcessUse.settled(at: before)
            subscription.cancel()
            return Samples(use: after - before)
        }
    }

    private func repeated(_ count: Int, _ camera: CameraController, _ frames: borrowing Guarded<Int>)
        async throws
    {
        switch work {
        case .frames:
            let end = frames.withLock { $0 } + count
            while frames.withLock({ $0 }) < end {
                guard camera.status.state == .running else {
                    throw BenchError(description: "The camera ended before \(count) frames came")
                }
                try await Task.sleep(for: .milliseconds(20))
            }
        case .photos:
            let url = URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent("growth.jpg")
            for _ in 0..<count {
                _ = try await camera.capturePhoto(to: url, settings: PhotoSettings(overwrites: true))
            }
        case .switches:
            for index in 0..<count {
                try await camera.selectDevice(index.isMultiple(of: 2) ? "test:ball" : "test:bars")
            }
        }
    }
}

import CameraCore
import FoundationEssentials
import GStreamer

/// What the process holds more after much work than before it, when it has done enough of the same already.
///
/// The same is done twice, and the smaller growth counts: what leaks does so each time, while a pool that once lent a
/// frame more than ever before keeps that one.
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
            // What is made once, and memory that is kept to be used again, is there after as much of the same. Of
            // frames a tenth is enough.
            let before = try await warmUp(work == .frames ? max(5000, count / 10) : count, camera, frames)
            try await repeated(count, camera, frames)
            let between = try await ProcessUse.quiet()
            try await repeated(count, camera, frames)
            let after = try await ProcessUse.quiet()
            subscription.cancel()
            var use = between - before
            use.kilobytes = min(use.kilobytes, (after - between).kilobytes)
            return Samples(use: use)
        }
    }

    /// What is held, at rest, after `count` repetitions; of descriptors and threads, which come and go, the most on the way.
    private func warmUp(_ count: Int, _ camera: CameraController, _ frames: borrowing Guarded<Int>)
        async throws -> ProcessUse
    {
        var most = try ProcessUse.now
        for _ in 0..<20 {
            try await repeated(max(1, count / 20), camera, frames)
            let use = try ProcessUse.now
            most.descriptors = max(most.descriptors, use.descriptors)
            most.threads = max(most.threads, use.threads)
        }
        most.kilobytes = try await ProcessUse.quiet().kilobytes
        return most
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

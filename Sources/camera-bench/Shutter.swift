import CameraCore
import FoundationEssentials

/// Photos of a running 1080p camera, from the call to the durable file.
enum Shutter {
    /// - Parameter device: the camera; of `folder/sources` where it is a described one.
    static func measure(_ count: Int, of device: String, in folder: String) async throws -> Samples {
        let samples = try await photos(of: device, in: folder) { camera, url in
            var samples: [Double] = []
            // The first photo builds the encoder; it is measured as the start of the process, not here.
            for index in 0...count {
                // A frame that was not photographed is there after two intervals, so nothing waits for the source.
                try await Task.sleep(for: .milliseconds(Double.random(in: 70..<100)))
                let began = ContinuousClock.now
                let photo = try await camera.capturePhoto(to: url)
                let took = ContinuousClock.now - began
                guard photo.width == 1920, photo.height == 1080 else {
                    throw BenchError(
                        description: "A photo of \(photo.width)×\(photo.height) came, not 1920×1080")
                }
                try FileManager.default.removeItem(at: url)
                if index > 0 { samples.append(took.milliseconds) }
            }
            return samples
        }
        return Samples(milliseconds: samples)
    }

    /// One photo after the other, of file:bench, for those who count instructions.
    static func repeated(_ count: Int, in folder: String) async throws -> Samples {
        try await photos(of: "file:bench", in: folder) { camera, url in
            for _ in 0..<count {
                _ = try await camera.capturePhoto(to: url, settings: PhotoSettings(overwrites: true))
            }
        }
        return Samples(frames: count)
    }

    private static func photos<Result: Sendable>(
        of device: String, in folder: String, _ take: (CameraController, URL) async throws -> Result
    ) async throws -> Result {
        let folder = URL(fileURLWithPath: folder, isDirectory: true)
        return try await withCamera(.init(pipelines: folder, discoversHardware: false)) { camera in
            try await camera.apply {
                $0.device = device
                if device.hasPrefix("test:") { $0.preset = .hd1920x1080 }
            }
            try await camera.start()
            let url = folder.appendingPathComponent("shutter.jpg")
            // A run that was broken off may have left one.
            if FileManager.default.fileExists(atPath: url.path) {
                try FileManager.default.removeItem(at: url)
            }
            return try await take(camera, url)
        }
    }
}

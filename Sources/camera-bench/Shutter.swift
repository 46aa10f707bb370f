import CameraCore
import Foundation

/// Photos of a running 1080p camera, from the call to the durable file.
enum Shutter {
    static func measure(_ count: Int, in folder: String) async throws -> Samples {
        let samples = try await withCamera { camera in
            try await camera.apply {
                $0.device = "test:bars"
                $0.preset = .hd1920x1080
            }
            try await camera.start()
            var samples: [Double] = []
            // The first photo builds the encoder; it is measured as the start of the process, not here.
            for index in 0...count {
                // A frame that was not photographed is there after two intervals, so nothing waits for the source.
                try await Task.sleep(for: .milliseconds(Double.random(in: 70..<100)))
                let url = URL(fileURLWithPath: folder, isDirectory: true)
                    .appendingPathComponent("shutter-\(index).jpg")
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
}

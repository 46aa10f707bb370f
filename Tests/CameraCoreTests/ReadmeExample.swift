import CameraCore
import Foundation

/// Looks at ten frames, then takes one photo of the whole picture and one of its middle.
func takePhotos(in folder: URL) async throws -> [CapturedPhoto] {
    let camera = try CameraController()
    do {
        try await camera.apply { wanted in
            wanted.device = "test:ball"
            wanted.preset = .hd1280x720
        }
        for await frame in try await camera.frames(format: .bgrx) {
            let middle = (frame.height / 2, frame.width / 2)
            let blue = try frame.withPlane(0) { bytes, stride in
                bytes.unsafeLoad(fromByteOffset: middle.0 * stride + middle.1 * 4, as: UInt8.self)
            }
            print("frame \(frame.sequence), \(frame.presentationTime) s: blue is \(blue)")
            if frame.sequence >= 10 { break }
        }
        let whole = try await camera.capturePhoto(to: folder.appendingPathComponent("whole.jpg"))
        try await camera.setZoom(2)
        let middle = try await camera.capturePhoto(to: folder.appendingPathComponent("middle.jpg"))
        try await camera.close()
        return [whole, middle]
    } catch {
        try await camera.close()
        throw error
    }
}

import CameraCore
import Foundation
import Testing

@Suite struct SmokeTests {
    @Test func everything() async throws {
        let camera = try CameraController(options: .init(discoversHardware: false))
        let frames = try await camera.frames()
        var n = 0
        for await frame in frames {
            n += 1
            print(frame.sequence, frame.presentationTime, frame.width, frame.height, frame.format)
            if n == 5 { break }
        }
        for factor in [1.5, 2, 10] {
            let applied = try await camera.setZoom(factor)
            print(applied.crop)
            let photo = try await camera.capturePhoto(
                to: URL(fileURLWithPath: "/tmp/p\(factor).jpg"), settings: .init(overwrites: true))
            print(photo)
        }
        print(try await camera.setPreset(.hd4K3840x2160).format)
        print(try await camera.selectDevice("test:ball"))
        print(try await camera.setPreset(.vga640x480).format)
        print(try await camera.capturePhoto(to: URL(fileURLWithPath: "/tmp/ball.jpg"), settings: .init(overwrites: true)))
        print(camera.status)
        try await camera.stop()
        try await camera.start()
        try await camera.close()
    }
}

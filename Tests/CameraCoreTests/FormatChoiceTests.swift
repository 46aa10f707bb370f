import Foundation
import Testing

@testable import CameraCore

/// What was negotiated is what is reported, and what the frames are.
extension CameraTests {
    @Suite struct FormatChoiceTests {
        @Test func aCompressedFormatIsReportedAsTheCameraHasIt() async throws {
            try await withCamera("file:mjpeg-1280x720") { camera in
                let chosen = try await camera.setPreset(.hd1280x720)
                #expect(chosen.format.description == "1280x720@30 MJPG")
                var frames = try await camera.frames().makeAsyncIterator()
                let frame = try await frames.required()
                #expect(frame.width == 1280 && frame.height == 720 && frame.format != .mjpeg)
                #expect(camera.status.format == chosen.format)
                #expect(try await camera.setZoom(2).format == chosen.format)
                // Another camera's frames are what the camera gives.
                try await camera.selectDevice("file:grey-1366x768")
                #expect(camera.status.format?.pixelFormat == .gray8)
            }
        }
    }
}

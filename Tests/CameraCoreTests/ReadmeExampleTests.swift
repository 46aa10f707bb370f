import CameraCore
import Foundation
import Testing

/// Runs the example of README.md, which ReadmeExample.swift holds word for word.
@Suite(.timeLimit(.minutes(1)))
struct ReadmeExampleTests {
    @Test func takesTwoPhotos() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "readme-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
        }
        let photos = try await takePhotos(in: folder)
        #expect(photos.map(\.url.lastPathComponent) == ["whole.jpg", "middle.jpg"])
        for photo in photos {
            #expect(photo.width == 1280 && photo.height == 720)
            #expect(photo.device == "test:ball")
            let data = try Data(contentsOf: photo.url)
            #expect(data.count == photo.bytes)
            #expect(data.prefix(2) == Data([0xFF, 0xD8]) && data.suffix(2) == Data([0xFF, 0xD9]))
        }
    }
}

import CameraCore
import Foundation
import Testing

extension CameraTests {
    /// Every built-in camera at every fixed preset and several zooms: size and content of photos and previews.
    @Suite struct PictureMatrixTests {
        static let presets = SessionPreset.allCases.filter { $0.fixedSize != nil }

        static func zooms(_ size: Dimensions) -> [Double] { [1, 1.5, 2, ZoomRange(for: size).maximum] }

        @Test(arguments: presets) func bars(_ preset: SessionPreset) async throws {
            let size = try #require(preset.fixedSize)
            let whole = try Picture(pattern: "smpte", size: size)
            try await withFolder { folder in
                try await withCamera("test:bars", preset) { camera in
                    var frames = try await camera.frames().makeAsyncIterator()
                    for zoom in Self.zooms(size) {
                        let applied = try await camera.setZoom(zoom)
                        let part = Part(of: size, zoom: zoom)
                        expect(applied.crop, isNear: part)
                        let preview = try Picture(await frames.required())
                        #expect(preview.size == size)
                        let inPreview = PictureComparison(
                            preview, shows: part, of: whole, tolerance: 3, margin: 2,
                            excluding: PictureComparison.isSnow)
                        #expect(inPreview.isGood, "preview at \(zoom): \(inPreview)")
                        let photo = try await camera.capturePhoto(
                            to: folder.appendingPathComponent("\(zoom).jpg"))
                        #expect(Dimensions(width: photo.width, height: photo.height) == size)
                        let stored = try Picture(jpeg: photo.url)
                        #expect(stored.size == size)
                        // A block of the JPEG with an edge in it is off all over: 16 pixels where colour is halved.
                        let inPhoto = PictureComparison(
                            stored, shows: part, of: whole, tolerance: 5, margin: 16,
                            excluding: PictureComparison.isSnow)
                        #expect(inPhoto.isGood, "photo at \(zoom): \(inPhoto)")
                    }
                }
            }
        }

        @Test(arguments: presets) func ball(_ preset: SessionPreset) async throws {
            let size = try #require(preset.fixedSize)
            try await withFolder { folder in
                try await withCamera("test:ball", preset) { camera in
                    var frames = try await camera.frames().makeAsyncIterator()
                    var seen: [(Picture, Double)] = []
                    for _ in 0..<3 {
                        let frame = try await frames.required()
                        seen.append((try Picture(frame), frame.presentationTime))
                    }
                    let ball = try #require(Ball(in: seen, rate: 30), "The ball is not where frames have it")
                    for zoom in Self.zooms(size) {
                        expect(try await camera.setZoom(zoom).crop, isNear: Part(of: size, zoom: zoom))
                        let frame = try await frames.required()
                        let preview = try Picture(frame)
                        #expect(preview.size == size)
                        #expect(
                            ball.errors(in: preview, at: frame.presentationTime, zoom: zoom, margin: 2) == [])
                        let photo = try await camera.capturePhoto(
                            to: folder.appendingPathComponent("\(zoom).jpg"))
                        let stored = try Picture(jpeg: photo.url)
                        #expect(stored.size == size)
                        #expect(
                            ball.errors(in: stored, at: photo.presentationTime, zoom: zoom, margin: 8) == [])
                    }
                }
            }
        }

        /// GStreamer's conversions to RGB round by up to four levels, so pictures are compared with that of zoom 1.
        @Test func aPlainColourIsTheSameAtEveryZoom() async throws {
            let size = Dimensions(width: 640, height: 480)
            let drawn = try Picture(pattern: "solid-color foreground-color=0xff6e7f8c", size: size)[0, 0]
            try await withFolder { folder in
                try await withCamera("file:plain") { camera in
                    var frames = try await camera.frames().makeAsyncIterator()
                    var atOne: [Color] = []
                    for zoom in Self.zooms(size) + [1.1, 3.3, 7.7] {
                        try await camera.setZoom(zoom)
                        let preview = try Picture(await frames.required())
                        let photo = try await camera.capturePhoto(
                            to: folder.appendingPathComponent("\(zoom).jpg"))
                        let pictures = [preview, try Picture(jpeg: photo.url)]
                        if atOne.isEmpty { atOne = pictures.map { $0[0, 0] } }
                        for (picture, expected) in zip(pictures, atOne) {
                            #expect(expected.distance(to: drawn) <= 5)
                            for (x, y) in [(0, 0), (639, 0), (0, 479), (639, 479), (320, 240)] {
                                #expect(picture[x, y].distance(to: expected) <= 1)
                            }
                            #expect(picture.average.distance(to: expected) <= 1)
                        }
                    }
                }
            }
        }

        private func expect(
            _ crop: CropRectangle, isNear part: Part, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(crop.x % 2 == 0 && crop.y % 2 == 0, sourceLocation: sourceLocation)
            #expect(abs(Double(crop.x) - part.x) <= 2, sourceLocation: sourceLocation)
            #expect(abs(Double(crop.y) - part.y) <= 2, sourceLocation: sourceLocation)
            #expect(abs(Double(crop.width) - part.width) <= 2, sourceLocation: sourceLocation)
            #expect(abs(Double(crop.height) - part.height) <= 2, sourceLocation: sourceLocation)
        }
    }
}

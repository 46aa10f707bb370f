import Foundation
import GStreamer
import Testing

@testable import CameraCore

extension CameraTests {
    /// What crops and scales is in the graph only while there is something to crop or to scale.
    @Suite struct ZoomStageTests {
        @Test func nothingIsMadeForTheWholePicture() async throws {
            try await withCamera("test:bars", .qvga320x240) { camera in
                var frames = try await camera.frames().makeAsyncIterator()
                _ = try await frames.take(2)
                try await camera.setPreset(.vga640x480)
                try await camera.selectDevice("test:ball")
                _ = try await frames.take(2)
                #expect(await !camera.graph().contains("GstVideoCrop"))
                try await camera.setZoom(2)
                #expect(await camera.graph().contains("GstVideoCrop"))
            }
        }

        /// A recording that was told anew of its stream would begin anew, or end.
        @Test func aZoomTellsTheBranchesNothing() async throws {
            try await withCamera("test:bars", .qvga320x240) { camera in
                var frames = try await camera.frames().makeAsyncIterator()
                _ = try await frames.take(3)
                let told = Guarded<[String]>([])
                await camera.watchEvents { event in told.withLock { $0.append(event) } }
                for zoom in [2.0, 1, 3, 1, 1.5] {
                    try await camera.setZoom(zoom)
                    _ = try await frames.take(3)
                }
                #expect(told.withLock { $0 }.isEmpty)
                try await camera.setPreset(.vga640x480)
                _ = try await frames.take(2)
                #expect(told.withLock { $0 }.contains { $0.contains("caps") }, "the watch sees nothing")
            }
        }

        /// Of pixels that are twice as wide as high, square ones are made; the size stays.
        @Test func pixelsThatAreNotSquareAreMadeSo() async throws {
            try await withFolder { folder in
                try write(
                    "videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=30/1,"
                        + "pixel-aspect-ratio=2/1", "sources", "wide", in: folder)
                try await withCamera("file:wide", pipelines: folder) { camera in
                    var frames = try await camera.frames().makeAsyncIterator()
                    for zoom in [1.0, 2, 1] {
                        try await camera.setZoom(zoom)
                        let frame = try await frames.take(2)
                        #expect(frame.width == 320 && frame.height == 240)
                        let shape = await camera.pixelShape
                        #expect(shape == .init(1, 1), "zoom \(zoom)")
                    }
                    // The next camera's are square, and need no scaler.
                    try await camera.selectDevice("test:bars")
                    _ = try await frames.take(3)
                    #expect(await camera.isWhole)
                }
            }
        }

        /// Who records is told one size at the start.
        @Test func aSourceThatChangesItsSizeIsScaled() async throws {
            try await withFolder { folder in
                try write(
                    """
                    concat name=c ! identity
                    videotestsrc num-buffers=15 ! video/x-raw,format=I420,width=320,height=240,framerate=30/1 ! c.
                    videotestsrc num-buffers=300 pattern=white
                        ! video/x-raw,format=I420,width=640,height=480,framerate=30/1 ! c.
                    """, "sources", "growing", in: folder)
                try await withCamera("file:growing", pipelines: folder) { camera in
                    var frames = try await camera.frames().makeAsyncIterator()
                    var frame = try await frames.required()
                    // The left bar of the first is white as well, the middle is not.
                    while try frame.withPlane(
                        0, { bytes, _ in bytes.unsafeLoad(fromByteOffset: 200, as: UInt8.self) })
                        < 230
                    {
                        #expect(frame.width == 320 && frame.height == 240)
                        frame = try await frames.required()
                    }
                    #expect(frame.width == 320 && frame.height == 240)
                    #expect(camera.status.format?.dimensions == Dimensions(width: 320, height: 240))
                }
            }
        }

        /// A size that the crop of the one before would not leave anything of.
        @Test func aSmallerSizeIsCroppedAnew() async throws {
            try await withCamera("test:bars", .hd1280x720) { camera in
                try await camera.setZoom(4, center: NormalizedPoint(x: 1, y: 1))
                var frames = try await camera.frames().makeAsyncIterator()
                _ = try await frames.take(2)
                for preset in [SessionPreset.qvga320x240, .hd1280x720] {
                    let applied = try await camera.setPreset(preset)
                    #expect(try await frames.required().width == preset.fixedSize?.width)
                    #expect(applied.zoom == 4)
                }
            }
        }
    }
}

extension CameraController {
    /// Calls `note` with what each event is that goes into the tee.
    fileprivate func watchEvents(_ note: @escaping @Sendable (String) -> Void) {
        capture.tee.staticPad("sink")?.addProbe(.eventDownstream) { info in
            if case .event(let type) = info.item { note("\(type)") }
            return .pass
        }
    }

    fileprivate var pixelShape: Value.Fraction? {
        capture.tee.staticPad("sink")?.currentCaps.flatMap { VideoInfo($0) }?.pixelAspectRatio
    }

    /// Whether frames go from where they enter straight to the tee.
    fileprivate var isWhole: Bool {
        capture.tee.staticPad("sink")?.peer?.name == "src" && !isCropped
    }

    private var isCropped: Bool {
        capture.pipeline.descendants.first { $0.name == "size" }?.staticPad("src")?.peer != nil
    }
}

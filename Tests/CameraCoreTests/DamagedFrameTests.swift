import Foundation
import Testing

@testable import CameraCore

/// Which MJPEG frames are whole.
@Suite struct JPEGFrameTests {
    /// Start, a quantisation table, a frame header, a scan with stuffed and restart bytes, and the end.
    private static let whole: [UInt8] = [
        0xFF, 0xD8, 0xFF, 0xDB, 0, 4, 1, 2, 0xFF, 0xC0, 0, 3, 8, 0xFF, 0xDA, 0, 3, 1, 0x12, 0xFF, 0, 0x34,
        0xFF, 0xD0,
        0x56, 0xFF, 0xD9,
    ]

    private func verdict(_ bytes: [UInt8]) -> JPEGFrame.Verdict { JPEGFrame.verdict(bytes.span.bytes) }

    @Test func wholeFramesAre() {
        #expect(verdict(Self.whole) == .whole)
        // Drivers pad frames to their buffers, and encoders fill up before markers.
        #expect(verdict(Self.whole + [0, 0, 0, 0]) == .whole)
        #expect(verdict(Array(Self.whole[..<2]) + [0xFF, 0xFF] + Array(Self.whole[2...])) == .whole)
    }

    @Test func everyBeginningOfAFrameLacksItsEnd() {
        for count in 4..<Self.whole.count {
            #expect(verdict(Array(Self.whole[..<count])) != .whole, "\(count) bytes")
        }
        #expect(verdict(Array(Self.whole.dropLast(2))) == .endMissing)
    }

    @Test func garbageIsBroken() {
        #expect(verdict([]) == .broken)
        #expect(verdict([UInt8](repeating: 0, count: 1000)) == .broken)
        #expect(verdict([0xFF, 0xD8, 0, 0, 0, 0]) == .broken)
        // A marker that does not belong into a picture's data.
        #expect(verdict(Array(Self.whole[..<20]) + [0xFF, 0x42] + Array(Self.whole[20...])) == .broken)
    }

    @Test func anEncodersFramesAreWhole() throws {
        let picture = FileManager.default.contents(
            atPath: pipelinesFolder.deletingLastPathComponent()
                .appendingPathComponent("Sources/CameraCore/CameraCore.docc/Resources/ball-zoom-2.jpg").path)
        #expect(verdict(Array(try #require(picture))) == .whole)
    }

    @Test func aCameraThatNeverEndsItsFramesIsBelievedAfterAWhile() {
        var filter = DamageFilter()
        let verdicts =
            [JPEGFrame.Verdict](repeating: .endMissing, count: DamageFilter.patience + 1)
            + [.broken, .whole, .endMissing]
        let accepted = verdicts.map { filter.accepts($0) }
        #expect(accepted.dropLast(4).allSatisfy { !$0 })
        // Believed; garbage is not; and once a frame had its end, those without it are damaged.
        #expect(Array(accepted.suffix(4)) == [true, false, true, false])
    }
}

extension CameraTests {
    @Suite struct DamagedFrameTests {
        /// Frames that are cut short or overwritten are counted, and neither previewed nor photographed.
        @Test func damagedFramesAreLeftOut() async throws {
            try await withFolder { folder in
                // Every second frame is damaged, so that a photo has every chance to get one.
                try write(
                    """
                    # fault: damage every 2 frames
                    videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=30/1
                        ! jpegenc ! image/jpeg,width=320,height=240,framerate=30/1
                    """, "sources", "faulty", in: folder)
                try await withCamera("file:faulty", pipelines: folder) { camera in
                    var frames = try await camera.frames(format: .bgrx).makeAsyncIterator()
                    for number in 0..<12 {
                        let frame = try await frames.required()
                        let preview = try Picture(frame)
                        #expect(preview.isBars, "frame \(number)")
                        let photo = try await camera.capturePhoto(
                            to: folder.appendingPathComponent("\(number).jpg"))
                        #expect(try Picture(jpeg: photo.url).isBars, "photo \(number)")
                    }
                    #expect(camera.status.damaged >= 12)
                    #expect(camera.status.state == .running)
                }
            }
        }

        @Test func aCameraWithNothingButDamageStalls() async throws {
            var deadlines = CaptureGraph.Deadlines()
            deadlines.frame = .seconds(1)
            try await withFolder { folder in
                try write(
                    """
                    # fault: damage every 1 frame
                    videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=30/1
                        ! jpegenc ! image/jpeg,width=320,height=240,framerate=30/1
                    """, "sources", "faulty", in: folder)
                try await withCamera("file:faulty", pipelines: folder, deadlines: deadlines) { camera in
                    let refused = await error { try await camera.start() }
                    #expect(refused?.code == .deviceStalled)
                    #expect(camera.status.damaged > 10)
                }
            }
        }
    }
}

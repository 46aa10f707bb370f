import GStreamer
import Testing

@testable import CameraCore

extension CameraTests {
    /// The way of a frame from the source to the tee.
    @Suite struct ShortcutTests {
        @Test(arguments: ["test:bars", "file:mjpeg-960x540", "file:plain"] as [CaptureDevice.ID])
        func onlyAZoomedFrameGoesTheLongWay(device: CaptureDevice.ID) async throws {
            try await withCamera(device) { camera in
                var frames = try await camera.frames().makeAsyncIterator()
                let passed = Guarded(0)
                let long = { passed.withLock { $0 } }
                await camera.watchLongWay { passed.withLock { $0 += 1 } }
                for _ in 0..<2 {
                    // It opens within a frame or two.
                    var before = -1
                    while before != long() {
                        before = long()
                        _ = try await frames.take(3)
                    }
                    _ = try await frames.take(5)
                    #expect(long() == before)

                    try await camera.setZoom(2)
                    before = long()
                    _ = try await frames.take(5)
                    #expect(long() >= before + 5)
                    try await camera.setZoom(1)
                }
            }
        }

        /// What a preview reads is what the camera has written.
        @Test func aFrameLiesWhereTheSourceHasWrittenIt() async throws {
            try await withFolder { folder in
                try write(
                    "videotestsrc is-live=true ! video/x-raw,format=I420,width=640,height=480,framerate=30/1",
                    "sources", "live", in: folder)
                try await withCamera("file:live", pipelines: folder) { camera in
                    try await camera.start()
                    let written = Guarded<Set<UInt>>([])
                    let isFound = await camera.watchSource("videotestsrc") { address in
                        _ = written.withLock { $0.insert(address) }
                    }
                    try #require(isFound)
                    var frames = try await camera.frames().makeAsyncIterator()
                    // The first may have been written before the watch began.
                    _ = try await frames.take(4)
                    for _ in 0..<8 {
                        let frame = try await frames.required()
                        let address = try frame.withPlane(0) { bytes, _ in bytes.address }
                        #expect(written.withLock { $0.contains(address) })
                    }
                }
            }
        }

        /// Nothing has to be thrown away for being late, however often the ways change, and no picture is of before.
        @Test func noFrameOvertakesAnother() async throws {
            try await withFolder { folder in
                try write(
                    "videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=200/1",
                    "sources", "quick", in: folder)
                try await withCamera("file:quick", pipelines: folder) { camera in
                    var frames = try await camera.frames().makeAsyncIterator()
                    for round in 0..<200 {
                        let isClose = round.isMultiple(of: 2)
                        try await camera.setZoom(isClose ? 4 : 1)
                        let corner = try await frames.required().withPlane(0) { bytes, _ in
                            bytes.unsafeLoad(as: UInt8.self)
                        }
                        // White outside, cyan in the middle.
                        #expect((corner < 212) == isClose, "round \(round)")
                        if round.isMultiple(of: 10) { _ = try await frames.take(4) }
                    }
                    #expect(await camera.outdatedFrames == 0)
                }
            }
        }
    }
}

extension RawSpan {
    fileprivate var address: UInt { withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
}

extension CameraController {
    /// Calls `note` for each frame that goes through the elements between the source and the tee.
    fileprivate func watchLongWay(_ note: @escaping @Sendable () -> Void) {
        capture.source?.output.addProbe(.buffer) { _ in
            note()
            return .pass
        }
    }

    fileprivate var outdatedFrames: Int { capture.intake.counts.outdated }

    /// Tells the address of each frame that the running source writes.
    fileprivate func watchSource(_ factory: String, _ note: @escaping @Sendable (UInt) -> Void) -> Bool {
        let source = capture.source?.bin.descendants.first { $0.factoryName == factory }
        let probe = source?.staticPad("src")?.addProbe(.buffer) { info in
            if let address = info.withBytes({ $0.address }) { note(address) }
            return .pass
        }
        return probe != nil
    }
}

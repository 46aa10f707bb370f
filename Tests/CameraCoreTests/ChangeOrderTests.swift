import Foundation
import GStreamer
import Testing

@testable import CameraCore

extension CameraTests {
    /// Things that come at the wrong moment.
    @Suite struct ChangeOrderTests {
        private let film =
            "videotestsrc num-buffers=5 ! video/x-raw,format=I420,width=640,height=480,framerate=30/1"

        /// The film is over while the camera before it is still being closed.
        @Test func aSourceThatEndsWhileItIsSwappedInIsNotRunning() async throws {
            var deadlines = CaptureGraph.Deadlines()
            deadlines.stop = limit(.milliseconds(500))
            try await withFaultyCamera(deadlines: deadlines, beside: ["film": film]) { camera, faults in
                try await camera.start()
                faults.setStuckClosing(true)
                let interruptions = camera.events()
                try await camera.selectDevice("file:film")
                if !camera.status.state.isInterrupted {
                    var events = interruptions.makeAsyncIterator()
                    _ = try await events.interruption()
                }
                #expect(camera.status.state.error?.message.contains("has ended") ?? false)
                try await camera.until { !$0.isChanging }
                #expect(await !camera.hasSource, "it is taken away")
                #expect(await camera.recovery == nil, "a film that is over stays over")
            }
        }

        @Test func aStartDuringAStopComesAfterIt() async throws {
            var deadlines = CaptureGraph.Deadlines()
            deadlines.stop = .seconds(60)
            try await withFaultyCamera(deadlines: deadlines) { camera, faults in
                try await camera.start()
                faults.setStuckClosing(true)
                let stopping = Task { try await camera.stop() }
                try await camera.until { $0.isChanging }
                let starting = Task { try await camera.start() }
                try await camera.until { $0.isQueueing }
                faults.setStuckClosing(false)
                try await stopping.value
                try await starting.value
                #expect(camera.status.state == .running)
            }
        }

        /// The size of this camera is known only when it runs, and then it is too small for the zoom.
        @Test func aFirstStartThatFailsLeavesNothingRunning() async throws {
            try await withFolder { folder in
                try write(
                    "videotestsrc is-live=true ! capsfilter caps=video/x-raw,width=160,height=120 ! identity",
                    "sources", "small", in: folder)
                try await withCamera("test:bars", .qvga320x240, pipelines: folder) { camera in
                    var wanted = CaptureConfiguration(device: "file:small")
                    wanted.zoom = Zoom(factor: 8)
                    for _ in 0..<2 {
                        let refused = await error { try await camera.apply(wanted) }
                        #expect(refused?.code == .zoomOutOfRange)
                        #expect(await !camera.hasSource)
                        #expect(camera.status.state == .stopped)
                    }
                    #expect(camera.status.zoom == 1 && camera.status.device?.id == "test:bars")
                }
            }
        }

        /// A recording would have the first frame as it is: with the white border or bar, which the zoom hides.
        @Test func noFrameOfANewSourceComesWithoutTheZoom() async throws {
            try await withFolder { folder in
                for (name, size) in [("one", 640), ("other", 320)] {
                    try write(
                        """
                        videotestsrc is-live=true pattern=black \
                        ! video/x-raw,format=I420,width=\(size - 128),height=112,framerate=60/1 \
                        ! videobox left=-64 right=-64 top=-64 bottom=-64 border-alpha=1 fill=white \
                        ! video/x-raw,format=I420,width=\(size),height=240,framerate=60/1
                        """, "sources", name, in: folder)
                }
                try await withCamera("file:one", pipelines: folder) { camera in
                    try await camera.setZoom(3)
                    let seen = Guarded(0)
                    let bright = Guarded(0)
                    let subscription = try await camera.onFrame { frame in
                        let corner =
                            (try? frame.withPlane(0) { bytes, _ in bytes.unsafeLoad(as: UInt8.self) }) ?? 255
                        seen.withLock { $0 += 1 }
                        if corner > 212 { bright.withLock { $0 += 1 } }
                    }
                    for round in 0..<16 {
                        switch round % 4 {
                        case 0, 2:
                            let device = round % 4 == 0 ? "file:other" : "test:bars"
                            try await camera.apply {
                                $0 = CaptureConfiguration(device: device)
                                $0.zoom = Zoom(factor: 3)
                            }
                        case 1:
                            try await camera.stop()
                            try await camera.start()
                        default: try await camera.setPreset(.vga640x480)
                        }
                        let before = seen.withLock { $0 }
                        try await camera.until { _ in seen.withLock { $0 } > before + 3 }
                    }
                    subscription.cancel()
                    #expect(bright.withLock { $0 } == 0)
                }
            }
        }

        @Test func lostFramesAreThoseThatTheCameraDidNotGive() {
            let traffic = SourceTraffic()
            traffic.begin()
            traffic.note(number: 5, isDiscontinuity: true)
            traffic.note(number: 6, isDiscontinuity: false)
            traffic.note(number: 9, isDiscontinuity: true)
            #expect(traffic.losses.outOfBuffers == 2 && traffic.losses.discontinuities == 1)
            // Started anew, the driver counts from the beginning.
            traffic.begin()
            traffic.note(number: 0, isDiscontinuity: true)
            traffic.note(number: nil, isDiscontinuity: false)
            #expect(traffic.losses.outOfBuffers == 2 && traffic.losses.discontinuities == 1)
        }

        /// A preview that takes its time is late; the camera has not skipped anything.
        @Test func aSlowPreviewIsNoDiscontinuity() async throws {
            try await withCamera("test:bars", .qvga320x240) { camera in
                let (ends, end) = AsyncStream.makeStream(of: Void.self)
                let quick = DispatchSemaphore(value: 0)
                let other = try await camera.onFrame { _ in quick.signal() }
                let subscription = try await camera.onFrame { frame in
                    for _ in 0..<4 { quick.wait() }
                    if frame.sequence > 20 { end.finish() }
                }
                for await _ in ends {}
                subscription.cancel()
                // It may wait for frames yet: one call, none comes after it.
                for _ in 0..<4 { quick.signal() }
                other.cancel()
                #expect(camera.status.dropped.discontinuity == 0)
                #expect(camera.status.dropped.late > 10)
            }
        }
    }
}

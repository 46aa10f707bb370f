import Foundation
import Testing

@testable import CameraCore

extension CameraTests {
    /// Cameras that go, are taken, or fall silent, and come back.
    @Suite struct InterruptionTests {
        @Test func anUnpluggedCameraComesBackAsItWas() async throws {
            try await withFaultyCamera { camera, faults in
                var frames = try await camera.frames().makeAsyncIterator()
                try await camera.setZoom(2)
                _ = try await frames.take(5)
                var events = camera.events().makeAsyncIterator()
                faults.unplug()
                let reason = try await events.interruption()
                #expect(reason.code == .deviceLost && reason.message.contains("unplugged"))
                #expect(try await !camera.devices().contains { $0.id == "file:faulty" })
                #expect(camera.status.configuration.device == "file:faulty")
                let replugged = ContinuousClock.now
                faults.replug()
                try await events.running()
                // Two seconds are promised; an idle machine needs a tenth.
                #expect(ContinuousClock.now - replugged < promptly)
                let frame = try await frames.required()
                #expect(frame.width == 640 && frame.height == 480)
                let status = camera.status
                #expect(status.state == .running && status.zoom == 2 && status.device?.id == "file:faulty")
            }
        }

        /// Between two formats a camera's frames go nowhere for a moment, which its source takes for an error.
        @Test func aChangeOfFormatInterruptsNothing() async throws {
            try await withFolder { folder in
                try write("videotestsrc is-live=true pattern=black", "sources", "fast", in: folder)
                try await withCamera("file:fast", pipelines: folder) { camera in
                    try await camera.start()
                    let listener = camera.events()
                    for number in 0..<300 {
                        let size = number.isMultiple(of: 2) ? (352, 288) : (320, 240)
                        try await camera.setFormat(
                            FormatRequest(width: size.0, height: size.1, frameRate: FrameRate(1000)))
                    }
                    try await camera.close()
                    for await event in listener {
                        if case .stateChanged(let state) = event { #expect(state == .closed) }
                    }
                }
            }
        }

        @Test func anInterruptionIsToldOnce() async throws {
            try await withFaultyCamera { camera, faults in
                try await camera.start()
                let listener = camera.events()
                var events = listener.makeAsyncIterator()
                faults.unplug()
                _ = try await events.interruption()
                faults.setBusy(true)
                faults.replug()
                #expect(try await events.interruption().code == .deviceBusy)
                faults.setBusy(false)
                try await events.running()
                faults.fail()
                #expect(try await events.interruption().code == .deviceLost)
                try await events.running()
                try await camera.close()
                while let event = await events.next(isolation: nil) {
                    if case .stateChanged(let state) = event { #expect(state == .closed) }
                }
            }
        }

        @Test func aRemovalAloneIsEnough() async throws {
            try await withFaultyCamera { camera, _ in
                try await camera.start()
                var events = camera.events().makeAsyncIterator()
                let device = try #require(camera.status.device)
                camera.changes.note(device, isAdded: false)
                #expect(try await events.interruption().code == .deviceLost)
                // It never really went.
                try await events.running()
            }
        }

        @Test func aStoppedCameraStaysStopped() async throws {
            try await withFaultyCamera { camera, faults in
                try await camera.start()
                var events = camera.events().makeAsyncIterator()
                faults.unplug()
                _ = try await events.interruption()
                try await camera.stop()
                faults.replug()
                // A resumption would have begun with the replug, and what comes in turn after it sees its end.
                #expect(await camera.recovery == nil)
                try await camera.setZoom(2)
                #expect(camera.status.state == .stopped)
                #expect(await camera.hasSource == false)
            }
        }

        @Test func whoChoseAnotherCameraKeepsIt() async throws {
            try await withFaultyCamera { camera, faults in
                try await camera.start()
                var events = camera.events().makeAsyncIterator()
                faults.unplug()
                _ = try await events.interruption()
                try await camera.selectDevice("test:ball")
                #expect(camera.status.state == .running)
                faults.replug()
                #expect(await camera.recovery == nil)
                try await camera.setZoom(2)
                #expect(camera.status.device?.id == "test:ball" && camera.status.state == .running)
            }
        }

        @Test func whatWasAskedForMeanwhileIsInForceAfterwards() async throws {
            try await withFaultyCamera { camera, faults in
                try await camera.start()
                var events = camera.events().makeAsyncIterator()
                faults.unplug()
                _ = try await events.interruption()
                try await camera.setZoom(3)
                #expect(camera.status.state.isInterrupted)
                let refused = await error { try await camera.start() }
                #expect(refused?.code == .deviceLost)
                faults.replug()
                try await events.running()
                #expect(camera.status.zoom == 3)
                let size = Dimensions(width: 640, height: 480)
                #expect(await camera.cropInForce == CropRectangle(Zoom(factor: 3), in: size))
            }
        }

        @Test func aPhotoOfACameraThatGoesLeavesNoFile() async throws {
            try await withFaultyCamera { camera, faults in
                try await withFolder { folder in
                    try await camera.start()
                    // Its frames end first, so that the photo waits.
                    faults.setStalled(true)
                    var events = camera.events().makeAsyncIterator()
                    let taking = Task {
                        try await camera.capturePhoto(
                            to: folder.appendingPathComponent("a.jpg"), settings: PhotoSettings(timing: .next)
                        )
                    }
                    try await events.first { if case .photo(.started) = $0 { () } else { nil } }
                    faults.unplug()
                    let lost = await error { _ = try await taking.value }
                    #expect(lost?.code == .deviceLost)
                    #expect(try files(in: folder).isEmpty)
                }
            }
        }

        @Test func aStalledCameraIsNoticedAndGoesOn() async throws {
            var deadlines = CaptureGraph.Deadlines()
            deadlines.stall = limit(.milliseconds(300))
            try await withFaultyCamera(deadlines: deadlines) { camera, faults in
                var frames = try await camera.frames().makeAsyncIterator()
                _ = try await frames.take(5)
                var events = camera.events().makeAsyncIterator()
                faults.setStalled(true)
                #expect(try await events.interruption().code == .deviceStalled)
                faults.setStalled(false)
                try await events.running()
                _ = try await frames.take(5)
                #expect(camera.status.state == .running)
            }
        }

        /// What is asked of a camera that has stalled is in force when it runs again, and not only told so.
        @Test func aStalledCameraIsStartedAnewWithWhatIsAskedOfIt() async throws {
            var deadlines = CaptureGraph.Deadlines()
            deadlines.stall = limit(.milliseconds(300))
            deadlines.frame = limit(.seconds(1))
            try await withFaultyCamera(deadlines: deadlines) { camera, faults in
                try await camera.selectDevice("file:faulty")
                try await camera.start()
                var events = camera.events().makeAsyncIterator()
                faults.setStalled(true)
                #expect(try await events.interruption().code == .deviceStalled)
                #expect(await error { try await camera.setZoom(2) }?.code == .deviceStalled)
                #expect(camera.status.zoom == 1 && camera.status.state.isInterrupted)
                faults.setStalled(false)
                try await camera.setZoom(3)
                if camera.status.state != .running { try await events.running() }
                #expect(camera.status.zoom == 3)
                let size = Dimensions(width: 640, height: 480)
                #expect(await camera.cropInForce == CropRectangle(Zoom(factor: 3), in: size))
            }
        }

        @Test func aFilmThatIsOverStaysOver() async throws {
            try await withFolder { folder in
                try write(
                    "videotestsrc num-buffers=5 ! video/x-raw,format=I420,width=320,height=240,framerate=30/1",
                    "sources", "film", in: folder)
                try await withCamera("file:film", pipelines: folder) { camera in
                    var events = camera.events().makeAsyncIterator()
                    try await camera.start()
                    #expect(try await events.interruption().code == .deviceLost)
                    #expect(await camera.recovery == nil)
                    try await camera.start()
                    #expect(camera.status.state == .running || camera.status.state.isInterrupted)
                }
            }
        }

        @Test func aFailedSwitchLeavesTheCameraWatched() async throws {
            try await withFaultyCamera { camera, faults in
                try await camera.start()
                let refused = await error { try await camera.selectDevice("file:nowhere") }
                #expect(refused?.code == .deviceNotFound)
                var broken = CaptureConfiguration()
                broken.device = "test:bars"
                broken.format = FormatRequest(width: 641, height: 481, frameRate: nil, pixelFormat: nil)
                _ = await error { try await camera.apply(broken) }
                var events = camera.events().makeAsyncIterator()
                faults.unplug()
                #expect(try await events.interruption().code == .deviceLost)
            }
        }

        @Test func stallLimitsFitTheFrameRate() {
            let minimum = Duration.seconds(2)
            let limits: [(FrameRate?, Duration)] = [
                (FrameRate(30), .seconds(2)), (FrameRate(1), .seconds(3)),
                (FrameRate(exactly: 1, over: 10), .seconds(30)), (.variable, .seconds(10)),
                (nil, .seconds(10)),
            ]
            for (rate, limit) in limits {
                #expect(CameraController.stallLimit(for: rate, atLeast: minimum) == limit)
            }
        }

        @Test func attemptsGetRareAndBeginAnewAtASign() {
            var pace = RecoveryPace()
            let pauses = (0..<8).map { _ in pace.next() }
            #expect(pauses.first == RecoveryPace.shortest && pauses.last == RecoveryPace.longest)
            #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
            pace.reset()
            #expect(pace.next() == RecoveryPace.shortest)
        }
    }
}

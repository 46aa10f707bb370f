import Foundation
import GStreamer
import Testing

@testable import CameraCore

extension CameraTests {
    /// Drivers that do not answer: whoever asked gets a reason, and the camera can be stopped, closed and used all the
    /// same.
    @Suite struct StuckDriverTests {
        private static var deadlines: CaptureGraph.Deadlines {
            var deadlines = CaptureGraph.Deadlines()
            deadlines.start = limit(.milliseconds(500))
            return deadlines
        }

        @Test func openingThatDoesNotComeBackIsATimeout() async throws {
            try await withFaultyCamera(deadlines: Self.deadlines) { camera, faults in
                faults.setStuckOpening(true)
                let refused = await error { try await camera.start() }
                #expect(refused?.code == .timeout)
                try await camera.selectDevice("test:bars")
                try await camera.start()
                #expect(camera.status.state == .running)
            }
        }

        @Test(arguments: ["stop", "close"]) func aStartThatHangsGivesWay(to call: String) async throws {
            try await withFaultyCamera { camera, faults in
                faults.setStuckOpening(true)
                let starting = Task { try await camera.start() }
                try await camera.until { $0.isChanging }
                let began = ContinuousClock.now
                if call == "stop" { try await camera.stop() } else { try await camera.close() }
                #expect(ContinuousClock.now - began < promptly)
                #expect(await error { try await starting.value }?.code == .cancelled)
                #expect("\(camera.status.state)" == (call == "stop" ? "stopped" : "closed"))
            }
        }

        @Test func aCancelledStartEndsAtOnce() async throws {
            try await withFaultyCamera { camera, faults in
                try await camera.selectDevice("test:bars")
                try await camera.start()
                faults.setStalled(true)
                let switching = Task { try await camera.selectDevice("file:faulty") }
                try await camera.until { $0.isChanging }
                let began = ContinuousClock.now
                switching.cancel()
                #expect(await error { _ = try await switching.value }?.code == .cancelled)
                try await camera.setZoom(2)
                #expect(ContinuousClock.now - began < promptly)
                // What ran before runs on.
                #expect(camera.status.state == .running && camera.status.device?.id == "test:bars")
            }
        }

        @Test func closingThatDoesNotComeBackIsTold() async throws {
            try await withFaultyCamera { camera, faults in
                try await camera.start()
                faults.setStuckClosing(true)
                let began = ContinuousClock.now
                #expect(await error { try await camera.stop() }?.code == .timeout)
                #expect(ContinuousClock.now - began < promptly)
                #expect(camera.status.state == .stopped)
                try await camera.selectDevice("test:bars")
                try await camera.start()
                #expect(camera.status.state == .running)
            }
        }

        /// A driver that answers too late finds nobody who wants its camera any more, and does not open it again.
        @Test func aChangeThatWasGivenUpDoesNotStartTheCamera() async throws {
            let isStuck = Guarded(false)
            let starts = Guarded(0)
            let answers = Latch<Void>()
            let recipe = SourceBranch.Recipe(device: TestCameras.recipes[0].device, isShareable: true) {
                _ throws(GStreamerError) in
                let bin = try GatedBin(name: "camera") { _, transition in
                    if transition == .readyToPaused { starts.withLock { $0 += 1 } }
                    if transition == .pausedToReady, isStuck.withLock({ $0 }) {
                        _ = answers.wait(for: .seconds(60))
                    }
                    return nil
                }
                let source = try Element("videotestsrc")
                try source.set("is-live", .bool(true))
                try bin.add(source)
                if let pad = source.staticPad("src") { try bin.addGhostPad("src", for: pad) }
                return bin
            }
            func format(_ width: Int, _ height: Int) -> ActiveFormat {
                ActiveFormat(pixelFormat: .i420, width: width, height: height, frameRate: FrameRate(30))
            }
            var deadlines = Self.deadlines
            deadlines.stop = limit(.milliseconds(200))
            let graph = try CaptureGraph(deadlines: deadlines)
            _ = try await graph.swap(to: recipe, format: format(640, 480), zoom: Zoom())
            isStuck.withLock { $0 = true }
            let refused = await error { try await graph.renegotiate(format(320, 240), zoom: Zoom()) }
            #expect(refused?.code == .timeout && refused?.message.contains("change of format") ?? false)
            #expect(await error { try await graph.removeSource() }?.code == .timeout)
            isStuck.withLock { $0 = false }
            answers.deliver(())
            // The next source of a device waits for the late call to its last one.
            _ = try await graph.swap(to: recipe, format: format(640, 480), zoom: Zoom())
            #expect(starts.withLock { $0 } == 2)
            try await graph.close()
        }

        @Test func switchingAwayFromAStuckDriverWorks() async throws {
            try await withFaultyCamera { camera, faults in
                try await camera.start()
                faults.setStuckClosing(true)
                var events = camera.events().makeAsyncIterator()
                try await camera.selectDevice("test:ball")
                #expect(camera.status.device?.id == "test:ball" && camera.status.state == .running)
                let told = try await events.first { if case .error(let error) = $0 { error } else { nil } }
                #expect(told.code == .timeout)
            }
        }

        @Test func changesComeInTheOrderInWhichTheyWereAsked() async throws {
            try await withFaultyCamera { camera, faults in
                faults.setSlowStart(.milliseconds(300))
                let starting = Task { try await camera.start() }
                try await camera.until { $0.isChanging }
                let zooming = Task { try await camera.setZoom(2) }
                try await starting.value
                #expect(try await zooming.value.zoom == 2)
                #expect(camera.status.state == .running)
            }
        }
    }
}

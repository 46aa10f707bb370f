import Foundation
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

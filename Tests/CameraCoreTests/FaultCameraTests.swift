import Foundation
import Testing

@testable import CameraCore

extension CameraTests {
    /// The cameras of `pipelines/sources` that have faults.
    @Suite struct FaultCameraTests {
        private func with(
            _ name: String, deadlines: CaptureGraph.Deadlines = .init(),
            _ body: (CameraController) async throws -> Void
        ) async throws {
            try await withCamera("file:\(name)", deadlines: deadlines) { camera in
                // What is stuck would keep its threads for as long as the tests run.
                defer {
                    let faults = camera.catalog.files.faultyCamera("file:\(name)")
                    faults?.setStuckOpening(false)
                    faults?.setStuckClosing(false)
                }
                try await body(camera)
            }
        }

        @Test func comesAndGoes() async throws {
            try await with("comes-and-goes") { camera in
                var events = camera.events().makeAsyncIterator()
                try await camera.start()
                #expect(try await events.interruption().code == .deviceLost)
                try await events.running()
                #expect(try await events.interruption().code == .deviceLost)
            }
        }

        @Test func busyAtFirst() async throws {
            try await with("busy-at-first") { camera in
                #expect(await error { try await camera.start() }?.code == .deviceBusy)
            }
        }

        @Test func stalls() async throws {
            var deadlines = CaptureGraph.Deadlines()
            deadlines.stall = .milliseconds(500)
            try await with("stalls", deadlines: deadlines) { camera in
                var events = camera.events().makeAsyncIterator()
                try await camera.start()
                #expect(try await events.interruption().code == .deviceStalled)
                try await events.running()
            }
        }

        @Test func slowStart() async throws {
            try await with("slow-start") { camera in
                let began = ContinuousClock.now
                try await camera.start()
                #expect(ContinuousClock.now - began >= .seconds(3))
                #expect(camera.status.state == .running)
            }
        }

        @Test func wrongSize() async throws {
            try await with("wrong-size") { camera in
                try await camera.start()
                let format = FormatRequest(width: 800, height: 600, frameRate: nil, pixelFormat: nil)
                #expect(await error { try await camera.setFormat(format) }?.code == .formatUnsupported)
                // Nothing is told that is not so.
                #expect(camera.status.state == .running)
                #expect(camera.status.format?.dimensions == Dimensions(width: 1280, height: 720))
                var frames = try await camera.frames().makeAsyncIterator()
                #expect(try await frames.required().width == 1280)
            }
        }

        @Test func damagedMJPEG() async throws {
            try await with("damaged-mjpeg") { camera in
                var frames = try await camera.frames().makeAsyncIterator()
                _ = try await frames.take(25)
                #expect(camera.status.damaged >= 1)
            }
        }

        @Test func stuckOpening() async throws {
            var deadlines = CaptureGraph.Deadlines()
            deadlines.start = .milliseconds(300)
            try await with("stuck-opening", deadlines: deadlines) { camera in
                #expect(await error { try await camera.start() }?.code == .timeout)
                #expect(camera.status.state == .stopped)
            }
        }

        @Test func stuckClosing() async throws {
            try await with("stuck-closing") { camera in
                try await camera.start()
                #expect(await error { try await camera.stop() }?.code == .timeout)
                #expect(camera.status.state == .stopped)
            }
        }
    }
}

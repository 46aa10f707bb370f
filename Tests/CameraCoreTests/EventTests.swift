import Foundation
import Testing

@testable import CameraCore

extension CameraTests {
    /// What is told of a camera, and in which order.
    @Suite struct EventTests {
        /// An event without its details.
        private static func word(_ event: CameraEvent) -> String {
            switch event {
            case .stateChanged(let state): "\(state)"
            case .deviceAdded: "added"
            case .deviceRemoved: "removed"
            case .configurationApplied(let applied): "applied \(applied.device.id) \(applied.zoom)"
            case .photo(.started): "photo started"
            case .photo(.captured): "photo captured"
            case .photo(.saved): "photo saved"
            case .photo(.failed): "photo failed"
            case .outputEnded(let name): "output \(name) ended"
            case .outputFailed(let name, _): "output \(name) failed"
            case .error(let error): "error \(error.code)"
            }
        }

        @Test func theOrderOfThings() async throws {
            try await withFolder { folder in
                let camera = try CameraController(options: .init(discoversHardware: false))
                let listeners = [camera.events(), camera.events()]
                try await camera.selectDevice("test:bars")
                try await camera.start()
                try await camera.setZoom(2)
                let photo = folder.appendingPathComponent("a.jpg")
                _ = try await camera.capturePhoto(to: photo)
                _ = await error { _ = try await camera.capturePhoto(to: photo) }
                try await camera.stop()
                try await camera.stop()
                try await camera.close()
                for listener in listeners {
                    var words: [String] = []
                    for await event in listener { words.append(Self.word(event)) }
                    #expect(
                        words == [
                            "applied test:bars 1.0", "applied test:bars 1.0", "running",
                            "applied test:bars 2.0", "photo started", "photo captured", "photo saved",
                            "stopped", "closed",
                        ])
                }
                for await event in camera.events() { Issue.record("\(event) after the end") }
            }
        }

        @Test func aPhotoThatFailsSaysSoOnce() async throws {
            try await withFaultyCamera { camera, faults in
                try await withFolder { folder in
                    try await camera.start()
                    faults.setStalled(true)
                    var events = camera.events().makeAsyncIterator()
                    let all = camera.events()
                    let url = folder.appendingPathComponent("a.jpg")
                    let taking = Task {
                        try await camera.capturePhoto(to: url, settings: PhotoSettings(timing: .next))
                    }
                    try await events.first { if case .photo(.started) = $0 { () } else { nil } }
                    try await camera.stop()
                    let thrown = try #require(await error { _ = try await taking.value })
                    #expect(thrown.code == .notRunning)
                    try await camera.close()
                    var steps: [PhotoEvent] = []
                    for await event in all { if case .photo(let step) = event { steps.append(step) } }
                    #expect(steps == [.started(url), .failed(url, thrown)])
                    #expect(try files(in: folder).isEmpty)
                }
            }
        }

        @Test func statusSaysWhatIs() async throws {
            try await withCamera(pipelines: nil) { camera in
                #expect(camera.status.state == .stopped && camera.status.format == nil)
                #expect(camera.status.uptime == .zero)
                try await camera.setPreset(.hd1280x720)
                var frames = try await camera.frames().makeAsyncIterator()
                _ = try await frames.take(30)
                let status = camera.status
                #expect(status.state == .running && status.device?.id == "test:bars")
                #expect(status.format?.dimensions == Dimensions(width: 1280, height: 720))
                #expect(status.zoomRange == .full && status.zoom == 1)
                #expect(status.delivered >= 30)
                #expect(status.measuredFrameRate > 5 && status.measuredFrameRate < 60)
                #expect(status.uptime > .zero)
                try await camera.stop()
                #expect(camera.status.measuredFrameRate == 0 && camera.status.uptime == .zero)
            }
        }

        /// `status` and `events` answer while a command blocks.
        @Test func statusAnswersWhileACommandBlocks() async throws {
            var deadlines = CaptureGraph.Deadlines()
            deadlines.frame = .seconds(2)
            try await withCamera("test:bars", .qvga320x240, deadlines: deadlines) { camera in
                try await camera.start()
                async let blocked = error { try await camera.selectDevice("file:never-delivers") }
                try await camera.until { $0.isChanging }
                for _ in 0..<1000 { #expect(camera.status.device?.id == "test:bars") }
                #expect(await camera.isChanging, "the answers came while it waits")
                #expect(await blocked?.code == .deviceStalled)
            }
        }
    }
}

import Foundation
import Testing

@testable import CameraCore

extension CameraTests {
    /// Random faults against random commands: nothing hangs, and what the camera says of itself is so.
    @Suite(.timeLimit(.minutes(4))) struct RandomFaultTests {
        /// How many rounds; `CAMERA_FAULT_ROUNDS` sets another number.
        private static let rounds =
            ProcessInfo.processInfo.environment["CAMERA_FAULT_ROUNDS"].flatMap { Int($0) } ?? 60

        @Test func randomFaultsAgainstRandomCommands() async throws {
            var deadlines = CaptureGraph.Deadlines()
            deadlines.start = limit(.milliseconds(400))
            deadlines.frame = limit(.milliseconds(600))
            deadlines.stop = limit(.milliseconds(300))
            deadlines.stall = limit(.milliseconds(400))
            try await withFaultyCamera(deadlines: deadlines) { camera, faults in
                try await withFolder { folder in
                    // A consumer that is there all the time, as in an app.
                    let subscription = try await camera.onFrame { _ in }
                    var random = SplitMix(0x2026_1130)
                    var stress = FaultStress(camera: camera, faults: faults, folder: folder)
                    for round in 1...Self.rounds {
                        stress.fault(using: &random)
                        let began = ContinuousClock.now
                        let command = try await stress.command(using: &random)
                        #expect(ContinuousClock.now - began < promptly, "round \(round): \(command)")
                        try await stress.checkState("round \(round): \(command)")
                        if round.isMultiple(of: 5) { try await stress.heal("round \(round)") }
                    }
                    subscription.cancel()
                }
            }
        }
    }
}

/// What was done to a camera and asked of it, and so what it must say.
private struct FaultStress {
    let camera: CameraController
    let faults: FaultyCamera
    let folder: URL
    private var wanted = CaptureConfiguration(device: "file:faulty")
    private var isToRun = true

    init(camera: CameraController, faults: FaultyCamera, folder: URL) {
        self.camera = camera
        self.faults = faults
        self.folder = folder
    }

    mutating func fault(using random: inout SplitMix) {
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1: faults.unplug()
        case 2, 3: faults.replug()
        case 4: faults.setBusy(true)
        case 5: faults.setBusy(false)
        case 6: faults.setStalled(true)
        case 7: faults.setStalled(false)
        case 8: faults.setStuckOpening(true)
        case 9: faults.setStuckOpening(false)
        case 10: faults.setStuckClosing(true)
        case 11: faults.setStuckClosing(false)
        case 12: faults.fail()
        default: faults.setSlowStart(.milliseconds(Int.random(in: 0...150, using: &random)))
        }
    }

    /// Asks for something, and gives its name and what came of it.
    mutating func command(using random: inout SplitMix) async throws -> String {
        let before = camera.status.configuration
        var outcome: CameraError?
        let name: String
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1:
            name = "start"
            outcome = await error { try await camera.start() }
            if outcome == nil { isToRun = true }
        case 2:
            name = "stop"
            outcome = await error { try await camera.stop() }
            isToRun = false
        case 3:
            let id = Bool.random(using: &random) ? "test:bars" : "file:faulty"
            name = "device \(id)"
            outcome = await error { wanted = try await camera.selectDevice(id).configuration }
        case 4, 5:
            let factor = Double.random(in: 1...4, using: &random)
            name = "zoom"
            outcome = await error { try await camera.setZoom(factor) }
            if outcome == nil { wanted.zoom.factor = factor }
        default:
            name = "photo"
            let url = folder.appendingPathComponent("a.jpg")
            let settings = PhotoSettings(waitsForExposure: false)
            outcome = await error { _ = try await camera.capturePhoto(to: url, settings: settings) }
            // Whole or not at all.
            #expect(FileManager.default.fileExists(atPath: url.path) == (outcome == nil))
            if outcome == nil {
                _ = try Picture(jpeg: url)
                try FileManager.default.removeItem(at: url)
                isToRun = true
            }
        }
        // What failed has changed nothing.
        if outcome != nil, outcome?.code != .timeout || name != "stop" {
            #expect(camera.status.configuration == before, "\(name): \(outcome?.message ?? "")")
        }
        return "\(name) → \(outcome.map { "\($0.code)" } ?? "ok")"
    }

    /// The state follows what happened; frames come exactly in the state `running`.
    func checkState(_ place: String) async throws {
        let state = camera.status.state
        #expect(camera.status.configuration.zoom == wanted.zoom, "\(place)")
        #expect(camera.status.configuration.device == wanted.device, "\(place)")
        switch state {
        case .stopped:
            let hasSource = await camera.hasSource
            #expect(!isToRun && !hasSource, "\(place)")
        case .running: #expect(isToRun, "\(place)")
        case .interrupted(let reason):
            #expect(isToRun && wanted.device == "file:faulty", "\(place): \(reason)")
            let codes: [CameraError.Code] = [.deviceLost, .deviceBusy, .deviceStalled, .timeout]
            #expect(codes.contains(reason.code), "\(place): \(reason)")
        case .closed: Issue.record("\(place): \(state)")
        }
    }

    /// Ends all faults: what is to run does so soon, at the zoom that was asked for.
    func heal(_ place: String) async throws {
        var events = camera.events().makeAsyncIterator()
        faults.setBusy(false)
        faults.setStalled(false)
        faults.setStuckOpening(false)
        faults.setStuckClosing(false)
        faults.replug()
        guard isToRun else { return }
        if camera.status.state != .running { try await events.running() }
        var frames = try await camera.frames().makeAsyncIterator()
        _ = try await frames.take(2)
        #expect(camera.status.state == .running && camera.status.zoom == wanted.zoom.factor, "\(place)")
    }
}

import Foundation

@testable import CameraCore

/// Whether no other tests run beside these, and no sanitizer slows them down: only then are short limits kept to.
let runsAlone = ProcessInfo.processInfo.environment["CAMERA_ALONE"] != nil

/// Nothing may take longer than this, whatever a driver does.
let promptly: Duration = runsAlone ? .seconds(2) : .seconds(20)

/// A limit that a camera without a fault keeps to.
func limit(_ duration: Duration) -> Duration { runsAlone ? duration : duration * 4 }

/// Runs `body` with a controller on `file:faulty`, a 640×480 camera that does wrong what `faults` is told to.
///
/// - Parameter others: descriptions of file cameras that are there besides, by name.
func withFaultyCamera(
    deadlines: CaptureGraph.Deadlines = .init(), beside others: [String: String] = [:],
    _ body: (CameraController, _ faults: FaultyCamera) async throws -> Void
) async throws {
    try await withFolder { folder in
        try write(
            """
            # name: Faulty camera
            # fault: damage every 1000000000 frames
            videotestsrc is-live=true ! video/x-raw,format=I420,width=640,height=480,framerate=30/1
            """, "sources", "faulty", in: folder)
        for (name, description) in others { try write(description, "sources", name, in: folder) }
        try await withCamera("file:faulty", pipelines: folder, deadlines: deadlines) { camera in
            guard let faults = camera.catalog.files.faultyCamera("file:faulty") else {
                throw Picture.Failure(description: "The camera has no faults")
            }
            // What is stuck would keep its threads for as long as the tests run.
            defer {
                faults.setStuckOpening(false)
                faults.setStuckClosing(false)
            }
            try await body(camera, faults)
        }
    }
}

extension AsyncStream<CameraEvent>.Iterator {
    /// The next interruption's reason.
    mutating func interruption() async throws -> CameraError {
        try await first { if case .stateChanged(.interrupted(let error)) = $0 { error } else { nil } }
    }

    /// Waits until the camera runs.
    mutating func running() async throws {
        try await first { if case .stateChanged(.running) = $0 { () } else { nil } }
    }
}

extension CameraController {
    /// Waits until a condition holds that no event tells of.
    func until(_ condition: @Sendable (isolated CameraController) -> Bool) async throws {
        while !condition(self) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Whether a change is under way.
    var isChanging: Bool { turns.pending > 0 }
    /// Whether a change waits for another.
    var isQueueing: Bool { turns.pending > 1 }
    /// Running time of the first frame of the source that runs, in seconds.
    var firstFrameTime: Double? { capture.intake.counts.first?.seconds }
    var negotiatedRate: FrameRate? { capture.frame.flatMap { ActiveFormat($0) }?.frameRate }
    var hasSource: Bool { capture.source != nil }
    var cropInForce: CropRectangle? { capture.crop }
}

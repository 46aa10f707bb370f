import Foundation

@testable import CameraCore

/// Nothing may take longer than this, whatever a driver does: two seconds, of which the tests that run alone are held to
/// all. Other tests beside them, or a sanitizer, take the processors away for longer.
let promptly: Duration =
    ProcessInfo.processInfo.environment["CAMERA_ALONE"] == nil ? .seconds(20) : .seconds(2)

/// Runs `body` with a controller on `file:faulty`, a 640×480 camera that does wrong what `faults` is told to.
func withFaultyCamera(
    deadlines: CaptureGraph.Deadlines = .init(),
    _ body: (CameraController, _ faults: FaultyCamera) async throws -> Void
) async throws {
    try await withFolder { folder in
        try write(
            """
            # name: Faulty camera
            # fault: damage every 1000000000 frames
            videotestsrc is-live=true ! video/x-raw,format=I420,width=640,height=480,framerate=30/1
            """, "sources", "faulty", in: folder)
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
    /// Whether a change is under way.
    var isChanging: Bool { !turns.isEmpty }
    /// Running time of the first frame of the source that runs, in seconds.
    var firstFrameTime: Double? { capture.intake.counts.first?.seconds }
    var hasSource: Bool { capture.source != nil }
    var cropInForce: CropRectangle? { capture.crop }
}

import Foundation
import Testing

@testable import CameraCore

/// Tests that run cameras, one after the other: several at once would only take the frames' time from each other.
@Suite(.serialized, .timeLimit(.minutes(1))) struct CameraTests {}

/// The repository's `pipelines`.
let pipelinesFolder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("pipelines", isDirectory: true)

/// Runs `body` with a controller that knows no real camera, and closes it whatever happens.
func withCamera(
    _ device: CaptureDevice.ID? = nil, _ preset: SessionPreset? = nil, pipelines: URL? = pipelinesFolder,
    deadlines: CaptureGraph.Deadlines = .init(), _ body: (CameraController) async throws -> Void
) async throws {
    let camera = try CameraController(
        options: .init(pipelines: pipelines, discoversHardware: false), deadlines: deadlines)
    do {
        if let device { try await camera.selectDevice(device) }
        if let preset { try await camera.setPreset(preset) }
        try await body(camera)
    } catch {
        try await camera.close()
        throw error
    }
    try await camera.close()
}

/// Runs `body` with an empty folder, and removes it.
func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("camera-core-tests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    do { try await body(folder) } catch {
        try FileManager.default.removeItem(at: folder)
        throw error
    }
    try FileManager.default.removeItem(at: folder)
}

/// The files of a folder, hidden ones too.
func files(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
}

/// Writes a file camera or an output into a `pipelines` folder.
func write(_ text: String, _ kind: String, _ name: String, in folder: URL) throws {
    let kind = folder.appendingPathComponent(kind, isDirectory: true)
    try FileManager.default.createDirectory(at: kind, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: kind.appendingPathComponent("\(name).launch"))
}

/// The error of a call that must fail.
func error(of body: () async throws -> Void) async -> CameraError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? CameraError
    }
}

extension FrameStream.Iterator {
    /// The next frame of a stream that must go on.
    mutating func required() async throws -> VideoFrame { try #require(await next()) }

    /// Takes frames and returns the last.
    mutating func take(_ count: Int) async throws -> VideoFrame {
        for _ in 1..<count { _ = try await required() }
        return try await required()
    }
}

extension AsyncStream<CameraEvent>.Iterator {
    /// The first event from here on that `pick` makes something of.
    mutating func first<Value>(_ pick: (CameraEvent) -> Value?) async throws -> Value {
        while let event = await next(isolation: nil) {
            if let value = pick(event) { return value }
        }
        throw Picture.Failure(description: "The events ended before the one that was waited for")
    }
}

extension CameraController {
    /// The session's running time now, in seconds.
    var runningTime: Double { capture.pipeline.runningTime.seconds }

    /// Comes back when the graph's description meets a condition; it asks again and again, the controller works on.
    func graphMeets(_ condition: (String) -> Bool) async {
        while !condition(graph()), !Task.isCancelled { await Task.yield() }
    }
}

import Foundation
import Testing

/// The command on the virtual machine's cameras: two USB ones and vivid's, as `scripts/test --only vm` sets them up.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(
        if: ProcessInfo.processInfo.environment["CAMERA_VM"] == "1",
        "needs V4L2 cameras; run 'scripts/test --only vm', or see 'scripts/with-cameras --help'"))
struct CommandVMTests {
    private let folder: TemporaryFolder
    private var home: [String: String] { ["HOME": folder.path] }

    init() throws { folder = try TemporaryFolder() }

    private struct Listed {
        let id: String
        let node: String
        let problem: String?
    }

    /// Runs the command as a user who may do nothing.
    private func runAsNobody(_ arguments: String...) async throws -> CameraProcess.Outcome {
        let user = ["--reuid=65534", "--regid=65534", "--clear-groups", CameraProcess.executable.path]
        return try await CameraProcess.run(
            user + arguments, environment: home, executable: URL(filePath: "/usr/bin/setpriv"))
    }

    private func realCameras(asNobody: Bool = false) async throws -> [Listed] {
        let outcome =
            asNobody
            ? try await runAsNobody("--json", "-c", "devices")
            : try await CameraProcess.run(["--json", "-c", "devices"], environment: home)
        let list: [[String: Any]] = try #require(try outcome.answers.first).data()
        return list.compactMap { entry in
            guard let node = entry["node"] as? String, let id = entry["id"] as? String else { return nil }
            return Listed(id: id, node: node, problem: entry["problem"] as? String)
        }
    }

    @Test func whoMayNotOpenTheNodesIsToldTheGroupAndTheRemedy() async throws {
        let cameras = try await realCameras()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: CameraProcess.registry.path)
        let refused = try await realCameras(asNobody: true)
        #expect(refused.count >= cameras.count && !cameras.isEmpty)
        for camera in refused {
            let problem = try #require(camera.problem)
            for part in [camera.node, "'video'", "sudo usermod -aG video nobody"] {
                #expect(problem.contains(part), "\(problem)")
            }
        }
        // USB cameras have the same ids, opened or not.
        let usb = Set(cameras.map(\.id).filter { $0.hasPrefix("usb:") })
        #expect(usb.isSubset(of: Set(refused.map(\.id))))
        let outcome = try await runAsNobody("--json", "-d", cameras[0].node, "-c", "frame")
        #expect(outcome.status == 1)
        #expect(try outcome.answers.map(\.code) == ["permission-denied"])
    }

    @Test func whoHoldsACameraIsNamed() async throws {
        let camera = try #require(try await realCameras().first)
        let holder = try CameraProcess(["--json", "-d", camera.id], environment: home)
        try holder.send("start\n")
        try await holder.waitForOutput("running")
        let outcome = try await CameraProcess.run(
            ["--json", "-d", camera.id, "-c", "frame"], environment: home)
        let answer = try #require(try outcome.answers.last)
        #expect(answer.code == "device-busy")
        #expect(
            answer.message?.contains("'camera' (process \(holder.identifier))") == true,
            "\(answer.line)")
        try holder.endInput()
        #expect(await holder.end().status == 0)
    }

    @Test func theCameraThatWasChosenLastIsTheNextDefault() async throws {
        let cameras = try await realCameras()
        for camera in [cameras[1], cameras[0]] {
            let chosen = try await CameraProcess.run(
                ["-d", camera.node, "-c", "frame"], environment: home)
            #expect(chosen.status == 0, "\(chosen.errors)")
            let next = try await CameraProcess.run(["--json", "-c", "frame; status"], environment: home)
            let status: [String: Any] = try #require(try next.answers.last).data()
            #expect(status["device"] as? String == camera.id)
        }
    }
}

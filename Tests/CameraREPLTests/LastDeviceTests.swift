import CameraCore
import Foundation
import GStreamer
import Testing

@testable import CameraCore
@testable import CameraREPL

/// The file that keeps the camera that was chosen last.
@Suite struct LastDeviceFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func keepsAnId() throws {
        let last = LastDevice(path: folder.path("state/camera/device"))
        #expect(try last.read() == nil)
        for id in ["usb:046d:0825:A1", #"libcamera:\_SB_.PC00.LNK0"#, "v4l2:Ünïcode"] {
            try last.write(id)
            #expect(try last.read() == id)
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("state/camera")) == ["device"])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("state/camera"))
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test func readsThroughALinkAndALineWithoutItsEnd() throws {
        let file = try folder.make(file: "real", "usb:1")
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: file)
        #expect(try LastDevice(path: folder.path("link")).read() == "usb:1")
    }

    @Test(arguments: [
        Data(), Data("\n".utf8), Data([0xFF, 0xFE]), Data("a\nb\n".utf8), Data("a\0b".utf8),
        Data(repeating: 0x61, count: 5000),
    ])
    func saysThatAFileHoldsNoId(_ content: Data) throws {
        let file = try folder.make(file: "device")
        try content.write(to: URL(filePath: file))
        let failure = #expect(throws: LastDevice.Failure.self) { try LastDevice(path: file).read() }
        #expect(failure?.description.contains(file) == true)
    }

    @Test func doesNotWaitForAPipeAndTakesNoFolder() throws {
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        try folder.make(folder: "folder")
        for name in ["pipe", "folder"] {
            #expect(throws: LastDevice.Failure.self) { try LastDevice(path: folder.path(name)).read() }
        }
    }

    @Test func saysThatItCannotWrite() throws {
        let file = try folder.make(file: "file")
        let last = LastDevice(path: file + "/camera/device")
        let failure = #expect(throws: LastDevice.Failure.self) { try last.write("usb:1") }
        #expect(failure?.description.contains(file) == true)
        #expect(failure?.description.contains("not remembered") == true)
    }
}

/// What sessions remember of each other.
@Suite(.serialized, .timeLimit(.minutes(1))) struct LastDeviceTests {
    private let folder: TemporaryFolder
    private let last: LastDevice

    init() throws {
        folder = try TemporaryFolder()
        last = LastDevice(path: folder.path("camera/device"))
    }

    /// A session with real cameras of these names, of which the first goes first; gives what only `-v` shows.
    private func session(
        device: String? = nil, cameras: [String] = ["usb-1", "usb-2"],
        _ body: (Engine) async throws -> Void
    ) async throws -> [String] {
        let details = Guarded<[String]>([])
        let engine = Engine(
            settings: Engine.Settings(
                device: device, photoFolder: PhotoFolder(explicit: folder.path), lastDevice: last),
            makeController: { options throws(CameraError) in
                try CameraController(
                    options: options, deadlines: .init(),
                    makeHardware: { HardwareCameras(finder: FixedFinder(cameras), portal: nil, onChange: $0) }
                )
            },
            notify: { _ in }, detail: { text in details.withLock { $0.append(text) } }, observe: { _ in })
        do { try await body(engine) } catch {
            await engine.close()
            throw error
        }
        await engine.close()
        return details.withLock { $0 }
    }

    private func run(_ line: String, _ engine: Engine) async throws -> Reply {
        let words = line.split(separator: " ").map { Word(text: String($0)) }
        let invocation = try CommandTable.invocation(of: words, readAt: .now)
        return try await invocation.command.run(invocation, engine)
    }

    private func expect(_ id: String, _ engine: Engine, _ location: SourceLocation = #_sourceLocation)
        async throws
    {
        let device = try await engine.current().device
        #expect(device.id == id, sourceLocation: location)
    }

    @Test func aCameraThatWasChosenAndWorkedIsTheNextDefault() async throws {
        _ = try await session { engine in
            try await expect("usb-1", engine)
            _ = try await run("device usb-2", engine)
            _ = try await run("frame", engine)
        }
        #expect(try last.read() == "usb-2")
        _ = try await session { engine in
            try await expect("usb-2", engine)
            let list = try await run("devices", engine).text
            #expect(list.contains("*  usb-2"), "\(list)")
        }
        // `-d` goes before it, and is remembered in turn.
        _ = try await session(device: "usb-1") { engine in
            try await expect("usb-1", engine)
            #expect(try last.read() == "usb-2")
            _ = try await run("start", engine)
        }
        #expect(try last.read() == "usb-1")
    }

    @Test func theListMarksTheNewChoiceAtOnce() async throws {
        _ = try await session { engine in
            _ = try await run("frame", engine)
            _ = try await run("device usb-2", engine)
            #expect(try await run("devices", engine).text.contains("*  usb-2"))
        }
        #expect(try last.read() == "usb-2")
    }

    @Test func whatNobodyChoseOrNeverRanIsNotRemembered() async throws {
        _ = try await session { _ = try await run("frame", $0) }
        #expect(try last.read() == nil)
        _ = try await session { _ = try await run("device usb-2", $0) }
        #expect(try last.read() == nil)
        _ = try await session(device: "usb-2") { _ = try await run("status", $0) }
        #expect(try last.read() == nil)
    }

    @Test func testCamerasAreNotRememberedAndLeaveWhatIs() async throws {
        try last.write("usb-2")
        _ = try await session(device: "test:bars") { engine in
            _ = try await run("frame", engine)
            _ = try await run("device test:ball", engine)
        }
        #expect(try last.read() == "usb-2")
    }

    @Test func aRememberedCameraThatIsNotThereIsPassedOver() async throws {
        try last.write("usb-2")
        _ = try await session(cameras: ["usb-1"]) { engine in
            try await expect("usb-1", engine)
        }
        _ = try await session(cameras: []) { engine in
            try await expect("test:bars", engine)
        }
        #expect(try last.read() == "usb-2")
    }

    @Test func aBadFileIsNoFailure() async throws {
        try folder.make(folder: "camera")
        try folder.make(file: "camera/device", "a\nb\n")
        let details = try await session { engine in
            try await expect("usb-1", engine)
        }
        #expect(details.count == 1 && details.first?.contains("camera/device") == true, "\(details)")
        try FileManager.default.removeItem(atPath: folder.path("camera"))
        try folder.make(file: "camera")
        let complaints = try await session { engine in
            _ = try await run("device usb-2", engine)
            #expect(try await run("frame", engine).text.isEmpty == false)
        }
        #expect(complaints.contains { $0.contains("not remembered") }, "\(complaints)")
    }
}

/// The same, of the command itself; it finds no real camera here, whatever this machine has.
@Suite(.serialized, .timeLimit(.minutes(1))) struct LastDeviceCommandTests {
    @Test func aBadFileIsToldOnlyToThoseWhoWantToKnow() async throws {
        let folder = try TemporaryFolder()
        try folder.make(folder: ".local/state/camera")
        try folder.make(file: ".local/state/camera/device", "a\nb\n")
        for arguments in [["--json"], ["--json", "-v"]] {
            let outcome = try await CameraProcess.run(
                arguments + ["-d", "test:ball", "-c", "device test:bars; frame"],
                environment: ["HOME": folder.path])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("state/camera/device") == arguments.contains("-v"))
        }
        #expect(
            try String(contentsOfFile: folder.path(".local/state/camera/device"), encoding: .utf8) == "a\nb\n"
        )
    }
}

/// Real cameras of some names, with GStreamer's test picture.
private struct FixedFinder: DeviceFinder {
    let devices: [FoundDevice]

    init(_ names: [String]) {
        let fields: [String: Value] = [
            "format": .string("I420"), "width": .int(640), "height": .int(480), "framerate": .fraction(30, 1),
        ]
        let caps = Caps(Caps.Structure("video/x-raw", fields))
        devices = names.map { name in
            FoundDevice(
                key: name, provider: .v4l2, displayName: name,
                properties: ["device.path": .string("/dev/\(name)"), "v4l2.device.bus_info": .string(name)],
                caps: caps
            ) { _ throws(GStreamerError) in
                let source = try Element("videotestsrc", name: "camera")
                try source.set("is-live", .bool(true))
                return source
            }
        }
    }

    func start(onChange: @escaping @Sendable () -> Void) {}
    func stop() {}
}

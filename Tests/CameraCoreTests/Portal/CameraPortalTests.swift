import Foundation
import GStreamer
import Testing

@testable import CameraCore

/// Asking for permission, of a mock of the desktop's portal.
@Suite(.serialized, .timeLimit(.minutes(1))) struct CameraPortalTests {
    /// Long enough for all that is to come; what is not to come is waited for as briefly as ``silence``.
    private static let patient = CameraPortal.Deadlines(
        connect: .seconds(30), reply: .seconds(30), glance: .seconds(30), answer: .seconds(30))
    private static let silence = Duration.milliseconds(300)

    @Test(
        arguments: [
            (.answers(0), .authorized), (.answers(0, isEarly: true), .authorized),
            (.answers(0, isElsewhere: true), .authorized), (.answers(1), .denied),
            (.answers(1, isEarly: true), .denied), (.answers(2), .notDetermined),
            (.answers(7), .notDetermined),
            (.forbids, .restricted), (.neverAnswers, .notDetermined), (.neverReplies, .notDetermined),
            (.takesTheBusDown, .notDetermined), (.lacksInterface, .authorized),
        ] as [(MockPortal.Behaviour, AuthorizationStatus)])
    func theAnswerIsTheStatus(_ behaviour: MockPortal.Behaviour, status: AuthorizationStatus) async throws {
        try await withBus { bus in
            let mock = try MockPortal(on: bus, behaviour)
            defer { mock.close() }
            var deadlines = Self.patient
            if behaviour == .neverAnswers { deadlines.answer = Self.silence }
            if behaviour == .neverReplies { deadlines.reply = Self.silence }
            let portal = CameraPortal(address: bus.address, deadlines: deadlines)
            #expect(portal.status == .notDetermined)
            #expect(mock.asked.isEmpty)
            #expect(await portal.requestAccess() == status)
            #expect(portal.status == status)
            // The question that nobody answered goes from the screen.
            #expect(mock.asked == ["AccessCamera"] + (behaviour == .neverAnswers ? ["Close"] : []))
            portal.close()
        }
    }

    @Test func nobodyIsAskedTwice() async throws {
        for (response, count) in [(UInt32(0), 1), (1, 1), (2, 2)] {
            try await withBus { bus in
                let mock = try MockPortal(on: bus, .answers(response))
                defer { mock.close() }
                let portal = CameraPortal(address: bus.address, deadlines: Self.patient)
                let first = await portal.requestAccess()
                #expect(await portal.requestAccess() == first)
                #expect(mock.asked.count == count)
            }
        }
    }

    @Test func severalWhoAskShareOneQuestion() async throws {
        try await withBus { bus in
            let mock = try MockPortal(on: bus, .neverAnswers)
            defer { mock.close() }
            var deadlines = Self.patient
            deadlines.answer = Self.silence
            let portal = CameraPortal(address: bus.address, deadlines: deadlines)
            async let first = portal.requestAccess()
            async let second = portal.requestAccess()
            #expect(await [first, second] == [.notDetermined, .notDetermined])
            // A second one that came late asks anew; it never asks beside the first.
            #expect(mock.asked.count % 2 == 0)
            #expect(mock.asked.prefix(2) == ["AccessCamera", "Close"])
        }
    }

    @Test func whoGivesUpWaitsNoLonger() async throws {
        try await withBus { bus in
            let mock = try MockPortal(on: bus, .neverAnswers)
            defer { mock.close() }
            let portal = CameraPortal(address: bus.address, deadlines: Self.patient)
            let asking = Task { await portal.requestAccess() }
            while mock.asked.isEmpty, !Task.isCancelled { await Task.yield() }
            let began = ContinuousClock.now
            asking.cancel()
            #expect(await asking.value == .notDetermined)
            #expect(ContinuousClock.now - began < .seconds(5))
            // The thread that waited takes the question away by itself.
            while mock.asked.last != "Close", !Task.isCancelled { await Task.yield() }
        }
    }

    @Test func whoGivesUpLeavesTheQuestionToTheOthers() async throws {
        try await withBus { bus in
            let mock = try MockPortal(on: bus, .grantsLater)
            defer { mock.close() }
            let portal = CameraPortal(address: bus.address, deadlines: Self.patient)
            let impatient = Task { await portal.requestAccess() }
            while mock.asked.isEmpty, !Task.isCancelled { await Task.yield() }
            let patient = Task { await portal.requestAccess() }
            impatient.cancel()
            #expect(await impatient.value == .notDetermined)
            while portal.status == .notDetermined, !Task.isCancelled { _ = portal.recipes() }
            #expect(await patient.value == .authorized)
        }
    }

    @Test func withoutAPortalNobodyForbids() async throws {
        try await withBus { bus in
            let portal = CameraPortal(address: bus.address, deadlines: Self.patient)
            #expect(portal.recipes().isEmpty)
            #expect(await portal.requestAccess() == .authorized)
            #expect(portal.status == .authorized)
        }
    }

    @Test func aBusThatIsNotThereOrDoesNotAnswerIsNoError() async throws {
        try await withFolder { folder in
            let socket = folder.appendingPathComponent("bus").path
            #expect(await CameraPortal(address: "unix:path=\(socket)").requestAccess() == .notDetermined)
            #expect(await CameraPortal(address: "nonsense").requestAccess() == .notDetermined)
            // Somebody who takes connections and says nothing.
            let listener = try #require(Listener(path: socket))
            var deadlines = Self.patient
            deadlines.connect = Self.silence
            let portal = CameraPortal(address: "unix:path=\(socket)", deadlines: deadlines)
            #expect(await portal.requestAccess() == .notDetermined)
            #expect(portal.recipes().isEmpty)
            // Nobody waits for it again so soon.
            let began = ContinuousClock.now
            for _ in 0..<100 { #expect(portal.recipes().isEmpty) }
            #expect(ContinuousClock.now - began < .seconds(20))
            listener.close()
        }
    }

    @Test func theCameraIsThereWhenThePortalSaysSo() async throws {
        for present in [true, false, nil] {
            try await withBus { bus in
                let mock = try MockPortal(on: bus, .answers(0), isCameraPresent: present)
                defer { mock.close() }
                var deadlines = Self.patient
                if present == nil { deadlines.glance = Self.silence }
                let portal = CameraPortal(address: bus.address, deadlines: deadlines)
                let devices = portal.recipes().map(\.device)
                #expect(devices.map(\.id) == (present == true ? [CameraPortal.deviceID] : []))
                #expect(mock.asked == ["Get"])
                // One that does not answer is not waited for with each list.
                if present == nil { #expect(portal.recipes().isEmpty && mock.asked == ["Get"]) }
            }
        }
    }
}

/// What the controller makes of the portal's answers.
@Suite(.serialized, .timeLimit(.minutes(1))) struct PortalCameraTests {
    /// A sandbox with a camera that PipeWire reports.
    private func withSandbox(
        _ behaviour: MockPortal.Behaviour, deadlines: CameraPortal.Deadlines = .init(),
        _ body: (CameraController, CaptureDevice, MockPortal) async throws -> Void
    ) async throws {
        try await withBus { bus in
            let mock = try MockPortal(on: bus, behaviour)
            defer { mock.close() }
            try await withMachine { machine in
                machine.report(StubCamera("Sensor", port: "").libcamera("LNK0"))
                let portal = CameraPortal(address: bus.address, deadlines: deadlines)
                let camera = try CameraController(
                    options: .init(), deadlines: .init(),
                    makeHardware: {
                        HardwareCameras(finder: machine, nodes: machine.nodes, portal: portal, onChange: $0)
                    })
                do {
                    try await body(camera, try await camera.defaultDevice(), mock)
                } catch {
                    try await camera.close()
                    throw error
                }
                try await camera.close()
            }
        }
    }

    @Test func aCameraThatIsUsedIsAskedForOnce() async throws {
        try await withSandbox(.answers(0)) { camera, device, mock in
            #expect(device.id == "libcamera:LNK0")
            #expect(camera.authorizationStatus(for: device) == .notDetermined)
            #expect(mock.asked.isEmpty)
            try await camera.start()
            #expect(camera.status.state == .running)
            #expect(camera.authorizationStatus(for: device) == .authorized)
            #expect(await camera.requestAccess(for: device))
            try await camera.setPreset(.low)
            #expect(mock.asked == ["AccessCamera"])
        }
    }

    @Test(
        arguments: [
            (.answers(1), "settings"), (.answers(2), "was not answered"), (.forbids, "policy"),
        ] as [(MockPortal.Behaviour, String)])
    func aRefusalIsTheError(_ behaviour: MockPortal.Behaviour, part: String) async throws {
        try await withSandbox(behaviour) { camera, device, _ in
            #expect(await camera.requestAccess(for: device) == false)
            let error = await error { try await camera.start() }
            #expect(error?.code == .permissionDenied)
            #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
            // The program's own cameras are nobody's to forbid.
            try await camera.selectDevice("test:bars")
            try await camera.start()
            #expect(camera.status.state == .running)
            #expect(camera.authorizationStatus(for: camera.status.device ?? device) == .authorized)
        }
    }

    @Test func aQuestionOnTheScreenHoldsUpNobodyWhoStops() async throws {
        try await withSandbox(.neverAnswers) { camera, _, mock in
            let starting = Task { await error { try await camera.start() } }
            while mock.asked.isEmpty, !Task.isCancelled { await Task.yield() }
            let began = ContinuousClock.now
            try await camera.stop()
            #expect(await starting.value?.code == .cancelled)
            #expect(ContinuousClock.now - began < .seconds(5))
        }
    }

    @Test func thePortalsCameraStandsInWhereNobodyFindsOne() async throws {
        try await withBus { bus in
            let mock = try MockPortal(on: bus, .answers(0))
            defer { mock.close() }
            try await withMachine { machine in
                let portal = CameraPortal(address: bus.address)
                let cameras = HardwareCameras(
                    finder: machine, nodes: machine.nodes, portal: portal, onChange: { _, _ in })
                let device = try #require(try cameras.devices.first)
                #expect(device.id == CameraPortal.deviceID && device.formats.isEmpty)
                #expect(cameras.authorizationStatus(for: device) == .notDetermined)
                #expect(
                    device.problem?.contains("gstreamer1.0-pipewire") ?? Element.isAvailable("pipewiresrc"))
                machine.report(StubCamera("Sensor", port: "").libcamera("LNK0"))
                #expect(try cameras.devices.map(\.id) == ["libcamera:LNK0"])
                cameras.close()
            }
        }
    }
}

/// Where a sandbox is, and its bus.
@Suite struct SandboxTests {
    @Test func onlyASandboxHasAPortal() async throws {
        try await withFolder { folder in
            let bus = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1/bus"]
            func sandbox(_ environment: [String: String]) -> Sandbox {
                Sandbox(root: folder.path, environment: Environment(environment))
            }
            #expect(CameraPortal.of(sandbox(bus)) == nil)
            // A terminal from a Snap hands its variables on.
            #expect(CameraPortal.of(sandbox(bus.merging(["SNAP": "/snap/code/1"]) { $1 })) == nil)
            let attributes = folder.appendingPathComponent("proc/self/attr")
            try FileManager.default.createDirectory(at: attributes, withIntermediateDirectories: true)
            for (label, isConfined) in [("unconfined\n", false), ("snap.cam.cam (enforce)\n", true)] {
                try Data(label.utf8).write(to: attributes.appendingPathComponent("current"))
                #expect(sandbox(["SNAP": "/snap/cam/1"]).isConfined == isConfined)
                #expect(!sandbox(["SNAP": ""]).isConfined)
            }
            try Data().write(to: folder.appendingPathComponent(".flatpak-info"))
            #expect(sandbox([:]).isConfined)
            #expect(CameraPortal.of(sandbox(bus)) != nil)
            #expect(CameraPortal.of(sandbox([:])) == nil)
        }
    }

    @Test func theBusIsWhereTheSessionSaysOrWhereItUsuallyIs() async throws {
        try await withFolder { folder in
            func address(_ environment: [String: String]) -> String? {
                Sandbox(root: folder.path, environment: Environment(environment)).busAddress
            }
            #expect(address([:]) == nil)
            #expect(address(["DBUS_SESSION_BUS_ADDRESS": "tcp:host=x"]) == "tcp:host=x")
            let runtime = folder.appendingPathComponent("run time")
            try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
            #expect(address(["XDG_RUNTIME_DIR": runtime.path]) == nil)
            try Data().write(to: runtime.appendingPathComponent("bus"))
            let path = folder.path + "/run%20time/bus"
            #expect(
                address(["XDG_RUNTIME_DIR": runtime.path, "DBUS_SESSION_BUS_ADDRESS": ""])
                    == "unix:path=\(path)")
        }
    }
}

/// A socket that takes connections and says nothing.
private final class Listener {
    private let descriptor: Int32

    init?(path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard descriptor >= 0, bytes.count < 100 else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard isBound == 0, listen(descriptor, 5) == 0 else { return nil }
    }

    func close() { _ = Foundation.close(descriptor) }
}

import Foundation
import GStreamer
import Testing

@testable import CameraCore

private let desk = StubCamera("Desk Cam", serial: "A1", port: "2")
private let lid = StubCamera("Integrated Camera", port: "9").with { $0.isFixed = true }
private let metadata: UInt = 0x0480_0000

/// What is listed, on machines that are made up.
@Suite(.timeLimit(.minutes(1))) struct HardwareCamerasTests {
    @Test func sixNodesAreThreeCamerasAndTheInfraredOneIsMarked() async throws {
        try await withMachine { machine in
            let infrared = lid.with {
                $0.name = "Integrated IR Camera"
                $0.interface = 2
                $0.caps = StubCamera.caps((.gray8, 640, 360, [FrameRate(15)]))
            }
            for (number, camera) in [lid, infrared, desk].enumerated() {
                try machine.plug(camera, as: 2 * number)
                let notes = camera.with { ($0.index, $0.capabilities) = (1, metadata) }
                try machine.plug(notes, as: 2 * number + 1)
            }
            let devices = try machine.cameras().devices
            #expect(devices.map(\.node) == ["/dev/video0", "/dev/video2", "/dev/video4"])
            #expect(devices.map(\.spectrum) == [.color, .infrared, .color])
            #expect(
                devices.map(\.id) == [
                    "usb:046d:0825@0000:00:14.0-9", "usb:046d:0825@0000:00:14.0-9#2", "usb:046d:0825:A1",
                ])
            #expect(devices.map(\.deviceType) == [.builtIn, .builtIn, .external])
        }
    }

    /// Only drivers of old have no capabilities of the node's own.
    @Test func theNodesOwnCapabilitiesDecide() async throws {
        try await withMachine { machine in
            try machine.makeNode(desk, 0)
            func node(_ all: UInt, _ own: UInt?) -> FoundDevice {
                var properties = desk.v4l2(0).properties
                properties["v4l2.device.capabilities"] = .uint(all)
                properties["v4l2.device.device_caps"] = own.map { .uint($0) }
                return FoundDevice(
                    key: "0", provider: .v4l2, displayName: "", properties: properties, caps: desk.caps,
                    makeElement: desk.v4l2(0).makeElement)
            }
            let rows: [(UInt, UInt?, Bool)] = [
                (0x84A0_0001, 0x0420_0001, true), (0x84A0_0001, metadata, false), (0x84A0_0001, nil, true),
                (0x0400_0001, 0, true), (0x0400_0001, nil, true), (0x0400_0002, 0, false),
                (0x8400_1000, 0x1000, true), (0x8400_0001, 0x1000_0001, false), (0x8480_0001, 0, false),
            ]
            for (all, own, isCamera) in rows {
                #expect(
                    (Sighting(node(all, own), in: machine.nodes) != nil) == isCamera, "\(all), \(own ?? 0)")
            }
        }
    }

    @Test func aCameraOfTwoProvidersIsListedOnce() async throws {
        for hasPath in [true, false] {
            try await withMachine { machine in
                try machine.makeNode(desk, 0)
                // Whoever reports it first.
                machine.report(desk.pipeWire(0, hasPath: hasPath), desk.v4l2(0))
                let devices = try machine.cameras().devices
                #expect(devices.map(\.id) == ["usb:046d:0825:A1"])
                #expect(devices.map(\.provider) == ["v4l2"])
                #expect(devices.map(\.name) == ["Desk Cam"])
            }
        }
    }

    @Test func aCameraOfPipeWireAloneIsListedUnderAnIdThatStays() async throws {
        try await withMachine { machine in
            let sensor = StubCamera("Built-in Front Camera", port: "")
            machine.report(sensor.libcamera(#"\_SB_.PC00.LNK0"#, serial: 50))
            // The kernel shows nothing of this one: a sandbox.
            machine.report(desk.pipeWire(7, serial: 51))
            let cameras = machine.cameras()
            let devices = try cameras.devices
            #expect(devices.count == 2)
            let front = try #require(devices.first { $0.node == nil })
            #expect(front.id == #"libcamera:\_SB_.PC00.LNK0"#)
            #expect(front.position == .front && front.deviceType == .builtIn && front.provider == "pipewire")
            let other = try #require(devices.first { $0.node != nil })
            #expect(other.id == "pipewire:v4l2_input.pci-0000_00_14.0-usb-0_2_1.0")
            // The service starts anew, with other numbers.
            machine.withdraw("pipewire:50", "pipewire:51")
            #expect(try cameras.devices.isEmpty)
            machine.report(desk.pipeWire(7, serial: 802), sensor.libcamera(#"\_SB_.PC00.LNK0"#, serial: 803))
            #expect(Set(try cameras.devices.map(\.id)) == Set(devices.map(\.id)))
        }
    }

    @Test func pipeWireAndV4L2GiveACameraTheSameId() async throws {
        try await withMachine { machine in
            try machine.makeNode(desk, 0)
            machine.report(desk.pipeWire(0))
            #expect(try machine.cameras().devices.map(\.id) == ["usb:046d:0825:A1"])
        }
    }

    /// libcamera lists USB cameras too, and tells which of the kernel's devices it means.
    @Test(arguments: ["20736", "[ 20736 ]", "20740 20736"])
    func aCameraOfLibcameraIsRecognisedByItsDevice(_ numbers: String) async throws {
        try await withMachine { machine in
            try machine.plug(desk, as: 0)
            machine.report(desk.libcamera("usb-2", devices: numbers))
            #expect(try machine.cameras().devices.map(\.provider) == ["v4l2"])
        }
    }

    @Test func theProviderWhoseFormatsCanBeUsedIsTaken() async throws {
        try await withMachine { machine in
            let raw = desk.with {
                $0.caps = StubCamera.caps((PixelFormat(rawValue: "NV16"), 640, 480, [FrameRate(30)]))
            }
            try machine.plug(raw, as: 0)
            machine.report(desk.pipeWire(0))
            let devices = try machine.cameras().devices
            #expect(devices.map(\.provider) == ["pipewire"])
            #expect(devices.map(\.id) == ["usb:046d:0825:A1"])
        }
    }

    @Test func twinsAreToldApartByTheirPorts() async throws {
        for serial in [nil, "SN0001"] {
            try await withMachine { machine in
                let twins = ["2", "3.1"].map { StubCamera("USB Camera", serial: serial, port: $0) }
                try machine.plug(twins[0], as: 0)
                try machine.plug(twins[1], as: 2)
                let before = try machine.cameras().devices
                #expect(Set(before.map(\.id)).count == 2)
                #expect(before.allSatisfy { $0.id.contains("@0000:00:14.0-") })
                // Another session, and the other one was found first.
                try machine.unplug(0)
                try machine.unplug(2)
                try machine.plug(twins[1], as: 0)
                try machine.plug(twins[0], as: 2)
                let after = try machine.cameras().devices
                #expect(after.map(\.id) == before.map(\.id).reversed())
            }
        }
    }

    @Test func anIdSurvivesAChangedNodeNumberAndAnotherPort() async throws {
        try await withMachine { machine in
            let cameras = machine.cameras()
            try machine.plug(desk, as: 0)
            let id = try #require(try cameras.devices.first?.id)
            try machine.unplug(0)
            #expect(try cameras.devices.isEmpty)
            let other = StubCamera("Other Cam", serial: "B2", port: "2")
            try machine.plug(other, as: 0)
            try machine.plug(desk.with { $0.port = "4" }, as: 1)
            let devices = try cameras.devices
            #expect(devices.first { $0.id == id }?.node == "/dev/video1")
            #expect(devices.first { $0.id == id }?.name == "Desk Cam")
            #expect(devices.count == 2)
        }
    }

    /// An id that was noted alone, and one that was noted beside a twin, still mean something when that has changed.
    @Test func aNotedIdMeansACameraAsLongAsItMeansOnlyOne() async throws {
        try await withMachine { machine in
            let twin = desk.with { $0.port = "3" }
            try machine.plug(desk, as: 0)
            let alone = try machine.cameras().devices
            #expect(
                try DeviceQuery.device(matching: "usb:046d:0825:A1@0000:00:14.0-2", in: alone).id
                    == alone[0].id)
            try machine.plug(twin, as: 1)
            let both = try machine.cameras().devices
            let error = cameraError { () throws(CameraError) in
                try DeviceQuery.device(matching: "usb:046d:0825:A1", in: both)
            }
            #expect(error?.code == .deviceNotFound)
            for device in both { #expect(error?.message.contains(device.id) == true) }
        }
    }

    @Test func aNodeThatMayNotBeOpenedIsListedWithTheRemedyAndItsRightId() async throws {
        try await withMachine(isPermitted: { !$0.hasSuffix("video0") }) { machine in
            try machine.makeNode(desk, 0)
            try machine.makeNode(desk.with { $0.index = 1 }, 1)
            let device = try #require(try machine.cameras().devices.first)
            #expect(device.id == "usb:046d:0825:A1")
            #expect(device.problem?.contains("/dev/video0") == true)
            #expect(try machine.cameras().devices.count == 1)
        }
    }
}

/// What is told of cameras that come and go.
@Suite(.timeLimit(.minutes(1))) struct CameraChangeTests {
    private func watched(_ machine: StubMachine) throws -> (HardwareCameras, Changes) {
        let changes = Changes()
        let cameras = machine.cameras { changes.note($0, $1) }
        _ = try cameras.devices
        return (cameras, changes)
    }

    @Test func whatWasThereIsNotToldAndEachChangeOnce() async throws {
        try await withMachine { machine in
            try machine.plug(lid, as: 0)
            let (cameras, changes) = try watched(machine)
            #expect(changes.all.isEmpty)
            try machine.makeNode(desk, 1)
            machine.report(desk.pipeWire(1))
            machine.report(desk.v4l2(1))
            #expect(changes.all == ["+usb:046d:0825:A1"])
            try machine.unplug(1)
            #expect(changes.all == ["+usb:046d:0825:A1", "-usb:046d:0825:A1"])
            // PipeWire is later, or never lets go.
            #expect(try cameras.devices.map(\.name) == ["Integrated Camera"])
            machine.withdraw("pipewire:49")
            #expect(changes.all.count == 2)
        }
    }

    @Test func aQuickReplugIsTwoChanges() async throws {
        try await withMachine { machine in
            try machine.plug(desk, as: 0)
            let (cameras, changes) = try watched(machine)
            try machine.unplug(0)
            try machine.plug(desk, as: 5)
            #expect(changes.all == ["-usb:046d:0825:A1", "+usb:046d:0825:A1"])
            #expect(try cameras.devices.map(\.node) == ["/dev/video5"])
        }
    }

    @Test func nothingIsToldAfterTheEnd() async throws {
        try await withMachine { machine in
            let (cameras, changes) = try watched(machine)
            cameras.close()
            try machine.plug(desk, as: 0)
            #expect(try cameras.devices.isEmpty)
            #expect(changes.all.isEmpty)
        }
    }

    @Test func whoIsToldMayAskForTheList() async throws {
        try await withMachine { machine in
            let lists = Guarded<[[String]]>([])
            let asking = Guarded<HardwareCameras?>(nil)
            let cameras = machine.cameras { _, _ in
                let devices = try? asking.withLock { $0 }?.devices.map(\.name)
                lists.withLock { $0.append(devices ?? []) }
            }
            asking.withLock { $0 = cameras }
            _ = try cameras.devices
            try machine.plug(desk, as: 0)
            #expect(lists.withLock { $0 } == [["Desk Cam"]])
            asking.withLock { $0 = nil }
        }
    }
}

private final class Changes: Sendable {
    private let list = Guarded<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func note(_ device: CaptureDevice, _ isAdded: Bool) {
        list.withLock { $0.append((isAdded ? "+" : "-") + device.id) }
    }
}

import Testing

@testable import CameraCore

private let bars = CaptureDevice("test:bars", "Bars", .test, .back)
private let ball = CaptureDevice("test:ball", "Ball", .test, .front)
private let file = CaptureDevice("file:dark", "Dark", .file, .external)
private let loop = CaptureDevice("v4l2:loop", "Loop", .virtual, node: "/dev/video9")
private let desk = CaptureDevice("usb:1", "Desk Cam", .external, .external, node: "/dev/video2")
private let twin = CaptureDevice("usb:2", "Desk Cam", .external, .external, node: "/dev/video4")
private let broken = CaptureDevice("pci:0", "Lid", .builtIn, .front, node: "/dev/video0", problem: "in use")
private let all = [bars, ball, file, loop, desk, twin, broken]

@Suite struct DeviceQueryTests {
    @Test(
        arguments: [
            (nil, nil, ["pci:0", "usb:1", "usb:2", "v4l2:loop", "test:bars", "test:ball", "file:dark"]),
            ([.test], nil, ["test:bars", "test:ball"]),
            ([.test, .external, .test], nil, ["test:bars", "test:ball", "usb:1", "usb:2"]),
            (nil, .front, ["pci:0", "test:ball"]),
            ([.external, .file], .external, ["usb:1", "usb:2", "file:dark"]),
            ([], nil, []),
            ([.builtIn], .back, []),
        ] as [([CaptureDevice.DeviceType]?, CaptureDevice.Position?, [String])])
    func finds(_ types: [CaptureDevice.DeviceType]?, _ position: CaptureDevice.Position?, ids: [String]) {
        #expect(DeviceQuery.devices(types: types, position: position, in: all).map(\.id) == ids)
    }

    @Test(arguments: [
        ("usb:2", "usb:2"), ("Ball", "test:ball"), ("bALL", "test:ball"), ("/dev/video4", "usb:2"),
        ("back", "test:bars"), ("front", "test:ball"), ("FRONT", "test:ball"), ("external", "usb:1"),
    ])
    func matches(_ text: String, id: String) throws {
        #expect(try DeviceQuery.device(matching: text, in: all).id == id)
    }

    @Test func prefersAnIdToANameAndAnExactNameToALooseOne() throws {
        let named = CaptureDevice("x:1", "usb:1", .file)
        #expect(try DeviceQuery.device(matching: "usb:1", in: [named, desk]).id == "usb:1")
        let loud = CaptureDevice("x:2", "BALL", .file)
        #expect(try DeviceQuery.device(matching: "Ball", in: [loud, ball]).id == "test:ball")
        let side = CaptureDevice("x:3", "front", .file)
        #expect(try DeviceQuery.device(matching: "front", in: [ball, side]).id == "x:3")
    }

    @Test func takesACameraWithAProblemWhenNoOtherLooksThatWay() throws {
        #expect(try DeviceQuery.device(matching: "front", in: [bars, broken]).id == "pci:0")
    }

    @Test(arguments: ["Desk Cam", "desk cam"]) func refusesANameOfSeveral(_ name: String) throws {
        let error = try #require(
            cameraError { () throws(CameraError) in try DeviceQuery.device(matching: name, in: all) })
        #expect(error.code == .deviceNotFound)
        #expect(error.message.contains("'\(name)' names 2 cameras"))
        #expect(error.message.contains("usb:1, usb:2"))
    }

    @Test(arguments: ["", "nope", "unspecified", "USB:1", "/dev/video7"])
    func refusesWhatIsNotThere(_ text: String) throws {
        let error = try #require(
            cameraError { () throws(CameraError) in try DeviceQuery.device(matching: text, in: all) })
        #expect(error.code == .deviceNotFound)
        #expect(error.message.hasPrefix("there is no camera '\(text)'; "))
        #expect(error.message.hasSuffix("'devices' lists them"))
    }

    @Test(arguments: [
        ("tset:bars", "test:bars"), ("TEST:BARS", "test:bars"), ("bar", "test:bars"),
        ("test:bells", "test:ball"),
        ("deskcam", "usb:1 or usb:2"), ("/dev/video1", "pci:0, usb:1 or usb:2"), ("frnot", "front"),
        ("usb", "usb:1 or usb:2"), ("file:dark-start", ""), ("usb:12345", ""), ("nope", ""), ("", ""),
        (String(repeating: "test:bars", count: 5000), ""),
    ])
    func namesWhatComesNear(_ text: String, near: String) {
        let error = cameraError { () throws(CameraError) in try DeviceQuery.device(matching: text, in: all) }
        let question = near.isEmpty ? "" : "did you mean \(near)? "
        #expect(error?.message == "there is no camera '\(text)'; \(question)'devices' lists them")
    }

    @Test(
        arguments: [
            (all, "usb:1"), ([bars, loop], "v4l2:loop"), ([file, ball, bars, broken], "test:bars"),
            ([bars], "test:bars"),
        ] as [([CaptureDevice], String)])
    func hasADefault(_ devices: [CaptureDevice], id: String) throws {
        #expect(try DeviceQuery.defaultDevice(in: devices).id == id)
    }

    @Test(arguments: [[], [broken], [ball]] as [[CaptureDevice]]) func hasNoDefaultWithoutAnyUsableCamera(
        _ devices: [CaptureDevice]
    ) {
        let error = cameraError { () throws(CameraError) in try DeviceQuery.defaultDevice(in: devices) }
        #expect(error?.code == .noDevice)
    }

    @Test func rangesKnowTheirNearestRate() {
        let range = CaptureDevice.FrameRateRange(minimum: FrameRate(60), maximum: FrameRate(5))
        #expect(range.description == "5–60")
        #expect(!range.isSingle)
        #expect(range.nearest(to: FrameRate(1)) == FrameRate(5))
        #expect(range.nearest(to: .ntsc) == .ntsc)
        #expect(range.nearest(to: FrameRate(90)) == FrameRate(60))
        #expect(CaptureDevice.FrameRateRange(.ntsc).isSingle)
        #expect(CaptureDevice.Format(.i420, 1, 1, FrameRate(5), .ntsc).maximumFrameRate == .ntsc)
        #expect(CaptureDevice.Format(.i420, 1, 1).maximumFrameRate == nil)
    }
}

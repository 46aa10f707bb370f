import Testing

@testable import CameraCore

/// Who is who, by plain values.
@Suite struct CameraIdentityTests {
    private static func camera(_ serial: String?, _ port: String, _ part: String = "") -> CameraIdentity {
        CameraIdentity(serial: serial.map { "usb:1:2:\($0)" }, place: "usb:1:2@\(port)", part: part)
    }

    /// What is plugged in, one time after the other, and the ids that follow.
    @Test(
        arguments: [
            ("a serial number goes before the place", [([camera("S", "a")], ["usb:1:2:S"])]),
            (
                "without one, the place",
                [([camera(nil, "a"), camera(nil, "b")], ["usb:1:2@a", "usb:1:2@b"])]
            ),
            (
                "two with one number",
                [([camera("S", "a"), camera("S", "b")], ["usb:1:2:S@a", "usb:1:2:S@b"])]
            ),
            (
                "the first keeps its id when a twin comes",
                [
                    ([camera("S", "a")], ["usb:1:2:S"]),
                    ([camera("S", "b"), camera("S", "a")], ["usb:1:2:S@b", "usb:1:2:S"]),
                ]
            ),
            (
                "and the twin keeps its own when the first goes, and when it comes back",
                [
                    ([camera("S", "a")], ["usb:1:2:S"]),
                    ([camera("S", "a"), camera("S", "b")], ["usb:1:2:S", "usb:1:2:S@b"]),
                    ([camera("S", "b")], ["usb:1:2:S@b"]),
                    ([camera("S", "b"), camera("S", "a")], ["usb:1:2:S@b", "usb:1:2:S"]),
                ]
            ),
            (
                "a camera takes its id along to another port",
                [
                    ([camera("S", "a")], ["usb:1:2:S"]), ([], []), ([camera("S", "b")], ["usb:1:2:S"]),
                    ([camera("S", "b"), camera("S", "a")], ["usb:1:2:S", "usb:1:2:S@a"]),
                ]
            ),
            (
                "two sensors of one camera",
                [([camera("S", "a"), camera("S", "a", "#2")], ["usb:1:2:S", "usb:1:2:S#2"])]
            ),
            (
                "two sensors of two cameras with one number",
                [
                    (
                        [camera("S", "a"), camera("S", "a", "#2"), camera("S", "b"), camera("S", "b", "#2")],
                        ["usb:1:2:S@a", "usb:1:2:S@a#2", "usb:1:2:S@b", "usb:1:2:S@b#2"]
                    )
                ]
            ),
            (
                "what nothing tells apart is numbered",
                [([camera(nil, "a"), camera(nil, "a")], ["usb:1:2@a", "usb:1:2@a~2"])]
            ),
            ("nothing needs quotes", [([camera("S 1\n\t2", "a")], ["usb:1:2:S_1__2"])]),
        ] as [(String, [([CameraIdentity], [String])])])
    func everyCameraKeepsAnIdOfItsOwn(_ name: String, steps: [([CameraIdentity], [String])]) {
        var ids = CameraIDs()
        for (present, wanted) in steps {
            #expect(ids.assign(present) == wanted, "\(name)")
        }
    }

    @Test(
        arguments: [
            ("Integrated IR Camera", [.yuy2], .infrared), ("Infrared", [], .infrared),
            ("HP HD Camera: HP IR Camera", [.gray8], .infrared), ("USB Camera", [.gray8], .gray),
            ("USB Camera", [.gray8, PixelFormat(rawValue: "bggr")], .gray),
            ("USB Camera", [.gray8, .mjpeg], .color), ("Iridium Firewall", [.mjpeg], .color),
            ("USB Camera", [], .color), ("USB Camera", [PixelFormat(rawValue: "bggr")], .color),
        ] as [(String, [PixelFormat], CaptureDevice.Spectrum)])
    func nameAndFormatsTellTheLight(
        _ name: String, _ formats: [PixelFormat], spectrum: CaptureDevice.Spectrum
    ) {
        let device = CaptureDevice(
            id: "x", name: name, deviceType: .external, provider: "v4l2",
            formats: formats.map { CaptureDevice.Format($0, 640, 480, FrameRate(30)) })
        #expect(device.spectrum == spectrum)
    }

    @Test func infraredIsNotTakenUnlessSomebodyAsksForIt() throws {
        let infrared = CaptureDevice("usb:ir", "IR Camera", .builtIn, .front)
        let gray = CaptureDevice(
            id: "usb:gray", name: "Gray", position: .front, deviceType: .builtIn, spectrum: .gray,
            provider: "v4l2")
        let color = CaptureDevice("usb:1", "Camera", .external, .front)
        let all = [infrared, gray, color]
        #expect(try DeviceQuery.defaultDevice(in: all).id == "usb:1")
        #expect(try DeviceQuery.device(matching: "front", in: all).id == "usb:1")
        #expect(try DeviceQuery.defaultDevice(in: [infrared, gray]).id == "usb:gray")
        #expect(try DeviceQuery.defaultDevice(in: [infrared]).id == "usb:ir")
        #expect(try DeviceQuery.device(matching: "IR Camera", in: all).id == "usb:ir")
    }
}

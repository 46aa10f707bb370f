import Foundation
import GStreamer
import Testing

@testable import CameraCore

extension CameraTests {
    /// Real cameras as far as the controller can tell: their devices are made up, their pictures are GStreamer's.
    @Suite struct RealCameraTests {
        @Test func aNotedIdOpensTheSameCameraUnderAnotherNode() async throws {
            try await withMachine { machine in
                let red = StubCamera("Cam", serial: "A", port: "1").with { $0.pattern = "red" }
                let blue = StubCamera("Cam", serial: "B", port: "2").with { $0.pattern = "blue" }
                try machine.plug(red, as: 0)
                try await withCamera(on: machine) { camera in
                    let noted = try await camera.defaultDevice().id
                    try machine.unplug(0)
                    try machine.plug(blue, as: 0)
                    try machine.plug(red, as: 1)
                    let applied = try await camera.selectDevice(noted)
                    #expect(applied.device.node == "/dev/video1")
                    var frames = try await camera.frames(format: .rgb).makeAsyncIterator()
                    let picture = try Picture(await frames.required())
                    #expect(picture.average.red > 200 && picture.average.blue < 50)
                    #expect(camera.status.device?.id == noted)
                }
            }
        }

        @Test func aCameraOfPipeWireAloneIsOpenedByItsOwnElement() async throws {
            try await withMachine { machine in
                machine.report(
                    StubCamera("Sensor", port: "").with { $0.pattern = "blue" }.libcamera(
                        "/base/soc/camera@1a"))
                try await withCamera(on: machine) { camera in
                    let device = try await camera.defaultDevice()
                    #expect(device.id == "libcamera:/base/soc/camera@1a" && device.node == nil)
                    #expect(camera.authorizationStatus(for: device) == .authorized)
                    try await camera.selectDevice(device.id)
                    var frames = try await camera.frames(format: .rgb).makeAsyncIterator()
                    #expect(try Picture(await frames.required()).average.blue > 200)
                }
            }
        }

        /// Raw is too slow at that size, so the camera is run in JPEG and decoded.
        @Test func aPresetTakesTheFormatThatReachesItsRate() async throws {
            try await withMachine { machine in
                let caps = StubCamera.caps(
                    (.yuy2, 640, 480, [FrameRate(30)]), (.yuy2, 1280, 720, [FrameRate(10)]),
                    (.mjpeg, 1280, 720, [FrameRate(30)]))
                try machine.plug(StubCamera("Cam", port: "1").with { $0.caps = caps }, as: 0)
                try await withCamera(on: machine) { camera in
                    let chosen = try await camera.setPreset(.hd1280x720)
                    #expect(chosen.format.description == "1280x720@30 MJPG")
                    var frames = try await camera.frames().makeAsyncIterator()
                    let first = try await frames.required()
                    #expect(first.width == 1280 && first.height == 720 && first.format != .mjpeg)
                    #expect(await camera.negotiatedRate == FrameRate(30))
                    #expect(camera.status.format == chosen.format)
                    try await withFolder { folder in
                        let photo = try await camera.capturePhoto(to: folder.appendingPathComponent("a.jpg"))
                        #expect(photo.width == 1280 && photo.height == 720)
                    }
                    // Raw where it is fast enough, and where somebody wants it.
                    #expect(try await camera.setPreset(.vga640x480).format.description == "640x480@30 YUY2")
                    let raw = FormatRequest(width: 1280, height: 720, pixelFormat: .yuy2)
                    #expect(try await camera.setFormat(raw).format.description == "1280x720@10 YUY2")
                    let supported = try await camera.presets().filter(\.isSupported).map(\.preset)
                    #expect(
                        supported == [
                            .vga640x480, .hd1280x720, .iFrame1280x720, .photo, .high, .medium, .low,
                            .inputPriority,
                        ])
                }
            }
        }

        @Test func aCameraThatKnowsOnlyAFractionTakesItsRoundedRates() async throws {
            try await withMachine { machine in
                let caps = StubCamera.caps((.yuy2, 640, 480, [.ntsc]))
                try machine.plug(StubCamera("Cam", port: "1").with { $0.caps = caps }, as: 0)
                try await withCamera(on: machine) { camera in
                    for rate in [nil, FrameRate(30), FrameRate(2997, 100), .ntsc] {
                        try await camera.setFormat(FormatRequest(width: 640, height: 480, frameRate: rate))
                        try await camera.start()
                        #expect(camera.status.format?.frameRate == .ntsc)
                        #expect(await camera.graph().contains("30000/1001"))
                    }
                }
            }
        }

        @Test func camerasThatComeAndGoAreEvents() async throws {
            try await withMachine { machine in
                try machine.plug(StubCamera("Lid", port: "9"), as: 0)
                try await withCamera(on: machine) { camera in
                    #expect(try await camera.devices(types: [.external]).count == 1)
                    var events = camera.events().makeAsyncIterator()
                    try machine.plug(StubCamera("Desk", serial: "A", port: "1"), as: 1)
                    try machine.unplug(1)
                    let added = try await events.first {
                        if case .deviceAdded(let device) = $0 { device } else { nil }
                    }
                    let removed = try await events.first {
                        if case .deviceRemoved(let device) = $0 { device } else { nil }
                    }
                    #expect(added.id == "usb:046d:0825:A" && removed.id == added.id)
                }
            }
        }
    }
}

import CameraCore
import Foundation
import Testing

/// Real V4L2 and UVC cameras, in the machine that `scripts/with-cameras` starts: two UVC cameras by name, two vivid.
///
/// `scripts/test` runs them there. Elsewhere they are skipped: there are no such cameras.
@Suite(
    .serialized,
    .enabled(
        if: ProcessInfo.processInfo.environment["CAMERA_VM"] == "1",
        "needs V4L2 cameras; run 'scripts/test --only vm', or see 'scripts/with-cameras --help'"))
struct VMTests {
    private static let uvcNames = ["Back Camera", "Front Camera"]

    /// Runs `body` with a controller that is closed afterwards, whatever happens.
    private func withCamera(_ body: (CameraController) async throws -> Void) async throws {
        let camera = try CameraController()
        do {
            try await body(camera)
        } catch {
            try await camera.close()
            throw error
        }
        try await camera.close()
    }

    private func real(_ camera: CameraController) async throws -> [CaptureDevice] {
        try await camera.devices(types: [.external, .virtual, .builtIn])
    }

    private func photo(_ camera: CameraController, width: Int, height: Int) async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).jpg")
        let photo = try await camera.capturePhoto(to: url)
        #expect(photo.width == width && photo.height == height)
        let picture = try Picture(jpeg: url)
        #expect(picture.width == width && picture.height == height)
        try FileManager.default.removeItem(at: url)
    }

    @Test func fourCamerasAreListedWithTheirNamesAndStableIds() async throws {
        var lists: [[CaptureDevice]] = []
        for _ in 1...2 {
            try await withCamera { camera in lists.append(try await real(camera)) }
        }
        let devices = lists[0]
        #expect(devices.count == 4, "\(devices.map(\.id))")
        #expect(devices.filter { $0.deviceType == .external }.map(\.name).sorted() == Self.uvcNames)
        #expect(devices.filter { $0.deviceType == .virtual }.count == 2)
        #expect(Set(devices.map(\.id)).count == 4)
        #expect(devices.allSatisfy { !$0.id.contains("/dev/") && $0.problem == nil })
        #expect(lists[1].map(\.id) == devices.map(\.id))
        let front = try #require(devices.first { $0.name == "Front Camera" })
        #expect(front.position == .front)
        #expect(front.id.hasPrefix("usb:"))
    }

    @Test func theDefaultIsARealCamera() async throws {
        try await withCamera { camera in
            let standard = try await camera.defaultDevice()
            #expect(standard.deviceType == .external)
            let front = try await camera.device(matching: "front")
            #expect(front.name == "Front Camera")
        }
    }

    @Test func eachCameraGivesFramesAndPhotosWhenSwitchedTo() async throws {
        try await withCamera { camera in
            try await camera.setPreset(.vga640x480)
            for device in try await real(camera) {
                let applied = try await camera.selectDevice(device.id)
                #expect(applied.device.id == device.id)
                #expect(applied.format.dimensions == Dimensions(width: 640, height: 480))
                var last = 0
                for await frame in try await camera.frames() {
                    #expect(frame.width == 640 && frame.height == 480)
                    #expect(frame.sequence > last)
                    last = frame.sequence
                    if last > 2 { break }
                }
                try await photo(camera, width: 640, height: 480)
                #expect(camera.status.state == .running)
                #expect(camera.status.device?.id == device.id)
            }
        }
    }

    @Test func theLargePresetsAreMJPEGOnUVCAndRawOnVivid() async throws {
        try await withCamera { camera in
            for device in try await real(camera) {
                for preset in [SessionPreset.hd1280x720, .hd1920x1080] {
                    let size = try #require(preset.fixedSize)
                    let offered = device.formats.filter { $0.dimensions == size }
                    #expect(!offered.isEmpty)
                    #expect(
                        offered.allSatisfy { $0.pixelFormat.isCompressed == (device.deviceType == .external) }
                    )
                    try await camera.apply {
                        $0.device = device.id
                        $0.preset = preset
                        $0.zoom = Zoom()
                    }
                    let status = try await started(camera)
                    #expect(status.format?.dimensions == size)
                    try await photo(camera, width: size.width, height: size.height)
                }
            }
        }
    }

    private func started(_ camera: CameraController) async throws -> CameraStatus {
        try await camera.start()
        return camera.status
    }

    @Test func zoomCropsRealPictures() async throws {
        try await withCamera { camera in
            for device in try await real(camera) {
                try await camera.selectDevice(device.id)
                try await camera.setPreset(.vga640x480)
                for factor in [2.0, 1.5, camera.status.zoomRange.maximum, 1] {
                    let applied = try await camera.setZoom(factor)
                    #expect(applied.zoom == factor)
                    try await photo(camera, width: 640, height: 480)
                }
            }
        }
    }

    @Test func aPresetThatTheCameraLacksLeavesItRunning() async throws {
        try await withCamera { camera in
            let device = try #require(try await real(camera).first { $0.deviceType == .external })
            try await camera.selectDevice(device.id)
            try await camera.setPreset(.vga640x480)
            try await camera.start()
            let error = await #expect(throws: CameraError.self) { try await camera.setPreset(.cif352x288) }
            #expect(error?.code == .presetUnsupported)
            #expect(error?.message.contains("640x480") ?? false)
            #expect(camera.status.format?.dimensions == Dimensions(width: 640, height: 480))
            try await photo(camera, width: 640, height: 480)
        }
    }

    @Test func aCameraThatAnotherControllerUsesIsBusy() async throws {
        try await withCamera { first in
            let device = try #require(try await real(first).first { $0.deviceType == .external })
            try await first.selectDevice(device.id)
            try await first.start()
            try await withCamera { second in
                try await second.selectDevice("test:bars")
                try await second.start()
                let error = await #expect(throws: CameraError.self) {
                    try await second.selectDevice(device.id)
                }
                #expect(error?.code == .deviceBusy, "\(String(describing: error))")
                #expect(second.status.device?.id == "test:bars")
                try await photo(second, width: 1920, height: 1080)
            }
            #expect(first.status.state == .running)
        }
    }
}

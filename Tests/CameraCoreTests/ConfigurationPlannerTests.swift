import Testing

@testable import CameraCore

private let raw = ActiveFormat(pixelFormat: .yuy2, width: 640, height: 480, frameRate: FrameRate(30))
private let smaller = ActiveFormat(pixelFormat: .i420, width: 320, height: 240, frameRate: FrameRate(30))
private let jpeg = ActiveFormat(pixelFormat: .mjpeg, width: 640, height: 480, frameRate: FrameRate(30))
private let corner = NormalizedPoint(x: 0, y: 0)

@Suite struct ConfigurationPlannerTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let current: PlannedState?
        let wanted: PlannedState
        let step: ConfigurationPlanner.Step?

        init(
            _ description: String,
            from current: PlannedState?,
            to wanted: PlannedState,
            _ step: ConfigurationPlanner.Step? = nil
        ) {
            testDescription = description
            self.current = current
            self.wanted = wanted
            self.step = step
        }
    }

    static let running = PlannedState(device: "a", format: raw)
    static let zoomed = PlannedState(device: "a", format: raw, zoom: Zoom(factor: 2))

    static let rows = [
        Row("nothing runs", from: nil, to: running, .swapSource("a", raw, Zoom())),
        Row("nothing runs, zoomed", from: nil, to: zoomed, .swapSource("a", raw, Zoom(factor: 2))),
        Row("nothing changes", from: running, to: running),
        Row("nothing changes, zoomed", from: zoomed, to: zoomed),
        Row("zoom in", from: running, to: zoomed, .setZoom(Zoom(factor: 2))),
        Row("zoom out", from: zoomed, to: running, .setZoom(Zoom())),
        Row(
            "move the centre",
            from: zoomed,
            to: PlannedState(device: "a", format: raw, zoom: Zoom(factor: 2, center: corner)),
            .setZoom(Zoom(factor: 2, center: corner))),
        Row(
            "move the centre of the full frame",
            from: running,
            to: PlannedState(device: "a", format: raw, zoom: Zoom(center: corner))),
        Row(
            "zoom by less than a pixel",
            from: zoomed,
            to: PlannedState(device: "a", format: raw, zoom: Zoom(factor: 2.000001))),
        Row(
            "another format", from: running, to: PlannedState(device: "a", format: smaller),
            .renegotiate(smaller, Zoom())),
        Row(
            "another rate",
            from: running,
            to: PlannedState(
                device: "a",
                format: ActiveFormat(pixelFormat: .yuy2, width: 640, height: 480, frameRate: FrameRate(15))),
            .renegotiate(
                ActiveFormat(pixelFormat: .yuy2, width: 640, height: 480, frameRate: FrameRate(15)), Zoom())),
        Row(
            "another format, still zoomed",
            from: zoomed,
            to: PlannedState(device: "a", format: smaller, zoom: Zoom(factor: 2)),
            .renegotiate(smaller, Zoom(factor: 2))),
        Row(
            "another format, zoom reset", from: zoomed, to: PlannedState(device: "a", format: smaller),
            .renegotiate(smaller, Zoom())),
        Row(
            "a decoder comes in", from: running, to: PlannedState(device: "a", format: jpeg),
            .swapSource("a", jpeg, Zoom())),
        Row(
            "a decoder goes", from: PlannedState(device: "a", format: jpeg), to: running,
            .swapSource("a", raw, Zoom())),
        Row(
            "another camera", from: running, to: PlannedState(device: "b", format: raw),
            .swapSource("b", raw, Zoom())
        ),
        Row(
            "another camera, zoom reset", from: zoomed, to: PlannedState(device: "b", format: raw),
            .swapSource("b", raw, Zoom())),
        Row(
            "another camera, zoomed",
            from: running,
            to: PlannedState(device: "b", format: smaller, zoom: Zoom(factor: 3)),
            .swapSource("b", smaller, Zoom(factor: 3))),
        Row(
            "a camera of unknown format", from: running, to: PlannedState(device: "b", format: nil),
            .swapSource("b", nil, Zoom())),
        Row(
            "unknown stays unknown", from: PlannedState(device: "b", format: nil),
            to: PlannedState(device: "b", format: nil)),
        Row(
            "zoom into the unknown",
            from: PlannedState(device: "b", format: nil),
            to: PlannedState(device: "b", format: nil, zoom: Zoom(factor: 2)),
            .setZoom(Zoom(factor: 2))),
        Row(
            "a format becomes known",
            from: PlannedState(device: "b", format: nil),
            to: PlannedState(device: "b", format: raw),
            .swapSource("b", raw, Zoom())),
    ]

    @Test(arguments: rows) func plans(_ row: Row) {
        #expect(ConfigurationPlanner.step(from: row.current, to: row.wanted) == row.step)
    }
}

@Suite struct DeviceSwitchTests {
    static let camera = CaptureDevice(
        offering: .init(.yuy2, 640, 480, FrameRate(30)),
        .init(.mjpeg, 1280, 720, FrameRate(30), FrameRate(60)))

    @Test(
        arguments: [
            (CaptureConfiguration(device: "old"), CaptureConfiguration(device: "usb:1"), nil as String?),
            (
                CaptureConfiguration(
                    preset: .hd1280x720, frameRate: FrameRate(60), zoom: Zoom(factor: 3, center: corner)),
                CaptureConfiguration(device: "usb:1", preset: .hd1280x720, frameRate: FrameRate(60)), nil
            ),
            (
                CaptureConfiguration(preset: .hd4K3840x2160),
                CaptureConfiguration(device: "usb:1", preset: .hd1280x720),
                "preset hd4K3840x2160 is not possible on Desk Cam (usb:1); using preset hd1280x720"
            ),
            (
                CaptureConfiguration(preset: .vga640x480, frameRate: FrameRate(60)),
                CaptureConfiguration(device: "usb:1", preset: .vga640x480),
                "preset vga640x480 at 60 fps is not possible on Desk Cam (usb:1); using preset vga640x480"
            ),
            (
                CaptureConfiguration(
                    format: FormatRequest(
                        width: 640, height: 480, frameRate: FrameRate(30), pixelFormat: .nv12)),
                CaptureConfiguration(
                    device: "usb:1", format: FormatRequest(width: 640, height: 480, frameRate: FrameRate(30))),
                "format 640x480@30 NV12 is not possible on Desk Cam (usb:1); using format 640x480@30"
            ),
            (
                CaptureConfiguration(
                    format: FormatRequest(width: 800, height: 600, frameRate: FrameRate(60))),
                CaptureConfiguration(device: "usb:1", preset: .hd1280x720, frameRate: FrameRate(60)),
                "format 800x600@60 is not possible on Desk Cam (usb:1); using preset hd1280x720 at 60 fps"
            ),
            (
                CaptureConfiguration(preset: .qvga320x240, frameRate: FrameRate(240)),
                CaptureConfiguration(device: "usb:1", preset: .vga640x480),
                "preset qvga320x240 at 240 fps is not possible on Desk Cam (usb:1); using preset vga640x480"
            ),
            (
                CaptureConfiguration(preset: .photo, frameRate: FrameRate(240)),
                CaptureConfiguration(device: "usb:1", preset: .photo),
                "preset photo at 240 fps is not possible on Desk Cam (usb:1); using preset photo"
            ),
        ] as [(CaptureConfiguration, CaptureConfiguration, String?)])
    func carriesOver(_ old: CaptureConfiguration, to new: CaptureConfiguration, notice: String?) {
        let outcome = DeviceSwitch.carry(old, to: Self.camera)
        #expect(outcome.configuration == new)
        #expect(outcome.notices == (notice.map { [$0] } ?? []))
    }

    @Test func takesWhateverAnUnknownCameraGives() {
        let unknown = CaptureDevice("file:odd", "Odd", .file)
        let outcome = DeviceSwitch.carry(CaptureConfiguration(preset: .vga640x480), to: unknown)
        #expect(outcome.configuration == CaptureConfiguration(device: "file:odd", preset: .high))
        #expect(outcome.notices.count == 1)
    }
}

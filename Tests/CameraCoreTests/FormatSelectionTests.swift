import Testing

@testable import CameraCore

/// A usual webcam: raw where the bus is wide enough, JPEG where it is not.
private let webcam = CaptureDevice(
    offering: .init(.yuy2, 640, 480, FrameRate(30), FrameRate(15)),
    .init(.yuy2, 320, 240, FrameRate(30)),
    .init(.yuy2, 1280, 720, FrameRate(10)),
    .init(.yuy2, 1920, 1080, FrameRate(5)),
    .init(.mjpeg, 640, 480, FrameRate(30)),
    .init(.mjpeg, 1280, 720, FrameRate(30), FrameRate(60)),
    .init(.mjpeg, 1920, 1080, FrameRate(30)),
    .init(.mjpeg, 2592, 1944, FrameRate(15)))

/// A camera whose formats are known only when it runs.
private let unknown = CaptureDevice(id: "file:odd", name: "Odd", deviceType: .file, provider: "file")

private func select(
    _ preset: SessionPreset,
    _ request: FormatRequest? = nil,
    rate: FrameRate? = nil,
    on device: CaptureDevice
) throws(CameraError) -> String? {
    try FormatSelection.select(for: preset, format: request, frameRate: rate, on: device)?.description
}

@Suite struct PresetSelectionTests {
    @Test(
        arguments: [
            (SessionPreset.vga640x480, "640x480@30 YUY2"), (.qvga320x240, "320x240@30 YUY2"),
            (.hd1280x720, "1280x720@30 MJPG"), (.iFrame1280x720, "1280x720@30 MJPG"),
            (.hd1920x1080, "1920x1080@30 MJPG"),
            (.photo, "2592x1944@15 MJPG"), (.high, "1920x1080@30 MJPG"), (.medium, "640x480@30 YUY2"),
            (.low, "320x240@30 YUY2"), (.inputPriority, "1920x1080@30 MJPG"),
        ] as [(SessionPreset, String)])
    func choosesForAWebcam(_ preset: SessionPreset, format: String) throws {
        #expect(try select(preset, on: webcam) == format)
    }

    @Test(arguments: [SessionPreset.cif352x288, .qHD960x540, .iFrame960x540, .hd4K3840x2160])
    func refusesAPresetWithWhatThereIs(_ preset: SessionPreset) throws {
        let error = try #require(cameraError { () throws(CameraError) in try select(preset, on: webcam) })
        #expect(error.code == .presetUnsupported)
        for part in [
            preset.rawValue, "Desk Cam", "usb:1", "2592x1944, 1920x1080, 1280x720, 640x480, 320x240",
        ] {
            #expect(error.message.contains(part))
        }
    }

    @Test(
        arguments: [
            // Nothing reaches 24: the largest that reaches the next floor.
            (
                [
                    CaptureDevice.Format(.yuy2, 1920, 1080, FrameRate(5)),
                    .init(.yuy2, 640, 480, FrameRate(15)),
                ],
                "640x480@15 YUY2"
            ),
            (
                [.init(.yuy2, 1920, 1080, FrameRate(20)), .init(.yuy2, 160, 120, FrameRate(22))],
                "1920x1080@20 YUY2"
            ),
            (
                [.init(.yuy2, 640, 480, FrameRate(2)), .init(.yuy2, 1280, 720, FrameRate(1))],
                "640x480@2 YUY2"
            ),
            (
                [.init(.yuy2, 640, 480, FrameRate(1)), .init(.yuy2, 1280, 720, FrameRate(1))],
                "1280x720@1 YUY2"
            ),
            // Film counts as 24.
            (
                [.init(.yuy2, 1920, 1080, .film), .init(.yuy2, 640, 480, FrameRate(30))],
                "1920x1080@23.976 YUY2"
            ),
            // Higher than 1080 rows is too high, however few pixels it has.
            (
                [.init(.yuy2, 1600, 1200, FrameRate(30)), .init(.yuy2, 640, 480, FrameRate(30))],
                "640x480@30 YUY2"
            ),
            // Everything is too large: the smallest.
            (
                [.init(.nv12, 3840, 2160, FrameRate(30)), .init(.nv12, 2560, 1440, FrameRate(30))],
                "2560x1440@30 NV12"
            ),
            // No rates known: none is asked for.
            ([.init(.i420, 853, 479)], "853x479 I420"),
        ] as [([CaptureDevice.Format], String)])
    func choosesHigh(_ formats: [CaptureDevice.Format], format: String) throws {
        let device = CaptureDevice(id: "x", name: "X", deviceType: .test, provider: "test", formats: formats)
        #expect(try select(.high, on: device) == format)
    }

    @Test func takesTheLargerOfTwoEquallyNearSizes() throws {
        let device = CaptureDevice(
            offering: .init(.yuy2, 320, 240, FrameRate(30)), .init(.yuy2, 640, 480, FrameRate(30)))
        #expect(try select(.medium, on: device) == "640x480@30 YUY2")
    }

    @Test func saysWhatEachPresetComesTo() throws {
        let presets = FormatSelection.presets(on: webcam)
        #expect(presets.map(\.preset) == SessionPreset.allCases)
        let unsupported = presets.filter { !$0.isSupported }.map(\.preset)
        #expect(unsupported == [.cif352x288, .qHD960x540, .hd4K3840x2160, .iFrame960x540])
        let sizes = Dictionary(uniqueKeysWithValues: presets.map { ($0.preset, $0.dimensions?.description) })
        #expect(sizes[.hd4K3840x2160] == "3840x2160")
        #expect(sizes[.photo] == "2592x1944")
        #expect(sizes[.inputPriority] == .some(nil))
    }

    @Test(
        arguments: [
            (SessionPreset.hd1280x720, SessionPreset.hd1280x720), (.iFrame1280x720, .iFrame1280x720),
            (.photo, .photo),
            (.hd4K3840x2160, .hd1920x1080), (.cif352x288, .qvga320x240), (.qHD960x540, .vga640x480),
            (.low, .low),
        ] as [(SessionPreset, SessionPreset)])
    func findsTheNearestPreset(_ preset: SessionPreset, nearest: SessionPreset) {
        #expect(FormatSelection.nearestPreset(to: preset, on: webcam) == nearest)
    }

    @Test func fallsBackToHighWhereNoFixedPresetIsPossible() {
        let odd = CaptureDevice(offering: .init(.i420, 853, 479, FrameRate(30)))
        #expect(FormatSelection.nearestPreset(to: .vga640x480, on: odd) == .high)
        #expect(FormatSelection.nearestPreset(to: .vga640x480, on: unknown) == .high)
    }
}

@Suite struct FrameRateSelectionTests {
    @Test(
        arguments: [
            // 30, or what is equivalent to it, or the nearest there is.
            (nil, [CaptureDevice.Format(.i420, 640, 480, .ntsc)], "640x480@29.97 I420"),
            (nil, [.init(.i420, 640, 480, FrameRate(15), FrameRate(25))], "640x480@25 I420"),
            (nil, [.init(.i420, 640, 480, FrameRate(60), FrameRate(120))], "640x480@60 I420"),
            (nil, [.init(.i420, 640, 480, FrameRate(25), FrameRate(35))], "640x480@35 I420"),
            (nil, [.init(.i420, 640, 480, .ntsc, FrameRate(30))], "640x480@30 I420"),
            (nil, [.init(.i420, 640, 480, upTo: FrameRate(60))], "640x480@30 I420"),
            (nil, [.init(.i420, 640, 480, upTo: FrameRate(20))], "640x480@20 I420"),
            // What was asked for, within a thousandth.
            (FrameRate(30), [.init(.i420, 640, 480, .ntsc)], "640x480@29.97 I420"),
            (.ntsc, [.init(.i420, 640, 480, FrameRate(30))], "640x480@30 I420"),
            (.ntsc, [.init(.i420, 640, 480, upTo: FrameRate(60))], "640x480@29.97 I420"),
            (FrameRate(15), [.init(.i420, 640, 480, FrameRate(30), FrameRate(15))], "640x480@15 I420"),
            (FrameRate(60), [.init(.i420, 640, 480)], "640x480@60 I420"),
            // A rate that is told goes before one that may be anything.
            (nil, [.init(.i420, 640, 480, .variable, FrameRate(120))], "640x480@120 I420"),
            (nil, [.init(.i420, 640, 480, .variable)], "640x480 I420"),
        ] as [(FrameRate?, [CaptureDevice.Format], String)])
    func reaches(_ rate: FrameRate?, in formats: [CaptureDevice.Format], format: String) throws {
        let device = CaptureDevice(id: "x", name: "X", deviceType: .test, provider: "test", formats: formats)
        #expect(try select(.vga640x480, rate: rate, on: device) == format)
        #expect(
            try select(.inputPriority, .init(width: 640, height: 480, frameRate: rate), on: device) == format)
    }

    @Test func letsARateDecideTheAdaptiveSize() throws {
        #expect(try select(.high, rate: FrameRate(60), on: webcam) == "1280x720@60 MJPG")
        #expect(try select(.photo, rate: FrameRate(30), on: webcam) == "1920x1080@30 MJPG")
        #expect(try select(.high, rate: FrameRate(5), on: webcam) == "1920x1080@5 YUY2")
    }

    @Test func refusesARateWithWhatThereIs() throws {
        let fixed = cameraError { () throws(CameraError) in
            try select(.vga640x480, rate: FrameRate(60), on: webcam)
        }
        #expect(fixed?.code == .formatUnsupported)
        #expect(fixed?.message.contains("60 fps") == true)
        #expect(fixed?.message.contains("at 640x480; choose one of its rates: 15, 30 fps") == true)
        let adaptive = cameraError { () throws(CameraError) in
            try select(.high, rate: FrameRate(240), on: webcam)
        }
        #expect(adaptive?.message.contains("5, 10, 15, 30, 60 fps") == true)
    }
}

@Suite struct FormatRequestSelectionTests {
    @Test(
        arguments: [
            (FormatRequest(width: 1280, height: 720), "1280x720@30 MJPG"),
            (FormatRequest(width: 1280, height: 720, frameRate: FrameRate(60)), "1280x720@60 MJPG"),
            (FormatRequest(width: 1280, height: 720, pixelFormat: .yuy2), "1280x720@10 YUY2"),
            (FormatRequest(width: 640, height: 480, pixelFormat: .mjpeg), "640x480@30 MJPG"),
        ] as [(FormatRequest, String)])
    func follows(_ request: FormatRequest, format: String) throws {
        #expect(try select(.inputPriority, request, on: webcam) == format)
    }

    @Test func putsTheRateOfTheRequestFirst() throws {
        let request = FormatRequest(width: 640, height: 480, frameRate: FrameRate(15))
        #expect(try select(.inputPriority, request, rate: FrameRate(30), on: webcam) == "640x480@15 YUY2")
    }

    @Test(
        arguments: [
            (FormatRequest(width: 800, height: 600), ["800x600", "Desk Cam", "2592x1944, 1920x1080"]),
            (
                FormatRequest(width: 640, height: 480, pixelFormat: .nv12),
                ["640x480 NV12", "choose one of YUY2, MJPG"]
            ),
            (
                FormatRequest(width: 640, height: 480, frameRate: FrameRate(7)),
                ["7 fps", "at 640x480", "15, 30 fps"]
            ),
            (
                FormatRequest(width: 1280, height: 720, frameRate: FrameRate(30), pixelFormat: .yuy2),
                ["30 fps", "at 1280x720", "10 fps"]
            ),
        ] as [(FormatRequest, [String])])
    func refusesWithWhatThereIs(_ request: FormatRequest, parts: [String]) throws {
        let error = try #require(
            cameraError { () throws(CameraError) in try select(.inputPriority, request, on: webcam) })
        #expect(error.code == .formatUnsupported)
        for part in parts { #expect(error.message.contains(part)) }
    }

    @Test func neverTakesWhatCannotBeCropped() throws {
        let nv16 = PixelFormat(rawValue: "NV16")
        let mixed = CaptureDevice(
            offering: .init(nv16, 1920, 1080, FrameRate(30)), .init(.uyvy, 640, 480, FrameRate(30)))
        #expect(try select(.photo, on: mixed) == "640x480@30 UYVY")
        let useless = CaptureDevice(offering: .init(nv16, 640, 480, FrameRate(30)))
        let error = cameraError { () throws(CameraError) in try select(.high, on: useless) }
        #expect(error?.code == .formatUnsupported)
        #expect(error?.message.contains("NV16") == true)
    }
}

@Suite struct UnknownFormatTests {
    @Test(arguments: [SessionPreset.photo, .high, .medium, .low, .inputPriority])
    func takesWhateverComes(_ preset: SessionPreset) throws {
        #expect(try select(preset, on: unknown) == nil)
    }

    @Test func refusesWhatCannotBePromised() {
        let fixed = cameraError { () throws(CameraError) in try select(.vga640x480, on: unknown) }
        #expect(fixed?.code == .presetUnsupported)
        #expect(fixed?.message.contains("preset vga640x480") == true)
        let request = FormatRequest(width: 640, height: 480)
        let explicit = cameraError { () throws(CameraError) in
            try select(.inputPriority, request, on: unknown)
        }
        #expect(explicit?.code == .formatUnsupported)
        let rate = cameraError { () throws(CameraError) in try select(.high, rate: FrameRate(60), on: unknown)
        }
        #expect(rate?.code == .formatUnsupported)
    }

    @Test func supportsTheAdaptivePresetsWithoutASize() {
        let supported = FormatSelection.presets(on: unknown).filter(\.isSupported)
        #expect(supported.map(\.preset) == [.photo, .high, .medium, .low, .inputPriority])
        #expect(supported.allSatisfy { $0.dimensions == nil })
    }
}

@Suite struct FormatScoreTests {
    /// Each row is better than the next, for 640×480 at 30 frames per second.
    static let ranking: [CaptureDevice.Format] = [
        .init(.i420, 640, 480, FrameRate(30)),
        .init(.i420, 640, 480, .ntsc),
        .init(.nv12, 640, 480, FrameRate(30)),
        .init(.yuy2, 640, 480, upTo: FrameRate(60)),
        .init(.uyvy, 640, 480, FrameRate(30)),
        .init(.bgrx, 640, 480, .ntsc),
        .init(.mjpeg, 640, 480, FrameRate(30)),
        .init(.gray8, 640, 480, FrameRate(30)),
        .init(.i420, 640, 480, FrameRate(25)),
        .init(.mjpeg, 640, 480, FrameRate(25)),
        .init(.i420, 640, 480, FrameRate(15)),
        .init(.i420, 640, 481, FrameRate(30)),
        .init(.i420, 320, 240, FrameRate(30)),
    ]

    @Test(arguments: 0..<ranking.count - 1)
    func ranks(_ index: Int) {
        let scores = Self.ranking.map {
            FormatScore($0, size: Dimensions(width: 640, height: 480), rate: FrameRate(30))
        }
        #expect(scores[index] < scores[index + 1])
        #expect(!(scores[index + 1] < scores[index]))
    }

    @Test func keepsTheOrderOfEquals() throws {
        let device = CaptureDevice(
            offering: .init(.i420, 640, 480, FrameRate(15), FrameRate(30)),
            .init(.i420, 640, 480, FrameRate(30)))
        #expect(try FormatSelection.select(for: .vga640x480, on: device)?.frameRate == FrameRate(30))
    }

    @Test func everyCroppableFormatHasItsOwnCost() {
        #expect(Set(PixelFormat.croppable).count == PixelFormat.croppable.count)
        #expect(PixelFormat.croppable.prefix(3) == [.i420, .nv12, .yuy2])
        #expect(PixelFormat(rawValue: "P010_10LE").conversionCost == nil)
        #expect(PixelFormat.mjpeg.isUsable)
    }
}

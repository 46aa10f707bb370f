import Foundation
import Testing

@testable import CameraCore

@Suite struct CaptureConfigurationTests {
    static let configurations = [
        CaptureConfiguration(),
        CaptureConfiguration(device: "test:ball", preset: .hd1280x720, frameRate: .ntsc),
        CaptureConfiguration(
            device: "usb:1",
            format: FormatRequest(width: 853, height: 479, frameRate: FrameRate(15, 2), pixelFormat: .mjpeg),
            zoom: Zoom(factor: 2.5, center: NormalizedPoint(x: 0.25, y: 0.1))),
    ]

    @Test(arguments: configurations) func survivesJSON(_ configuration: CaptureConfiguration) throws {
        let data = try JSONEncoder().encode(configuration)
        #expect(try JSONDecoder().decode(CaptureConfiguration.self, from: data) == configuration)
    }

    @Test(
        arguments: [
            ("{}", CaptureConfiguration()),
            (#"{"zoom":{}}"#, CaptureConfiguration()),
            (
                #"{"preset":"low","zoom":{"factor":2}}"#,
                CaptureConfiguration(preset: .low, zoom: Zoom(factor: 2))
            ),
            (
                #"{"format":{"width":640,"height":480}}"#,
                CaptureConfiguration(format: FormatRequest(width: 640, height: 480))
            ),
            (#"{"frameRate":"29.97"}"#, CaptureConfiguration(frameRate: .ntsc)),
        ] as [(String, CaptureConfiguration)])
    func fillsInDefaults(_ json: String, configuration: CaptureConfiguration) throws {
        #expect(try JSONDecoder().decode(CaptureConfiguration.self, from: Data(json.utf8)) == configuration)
    }

    @Test(
        arguments: [
            (#"{"zom":{}}"#, ["'zom'", "device, preset, format, frameRate, zoom"]),
            (#"{"zoom":{"faktor":2}}"#, ["'faktor'", "factor, center"]),
            (#"{"zoom":{"center":{"x":0,"y":0,"z":0}}}"#, ["'z'", "x, y"]),
            (
                #"{"format":{"width":1,"height":1,"fps":3}}"#,
                ["'fps'", "width, height, frameRate, pixelFormat"]
            ),
            (#"{"preset":"high","format":{"width":1,"height":1}}"#, ["preset high", "format"]),
            (#"{"frameRate":"fast"}"#, ["'fast'"]),
            (#"{"preset":"huge"}"#, ["huge"]),
        ] as [(String, [String])])
    func refuses(_ json: String, naming parts: [String]) {
        do {
            let configuration = try JSONDecoder().decode(CaptureConfiguration.self, from: Data(json.utf8))
            Issue.record("\(json) was read as \(configuration)")
        } catch DecodingError.dataCorrupted(let context) {
            for part in parts { #expect(context.debugDescription.contains(part)) }
        } catch {
            Issue.record("\(json) was refused with \(error)")
        }
    }

    @Test func aFormatAndAPresetExcludeEachOther() {
        let format = FormatRequest(width: 640, height: 480)
        var configuration = CaptureConfiguration(preset: .low, format: format)
        #expect(configuration.preset == .inputPriority)
        configuration.preset = .hd1280x720
        #expect(configuration.format == nil)
        configuration.format = format
        #expect(configuration.preset == .inputPriority)
        configuration.preset = .inputPriority
        #expect(configuration.format == format)
        configuration.format = nil
        #expect(configuration.preset == .inputPriority)
    }

    @Test func presetsAreSpelledAsTheCommandSpellsThem() {
        #expect(
            SessionPreset.allCases.map(\.rawValue) == [
                "cif352x288", "qvga320x240", "vga640x480", "qHD960x540", "hd1280x720", "hd1920x1080",
                "hd4K3840x2160", "iFrame960x540", "iFrame1280x720", "photo", "high", "medium", "low",
                "inputPriority",
            ])
        for preset in SessionPreset.allCases {
            guard let size = preset.fixedSize else { continue }
            #expect(preset.rawValue.hasSuffix("\(size)"))
        }
    }

    @Test(arguments: [(1, true), (85, true), (100, true), (0, false), (101, false), (-1, false)])
    func checksThePhotoQuality(_ quality: Int, isValid: Bool) {
        let settings = PhotoSettings(quality: quality)
        let error = cameraError { () throws(CameraError) in try settings.validate() }
        #expect((error == nil) == isValid)
        #expect(isValid || error?.code == .usage)
    }
}

@Suite struct CameraErrorTests {
    @Test func codesAreSpelledAsTheCommandSpellsThem() {
        #expect(
            CameraError.Code.allCases.map(\.rawValue) == [
                "usage", "unknown-command", "device-not-found", "no-device", "device-busy",
                "permission-denied",
                "device-lost", "device-stalled", "format-unsupported", "preset-unsupported",
                "zoom-out-of-range",
                "not-running", "photo-in-progress", "file-exists", "output-failed", "directory-unwritable",
                "disk-full", "write-failed", "missing-plugin", "pipeline-invalid", "timeout", "internal",
                "cancelled",
            ])
    }

    @Test func describesItsCause() {
        let cause = CameraError.Underlying(
            domain: "gst-resource-error-quark", code: 4, message: "Busy", debug: "v4l2.c")
        let error = CameraError(.deviceBusy, "Desk Cam is in use; close the other program", underlying: cause)
        #expect(
            error.description
                == "device-busy: Desk Cam is in use; close the other program "
                + "[gst-resource-error-quark 4: Busy (v4l2.c)]")
        #expect(CameraError(.timeout, "late").description == "timeout: late")
    }
}

import CameraCore
import Foundation
import Testing

@testable import CameraREPL

@Suite struct ReplyTests {
    private static let device = CaptureDevice(
        id: "usb:1-2", name: "Cam / 2", position: .front, deviceType: .external, provider: "v4l2",
        node: "/dev/video0",
        formats: [
            .init(
                pixelFormat: .yuy2, width: 640, height: 480,
                frameRates: [.init(FrameRate(30)), .init(minimum: FrameRate(1), maximum: FrameRate(60))])
        ],
        problem: "busy")

    private static let applied = AppliedConfiguration(
        configuration: CaptureConfiguration(device: "usb:1-2", preset: .vga640x480, zoom: Zoom(factor: 2)),
        device: device,
        format: ActiveFormat(pixelFormat: .yuy2, width: 640, height: 480, frameRate: FrameRate(30000, 1001)),
        zoom: 2, zoomRange: ZoomRange(maximum: 10),
        crop: CropRectangle(x: 160, y: 120, width: 320, height: 240),
        notices: ["as near as it gets"])

    @Test func describesADevice() throws {
        #expect(
            try Self.device.json(isDefault: true).line()
                == #"{"default":true,"formats":[{"format":"YUY2","framerates":["30/1","1/1-60/1"],"height":480,"#
                + #""width":640}],"id":"usb:1-2","name":"Cam / 2","node":"/dev/video0","position":"front","#
                + #""problem":"busy","provider":"v4l2","spectrum":"color","type":"external"}"#)
    }

    @Test(
        arguments: [
            (CaptureDevice.Spectrum.color, "up to 640x480", nil), (.gray, "up to 640x480, gray", "gray"),
            (.infrared, "up to 640x480, infrared", "infrared"),
        ] as [(CaptureDevice.Spectrum, String, String?)])
    func marksACameraThatSeesNoColours(_ spectrum: CaptureDevice.Spectrum, summary: String, line: String?)
        throws
    {
        let device = CaptureDevice(
            id: "usb:1-2", name: "Cam", deviceType: .external, spectrum: spectrum, provider: "v4l2",
            formats: Self.device.formats)
        #expect(device.summary == summary)
        #expect(device.text.contains("spectrum") == (line != nil))
        if let line { #expect(device.text.contains("spectrum  \(line)\n")) }
        #expect(try device.json(isDefault: false).line().contains("\"spectrum\":\"\(spectrum.rawValue)\""))
    }

    @Test func describesTheFormatAsNegotiated() throws {
        let reply = Self.applied.formatReply
        #expect(
            try reply.data.line()
                == #"{"format":"YUY2","framerate":"30000/1001","height":480,"preset":"vga640x480","width":640}"#
        )
        #expect(reply.notices == ["as near as it gets"])
        #expect(reply.text == "preset     vga640x480\nformat     YUY2\nsize       640x480\nframerate  29.97")
    }

    @Test func describesTheZoom() throws {
        #expect(
            try Self.applied.zoomReply.data.line()
                == #"{"crop":{"height":240,"width":320,"x":160,"y":120},"maximum":10,"minimum":1,"zoom":2}"#)
    }

    @Test func describesPresets() throws {
        let fixed = PresetSupport(
            preset: .qvga320x240, dimensions: Dimensions(width: 320, height: 240), isSupported: false)
        #expect(
            try fixed.json.line() == #"{"height":240,"name":"qvga320x240","supported":false,"width":320}"#)
        let open = PresetSupport(preset: .photo, dimensions: nil, isSupported: true)
        #expect(try open.json.line() == #"{"name":"photo","supported":true}"#)
    }

    @Test func describesOutputs() throws {
        let outputs = [
            OutputStatus(name: "a", state: .available),
            OutputStatus(name: "b", state: .failed, error: CameraError(.diskFull, "no room"), frames: 3),
        ]
        #expect(
            try outputs.reply().data.line()
                == #"[{"frames":0,"name":"a","state":"available"},"#
                + #"{"error":{"code":"disk-full","message":"no room"},"frames":3,"name":"b","state":"failed"}]"#
        )
        #expect(outputs.reply().text == "a  available\nb  failed     3 frames\n     no room")
    }

    @Test func saysWhatARemovedOutputLeft() throws {
        let outputs = [OutputStatus(name: "a", state: .available)]
        let files = [1, 2, 3].map { URL(fileURLWithPath: "/x/\($0)") }
        func reply(_ state: OutputStatus.State, _ count: Int) -> Reply {
            let error = state == .failed ? CameraError(.diskFull, "no room") : nil
            return outputs.reply(
                removed: OutputStatus(
                    name: "a", state: state, error: error, frames: 3, files: Array(files.prefix(count))))
        }
        #expect(
            try reply(.failed, 1).data.line() == #"[{"frames":0,"name":"a","removed":{"error":"#
                + #"{"code":"disk-full","message":"no room"},"files":["/x/1"],"frames":3,"state":"failed"},"#
                + #""state":"available"}]"#)
        #expect(reply(.failed, 0).notices == ["output a had failed (disk-full); it left no file"])
        #expect(reply(.failed, 1).notices == ["output a had failed (disk-full); /x/1 is left"])
        #expect(reply(.failed, 3).notices.first?.contains("3 files are left, /x/1 to /x/3") == true)
        #expect(reply(.ended, 1).notices == ["output a has ended; /x/1 is left"])
        #expect(reply(.ended, 0).notices.isEmpty)
        let ended = try reply(.ended, 0).data.line()
        #expect(ended.contains(#""removed":{"files":[],"frames":3,"state":"ended"}"#))
    }

    @Test func tellsTheWholeStatus() throws {
        let status = CameraStatus(
            state: .interrupted(CameraError(.deviceLost, "gone")), configuration: Self.applied.configuration,
            device: Self.device, format: Self.applied.format, zoom: 2, crop: Self.applied.crop,
            measuredFrameRate: 29.97,
            delivered: 5, dropped: .init(late: 1, outOfBuffers: 2, discontinuity: 3), damaged: 6, photos: 4,
            uptime: .milliseconds(1500))
        #expect(
            try status.json.line()
                == #"{"crop":{"height":240,"width":320,"x":160,"y":120},"device":"usb:1-2","#
                + #""error":{"code":"device-lost","message":"gone"},"format":"YUY2","framerate":"30000/1001","#
                + #""frames":{"damaged":6,"delivered":5,"dropped":{"discontinuity":3,"late":1,"out_of_buffers":2}},"height":480,"#
                + #""measured_framerate":29.97,"outputs":[],"photos":4,"preset":"vga640x480","state":"interrupted","#
                + #""uptime_s":1.5,"width":640,"zoom":2,"zoom_maximum":10,"zoom_minimum":1}"#)
        #expect(status.text.contains("reason    gone"))
    }

    @Test func keepsEveryKeyOfAnUnusedCamera() throws {
        let line = try CameraStatus().json.line()
        for key in ["device", "format", "width", "height", "framerate", "crop"] {
            #expect(line.contains("\"\(key)\":null"))
        }
    }

    @Test func wrapsAnswers() throws {
        let success = Answer(command: "zoom", result: .success(Reply(data: [:], text: "", notices: ["so"])))
        #expect(try success.json.line() == #"{"command":"zoom","data":{},"notices":["so"],"ok":true}"#)
        let error = CameraError(.zoomOutOfRange, "too \"far\"\n")
        let failure = Answer(
            command: "zoom", result: .failure(error), place: Place(source: "x.camera", line: 3))
        #expect(
            try failure.json.line()
                == #"{"command":"zoom","error":{"at":"x.camera:3","code":"zoom-out-of-range","#
                + #""message":"too \"far\"\n"},"ok":false}"#)
    }

    @Test(arguments: [
        (CameraError.Code.usage, Int32(2)), (.unknownCommand, 2), (.zoomOutOfRange, 1),
        (.presetUnsupported, 1),
        (.deviceNotFound, 1), (.internal, 1), (.fileExists, 1),
    ])
    func choosesTheExitStatus(code: CameraError.Code, status: Int32) {
        #expect(CameraError(code, "x").exitStatus == status)
    }

    @Test func writesOnlyRealNumbers() throws {
        #expect(
            try JSONValue.array([.number(.infinity), .number(.nan), .number(0.5)]).line() == "[null,null,0.5]"
        )
    }

    @Test func alignsTables() {
        var table = TextTable()
        table.add("a", "bb", "")
        table.add("ccc", "d", "e")
        #expect(table.text == "a    bb\nccc  d   e")
    }

    @Test func keepsNotesOutOfTheColumns() {
        var table = TextTable()
        table.add("a", "bb", "c")
        table.note("a long story\nin two lines ")
        table.add("ccc", "d", "e")
        #expect(table.text == "a    bb  c\n     a long story in two lines\nccc  d   e")
    }

    @Test func wrapsText() {
        #expect("one two three".wrapped(to: 7) == "one two\nthree")
        #expect("unbreakable".wrapped(to: 3) == "unbreakable")
    }
}

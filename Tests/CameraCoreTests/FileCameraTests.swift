import Foundation
import Glibc
import Testing

@testable import CameraCore

extension CameraTests {
    /// Cameras that are described by files, good and bad ones, and what is told when a camera cannot or does not go on.
    @Suite struct FileCameraTests {
        @Test func fileCamerasAreListedWithTheirFormats() async throws {
            try await withCamera { camera in
                let devices = try await camera.devices()
                #expect(devices.prefix(2).map(\.id) == ["test:bars", "test:ball"])
                let odd = try #require(devices.first { $0.id == "file:odd-853x479" })
                #expect(odd.name == "Odd camera 853×479")
                #expect(odd.position == .external && odd.deviceType == .file && odd.problem == nil)
                #expect(odd.formats.map(\.dimensions) == [Dimensions(width: 853, height: 479)])
                let several = try #require(devices.first { $0.id == "file:several-sizes" })
                #expect(several.formats.map(\.width) == [640, 1280, 1920])
                let jpeg = try #require(devices.first { $0.id == "file:mjpeg-1280x720" })
                #expect(jpeg.formats.map(\.pixelFormat) == [.mjpeg])
                #expect(camera.status.state == .stopped)
            }
        }

        @Test(arguments: [
            ("syntax", "videotestsrc ! ! broken", CameraError.Code.pipelineInvalid),
            ("element", "nosuchelement1 ! video/x-raw,width=640,height=480", .missingPlugin),
            ("property", "videotestsrc nosuchproperty=1", .pipelineInvalid),
            ("no-pad", "videotestsrc ! fakesink", .pipelineInvalid),
            ("empty", "# name: nothing", .pipelineInvalid),
            ("bytes", "\u{0}", .pipelineInvalid),
            ("unset", "videotestsrc pattern=${CAMERA_NOWHERE}", .pipelineInvalid),
            ("caps", "video/x-raw ! videoconvert", .pipelineInvalid),
            ("two", "videotestsrc ! tee name=t ! queue  t. ! queue", .pipelineInvalid),
            ("no-source", "videoconvert ! video/x-raw,width=320,height=240", .pipelineInvalid),
        ])
        func aBrokenFileIsListedAndRefused(_ name: String, _ text: String, _ code: CameraError.Code)
            async throws
        {
            try await withFolder { folder in
                try write(text, "sources", name, in: folder)
                try await withCamera("test:bars", .qvga320x240, pipelines: folder) { camera in
                    let device = try #require(try await camera.devices().first { $0.id == "file:\(name)" })
                    let problem = try #require(device.problem)
                    #expect(problem.contains("\(name).launch"), "\(problem)")
                    var frames = try await camera.frames().makeAsyncIterator()
                    let before = try await frames.required()
                    let error = await error { try await camera.selectDevice("file:\(name)") }
                    #expect(error?.code == code, "\(String(describing: error))")
                    #expect(camera.status.device?.id == "test:bars" && camera.status.state == .running)
                    #expect(try await frames.take(3).sequence > before.sequence)
                }
            }
        }

        @Test func whatIsNoFileOfTextIsListedAndRefused() async throws {
            try await withFolder { folder in
                let sources = folder.appendingPathComponent("sources")
                try FileManager.default.createDirectory(
                    at: sources.appendingPathComponent("folder.launch"), withIntermediateDirectories: true)
                #expect(mkfifo(sources.appendingPathComponent("pipe.launch").path, 0o600) == 0)
                try FileManager.default.createSymbolicLink(
                    atPath: sources.appendingPathComponent("link.launch").path, withDestinationPath: "nowhere"
                )
                try Data([0xFF]).write(to: sources.appendingPathComponent("binary.launch"))
                try await withCamera(pipelines: folder) { camera in
                    let problems = try await camera.devices(types: [.file]).map(\.problem)
                    let parts = ["is not UTF-8 text", "is a folder", "No such file", "is a device or a pipe"]
                    #expect(problems.count == parts.count)
                    for (problem, part) in zip(problems, parts) {
                        #expect(problem?.contains(part) ?? false, "\(problem ?? "")")
                    }
                    let error = await error { try await camera.selectDevice("file:folder") }
                    #expect(error?.code == .pipelineInvalid)
                    #expect(error?.message.contains("folder.launch is a folder") ?? false)
                }
            }
        }

        @Test func aHeaderWithAMistakeIsTold() async throws {
            try await withFolder { folder in
                let text =
                    "\r\n# position: left\r\nvideotestsrc ! video/x-raw,format=I420,width=320,height=240"
                try write(text, "sources", "mistaken", in: folder)
                try write("# nmae: x\nfakesink", "outputs", "mistaken", in: folder)
                try await withCamera("test:bars", .qvga320x240, pipelines: folder) { camera in
                    let notice =
                        "\(folder.path)/sources/mistaken.launch:2: 'left' is not a position; "
                        + "write front, back or external"
                    #expect(await camera.deviceNotices() == [notice])
                    let chosen = try await camera.selectDevice("file:mistaken")
                    #expect(chosen.notices == [notice])
                    let changed = try await camera.setPreset(.high)
                    #expect(changed.notices == [], "once is enough")
                    #expect(
                        await camera.outputNotices().map { $0.contains("mistaken.launch:1: 'nmae'") } == [
                            true
                        ])
                }
            }
        }

        @Test func aFolderThatCannotBeListedIsTold() async throws {
            try await withFolder { folder in
                for kind in ["sources", "outputs"] {
                    try Data().write(to: folder.appendingPathComponent(kind))
                }
                try await withCamera(pipelines: folder) { camera in
                    let devices = try await camera.devices()
                    #expect(devices.map(\.id) == ["test:bars", "test:ball"])
                    let sources = "the folder \(folder.path)/sources cannot be read: Not a directory"
                    #expect(await camera.deviceNotices().map { $0.hasPrefix(sources) } == [true])
                    let camera1 = await error { _ = try await camera.device(matching: "file:x") }
                    let camera2 = await error { try await camera.selectDevice("file:x") }
                    for error in [camera1, camera2] {
                        #expect(error?.code == .deviceNotFound && error?.message.contains(sources) ?? false)
                    }
                    let outputs = "the folder \(folder.path)/outputs cannot be read: Not a directory"
                    #expect(await camera.outputNotices().map { $0.hasPrefix(outputs) } == [true])
                    let output = await error { try await camera.addOutput("x") }
                    #expect(output?.code == .outputFailed && output?.message.contains(outputs) ?? false)
                }
            }
            try await withFolder { folder in
                try await withCamera(pipelines: folder) { camera in
                    #expect(await camera.deviceNotices() + camera.outputNotices() == [], "none need be there")
                }
            }
        }

        @Test func aCameraThatDoesNotExist() async throws {
            try await withCamera("test:bars", .qvga320x240) { camera in
                var frames = try await camera.frames().makeAsyncIterator()
                _ = try await frames.required()
                let error = await error { try await camera.selectDevice("file:nowhere") }
                #expect(error?.code == .deviceNotFound)
                #expect(error?.message.contains("file:nowhere") ?? false)
                _ = try await frames.required()
                #expect(camera.status.device?.id == "test:bars")
            }
        }

        @Test func whatIsRefusedChangesNothing() async throws {
            try await withCamera("file:only-1920x1080") { camera in
                var frames = try await camera.frames().makeAsyncIterator()
                _ = try await frames.required()
                let preset = await error { try await camera.setPreset(.vga640x480) }
                #expect(preset?.code == .presetUnsupported)
                #expect(preset?.message.contains("1920x1080") ?? false)
                let format = await error {
                    try await camera.setFormat(FormatRequest(width: 800, height: 600))
                }
                #expect(format?.code == .formatUnsupported)
                for factor in [0.5, 14, .nan, -.infinity] {
                    let zoom = await error { try await camera.setZoom(factor) }
                    #expect(zoom?.code == .zoomOutOfRange)
                    #expect(zoom?.message.contains("1 to 10") ?? false, "\(zoom?.message ?? "")")
                }
                let frame = try await frames.take(3)
                #expect(frame.width == 1920)
                #expect(camera.status.state == .running && camera.status.zoom == 1)
                #expect(camera.status.configuration.preset == .high)
            }
        }

        @Test func anotherCameraStartsWithoutZoomAndWithTheNearestPreset() async throws {
            try await withCamera("test:bars", .hd1280x720) { camera in
                try await camera.start()
                try await camera.setZoom(4)
                let applied = try await camera.selectDevice("file:several-sizes")
                #expect(applied.zoom == 1 && camera.status.zoom == 1)
                #expect(applied.crop == CropRectangle(full: applied.format.dimensions))
                #expect(applied.format.width == 1280 && applied.notices.isEmpty)
                let odd = try await camera.selectDevice("file:odd-853x479")
                #expect(odd.format.dimensions == Dimensions(width: 853, height: 479))
                #expect(odd.notices.count == 1, "\(odd.notices)")
            }
        }

        @Test func aRateThatIsAFractionCanBeAskedForInBothWays() async throws {
            for rate in [FrameRate(30), FrameRate(2997, 100), FrameRate(30000, 1001)] {
                try await withCamera("file:fraction-30000-1001") { camera in
                    let request = FormatRequest(width: 640, height: 480, frameRate: rate)
                    try await camera.setFormat(request)
                    try await camera.start()
                    #expect(camera.status.format?.frameRate == FrameRate(30000, 1001), "\(rate)")
                    #expect(await camera.graph().contains("30000/1001"))
                }
            }
        }

        @Test func aCameraThatFailsIsLostAndCanStartAgain() async throws {
            try await withCamera("file:fails-after-60") { camera in
                var events = camera.events().makeAsyncIterator()
                var frames = try await camera.frames().makeAsyncIterator()
                let before = try await frames.required()
                let reason = try await events.first { event -> CameraError? in
                    if case .stateChanged(.interrupted(let error)) = event { error } else { nil }
                }
                #expect(reason.code == .deviceLost)
                #expect(reason.message.contains("Failing camera"), "\(reason.message)")
                #expect(camera.status.state.error?.code == .deviceLost)
                #expect(camera.status.measuredFrameRate == 0)
                try await camera.start()
                #expect(camera.status.state == .running)
                let after = try await frames.required()
                #expect(after.presentationTime > before.presentationTime)
                try await camera.selectDevice("test:bars")
                _ = try await frames.required()
            }
        }

        @Test func theEndOfACameraIsItsLoss() async throws {
            try await withFolder { folder in
                try write(
                    "videotestsrc num-buffers=20 ! video/x-raw,format=I420,width=320,height=240,framerate=30/1",
                    "sources", "short", in: folder)
                try await withCamera("file:short", pipelines: folder) { camera in
                    for _ in 0..<3 {
                        var events = camera.events().makeAsyncIterator()
                        try await camera.start()
                        let reason = try await events.first { event -> CameraError? in
                            if case .stateChanged(.interrupted(let error)) = event { error } else { nil }
                        }
                        #expect(reason.code == .deviceLost)
                    }
                    try await camera.stop()
                    #expect(camera.status.state == .stopped)
                }
            }
        }

        @Test func aSilentCameraIsReportedAndTheOldOneGoesOn() async throws {
            var deadlines = CaptureGraph.Deadlines()
            deadlines.frame = .seconds(1)
            try await withCamera("test:bars", .vga640x480, deadlines: deadlines) { camera in
                var frames = try await camera.frames().makeAsyncIterator()
                let before = try await frames.required()
                try await camera.setZoom(2)
                let error = await error { try await camera.selectDevice("file:never-delivers") }
                #expect(error?.code == .deviceStalled)
                #expect(error?.message.contains("Silent camera") ?? false)
                #expect(camera.status.device?.id == "test:bars" && camera.status.state == .running)
                #expect(camera.status.zoom == 2)
                #expect(try await frames.take(3).sequence > before.sequence)
            }
            try await withCamera("file:never-delivers", deadlines: deadlines) { camera in
                let error = await error { try await camera.start() }
                #expect(error?.code == .deviceStalled)
                try await camera.selectDevice("test:bars")
                try await camera.start()
                #expect(camera.status.state == .running)
            }
        }

        /// A file camera is not opened twice, so the change stops it first; a change that fails must bring it back.
        @Test func aCameraComesBackAfterAFailedChangeOfItsOwn() async throws {
            try await withFolder { folder in
                try write(
                    """
                    videotestsrc ! video/x-raw,format=I420,width=640,height=480,framerate=30/1
                    ! identity ! capsfilter caps="video/x-raw,format=I420,width=640,height=480,framerate=30/1;
                    video/x-raw,format=I420,width=320,height=240,framerate=30/1"
                    """, "sources", "liar", in: folder)
                try await withCamera("file:liar", pipelines: folder) { camera in
                    var frames = try await camera.frames().makeAsyncIterator()
                    #expect(try await frames.required().width == 640)
                    try await camera.setZoom(2)
                    let error = await error {
                        try await camera.setFormat(FormatRequest(width: 320, height: 240))
                    }
                    #expect(error != nil)
                    #expect(camera.status.state == .running)
                    #expect(camera.status.zoom == 2 && camera.status.format?.width == 640)
                    #expect(try await frames.take(3).width == 640)
                }
            }
        }
    }
}

import GStreamer

/// The two cameras that every machine has: `test:bars` at the back, and `test:ball`, which moves, at the front.
enum TestCameras {
    static let recipes = [
        recipe("test:bars", name: "Colour bars", position: .back, pattern: "smpte"),
        recipe("test:ball", name: "Moving ball", position: .front, pattern: "ball"),
    ]

    private static func recipe(
        _ id: String, name: String, position: CaptureDevice.Position, pattern: String
    ) -> SourceBranch.Recipe {
        let device = CaptureDevice(
            id: id, name: name, position: position, deviceType: .test, provider: "test", node: nil,
            formats: formats, problem: nil)
        return SourceBranch.Recipe(device: device, isShareable: true, adaptsExposure: false) {
            _ throws(GStreamerError) in
            let source = try Element("videotestsrc", name: "camera")
            try source.set("is-live", .bool(true))
            try source.set("pattern", .string(pattern))
            return source
        }
    }

    private static var formats: [CaptureDevice.Format] {
        let rates = CaptureDevice.FrameRateRange(minimum: FrameRate(1), maximum: FrameRate(60))
        let formats: [PixelFormat] = [.i420, .nv12, .yuy2, .bgrx]
        return SessionPreset.fixedSizes.flatMap { size in
            formats.map {
                CaptureDevice.Format(
                    pixelFormat: $0, width: size.width, height: size.height, frameRates: [rates])
            }
        }
    }
}

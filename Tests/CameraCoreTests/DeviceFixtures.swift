@testable import CameraCore

extension CaptureDevice.Format {
    /// A format that offers some single rates.
    init(_ pixelFormat: PixelFormat, _ width: Int, _ height: Int, _ rates: FrameRate...) {
        self.init(
            pixelFormat: pixelFormat, width: width, height: height,
            frameRates: rates.map { CaptureDevice.FrameRateRange($0) })
    }

    /// A format that offers every rate up to a highest one.
    init(_ pixelFormat: PixelFormat, _ width: Int, _ height: Int, upTo rate: FrameRate) {
        let range = CaptureDevice.FrameRateRange(minimum: .variable, maximum: rate)
        self.init(pixelFormat: pixelFormat, width: width, height: height, frameRates: [range])
    }
}

extension CaptureDevice {
    /// A camera that matters for its formats only.
    init(offering formats: Format...) {
        self.init(id: "usb:1", name: "Desk Cam", deviceType: .external, provider: "v4l2", formats: formats)
    }

    /// A camera that matters for its identity only.
    init(
        _ id: String,
        _ name: String,
        _ type: DeviceType,
        _ position: Position = .unspecified,
        node: String? = nil,
        problem: String? = nil
    ) {
        self.init(
            id: id, name: name, position: position, deviceType: type, provider: "v4l2", node: node,
            problem: problem)
    }
}

extension FrameRate {
    static let ntsc = FrameRate(30000, 1001)
    static let film = FrameRate(24000, 1001)
}

/// The error that a call throws, or `nil` when it throws none.
func cameraError<Value>(_ body: () throws(CameraError) -> Value) -> CameraError? {
    do throws(CameraError) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

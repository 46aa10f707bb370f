@testable import CameraCore

/// One question to the chooser: what a camera says of itself, usual or absurd, and what is wanted of it.
struct ChooserCase: Sendable {
    let device: CaptureDevice
    let wish: CaptureConfiguration

    init(_ random: inout SplitMix, id: CaptureDevice.ID = "usb:1") {
        var formats: [CaptureDevice.Format] = []
        for _ in 0..<Int.random(in: 0...8, using: &random) {
            if Int.random(in: 0..<8, using: &random) == 0, let again = formats.randomElement(using: &random) {
                formats.append(again)
            } else {
                formats.append(Self.format(&random))
            }
        }
        device = CaptureDevice(
            id: id, name: "Desk Cam", deviceType: .external, provider: "v4l2", formats: formats)
        wish = Self.wish(of: device, &random)
    }

    // MARK: What cameras say

    static let pixelFormats =
        [
            "I420", "NV12", "YUY2", "YUY2", "UYVY", "BGRx", "RGB", "GRAY8", "GRAY16_LE", "MJPG", "MJPG",
            "MJPG",
            "P010_10LE", "NV16", "bggr", "H264", "", "i420", "\u{0}", "Ünknown",
        ].map(PixelFormat.init(rawValue:))

    static let sizes =
        SessionPreset.fixedSizes
        + [
            (160, 120), (480, 360), (800, 600), (853, 479), (1366, 768), (1600, 1200), (2592, 1944),
            (1080, 1920),
            (0, 0), (0, 480), (640, 0), (-640, 480), (1, 1), (2, 4000), (31, 33), (65_535, 65_535),
            (Int(Int32.max), 1), (Int.max, Int.max), (Int.max, 1), (Int.min, Int.min),
        ].map { Dimensions(width: $0.0, height: $0.1) }

    static let rates = [
        FrameRate(30), FrameRate(30), .ntsc, .film, FrameRate(24), FrameRate(25), FrameRate(15),
        FrameRate(10),
        FrameRate(5), FrameRate(15, 2), FrameRate(60), FrameRate(60_000, 1001), FrameRate(120),
        FrameRate(240),
        FrameRate(2997, 100), FrameRate(61_612, 513), FrameRate(1, 10), FrameRate(1000), .variable,
        FrameRate(1, .max), FrameRate(.max), FrameRate(.max, .max - 1), FrameRate(Int(Int32.max)),
    ]

    private static func rate(_ random: inout SplitMix) -> FrameRate {
        if Int.random(in: 0..<8, using: &random) == 0 {
            return FrameRate(.random(in: 0...100_000, using: &random), .random(in: 1...2000, using: &random))
        }
        return rates[Int.random(in: 0..<rates.count, using: &random)]
    }

    private static func size(_ random: inout SplitMix) -> Dimensions {
        if Int.random(in: 0..<16, using: &random) == 0 {
            return Dimensions(
                width: .random(in: -10...5000, using: &random),
                height: .random(in: -10...5000, using: &random))
        }
        return sizes[Int.random(in: 0..<sizes.count, using: &random)]
    }

    private static func format(_ random: inout SplitMix) -> CaptureDevice.Format {
        let size = size(&random)
        // Ends in either order: which is the lower one is the range's own business.
        let ranges = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            Bool.random(using: &random)
                ? CaptureDevice.FrameRateRange(rate(&random))
                : CaptureDevice.FrameRateRange(minimum: rate(&random), maximum: rate(&random))
        }
        return CaptureDevice.Format(
            pixelFormat: pixelFormats[Int.random(in: 0..<pixelFormats.count, using: &random)],
            width: size.width, height: size.height, frameRates: ranges)
    }

    // MARK: What people want

    private static func wish(of device: CaptureDevice, _ random: inout SplitMix) -> CaptureConfiguration {
        let preset = SessionPreset.allCases[Int.random(in: 0..<SessionPreset.allCases.count, using: &random)]
        var request: FormatRequest?
        if Int.random(in: 0..<3, using: &random) == 0 { request = self.request(of: device, &random) }
        return CaptureConfiguration(
            device: device.id, preset: preset, format: request,
            frameRate: Int.random(in: 0..<3, using: &random) == 0 ? rate(&random) : nil,
            zoom: zoom(&random))
    }

    private static func request(of device: CaptureDevice, _ random: inout SplitMix) -> FormatRequest {
        let offered = device.formats.randomElement(using: &random)
        let size = Bool.random(using: &random) ? offered?.dimensions : nil
        var request = FormatRequest(width: 0, height: 0)
        (request.width, request.height) = { ($0.width, $0.height) }(size ?? self.size(&random))
        switch Int.random(in: 0..<3, using: &random) {
        case 0: request.frameRate = rate(&random)
        case 1: request.frameRate = offered?.frameRates.randomElement(using: &random)?.maximum
        default: break
        }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: request.pixelFormat = pixelFormats[Int.random(in: 0..<pixelFormats.count, using: &random)]
        case 1: request.pixelFormat = offered?.pixelFormat
        default: break
        }
        return request
    }

    private static let numbers: [Double] = [
        1, 1.5, 2, 3, 10, 10.000001, 14, 0.999, 0.5, 0, -0.0, -1, .nan, .infinity, -.infinity, 1e300, -1e300,
        .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    ]

    private static func zoom(_ random: inout SplitMix) -> Zoom {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return Zoom()
        case 1:
            func any() -> Double { numbers[Int.random(in: 0..<numbers.count, using: &random)] }
            return Zoom(factor: any(), center: NormalizedPoint(x: any(), y: any()))
        default:
            return Zoom(
                factor: .random(in: 1...10, using: &random),
                center: NormalizedPoint(
                    x: .random(in: 0...1, using: &random), y: .random(in: 0...1, using: &random)))
        }
    }
}

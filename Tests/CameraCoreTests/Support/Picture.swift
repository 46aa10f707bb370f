import CameraCore
import Foundation
import GStreamer

/// A pixel's red, green and blue, each from 0 to 255.
struct Color: Hashable, Sendable, CustomStringConvertible {
    var red: Int
    var green: Int
    var blue: Int

    /// The largest difference of a channel.
    func distance(to other: Color) -> Int {
        max(abs(red - other.red), abs(green - other.green), abs(blue - other.blue))
    }

    var description: String { "(\(red), \(green), \(blue))" }
}

/// Pixels in RGB, however they came about.
struct Picture: Sendable {
    let width: Int
    let height: Int
    private let stride: Int
    private let bytes: [UInt8]

    var size: Dimensions { Dimensions(width: width, height: height) }

    subscript(x: Int, y: Int) -> Color {
        let offset = y * stride + x * 3
        return Color(red: Int(bytes[offset]), green: Int(bytes[offset + 1]), blue: Int(bytes[offset + 2]))
    }

    /// The pixel that a point of the picture lies in; points outside belong to the nearest pixel.
    func pixel(_ x: Double, _ y: Double) -> Color {
        self[min(max(Int(x), 0), width - 1), min(max(Int(y), 0), height - 1)]
    }

    /// The mean colour of the pixels of a grid.
    var average: Color {
        var (red, green, blue, count) = (0, 0, 0, 0)
        for y in Swift.stride(from: 0, to: height, by: max(1, height / 60)) {
            for x in Swift.stride(from: 0, to: width, by: max(1, width / 80)) {
                let color = self[x, y]
                red += color.red
                green += color.green
                blue += color.blue
                count += 1
            }
        }
        return Color(red: red / count, green: green / count, blue: blue / count)
    }
}

// Where pictures come from. None of these ways goes through the code that is tested.
extension Picture {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A JPEG file's picture, decoded by a pipeline of its own.
    init(jpeg file: URL) throws {
        try GStreamer.initialize()
        let source = try Element("filesrc")
        try source.set("location", .string(file.path))
        try self.init(from: [source, try Element("jpegdec")], what: file.path)
    }

    /// One frame of a test pattern, drawn by a pipeline of its own.
    init(pattern: String, size: Dimensions, format: String = "I420") throws {
        try GStreamer.initialize()
        let drawing = try Bin(
            description: "videotestsrc num-buffers=1 pattern=\(pattern) "
                + "! video/x-raw,format=\(format),width=\(size.width),height=\(size.height),framerate=30/1")
        try self.init(from: [drawing], what: pattern)
    }

    /// A frame of the preview.
    init(_ frame: CameraCore.VideoFrame) throws {
        let rgb = frame.format == .rgb ? frame : try frame.converted(to: .rgb)
        let (bytes, stride) = try rgb.withPlane(0) { bytes, stride in
            (bytes.withUnsafeBytes { Array($0) }, stride)
        }
        self.init(width: rgb.width, height: rgb.height, stride: stride, bytes: bytes)
    }

    private init(from elements: [Element], what: String) throws {
        let pipeline = try Pipeline(name: "picture")
        let pixels = Caps(Caps.Structure("video/x-raw", ["format": .string("RGB")]))
        let sink = try AppSink(name: "pixels", caps: pixels)
        let row = elements + [try Element("videoconvert"), sink]
        for element in row { try pipeline.add(element) }
        for (element, next) in zip(row, row.dropFirst()) { try element.link(to: next) }
        try pipeline.setState(.playing)
        let sample = sink.pull(timeout: ClockTime(seconds: 30))
        try pipeline.setState(.null)
        guard let sample, let caps = sample.caps, let info = VideoInfo(caps) else {
            throw Failure(description: "\(what) gives no picture")
        }
        let (bytes, stride) = try sample.withVideoFrame(info) { frame in
            frame.withPlane(0) { bytes, stride in (bytes.withUnsafeBytes { Array($0) }, stride) }
        }
        self.init(width: info.width, height: info.height, stride: stride, bytes: bytes)
    }
}

/// What a JPEG file says of itself, read from its markers.
struct JPEGHeader {
    struct Component: Equatable {
        let id: UInt8
        let horizontal: Int
        let vertical: Int
    }

    private(set) var width = 0
    private(set) var height = 0
    private(set) var components: [Component] = []
    private(set) var markers: [UInt8] = []

    /// Whether the file is three components, of which the second and third have half the lines and columns.
    var isYCbCr420: Bool {
        components.map { [$0.horizontal, $0.vertical] } == [[2, 2], [1, 1], [1, 1]]
            && components.map(\.id) != [82, 71, 66]
    }

    init(_ file: URL) throws {
        let bytes = [UInt8](try Data(contentsOf: file))
        var position = 2
        while position + 4 <= bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            markers.append(marker)
            if marker == 0xDA { return }
            if (0xC0...0xC2).contains(marker) {
                height = Int(bytes[position + 5]) << 8 | Int(bytes[position + 6])
                width = Int(bytes[position + 7]) << 8 | Int(bytes[position + 8])
                for index in 0..<Int(bytes[position + 9]) {
                    let start = position + 10 + 3 * index
                    components.append(
                        Component(
                            id: bytes[start], horizontal: Int(bytes[start + 1] >> 4),
                            vertical: Int(bytes[start + 1] & 15)))
                }
            }
            position += 2 + (Int(bytes[position + 2]) << 8 | Int(bytes[position + 3]))
        }
        throw Picture.Failure(description: "\(file.path) has no start of scan")
    }
}

extension Picture {
    /// Whether the picture has the SMPTE bars of the test pattern: white at the left, blue at the right, above the
    /// lower bars all the way.
    var isBars: Bool {
        [height / 20, height / 3, height * 6 / 10].allSatisfy { y in
            let (left, right) = (self[width / 14, y], self[width * 13 / 14, y])
            return left.red > 150 && left.green > 150 && left.blue > 150 && right.blue > 150 && right.red < 60
                && right.green < 60
        }
    }
}

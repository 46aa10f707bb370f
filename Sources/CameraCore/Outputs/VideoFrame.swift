import FoundationEssentials
import GStreamer

/// A frame of the preview. It can be kept; while it is, the memory that the camera wrote it to is not reused.
///
/// Keep few: a driver has a handful of such buffers, and stops when the last is taken.
public final class VideoFrame: Sendable {
    /// 1 for the first frame that came to this stream, then counting, also those that were dropped for being late.
    public let sequence: Int
    /// When the frame was captured, in seconds of the session's running time.
    public let presentationTime: Double
    /// Pixels a line.
    public var width: Int { info.width }
    /// Lines.
    public var height: Int { info.height }
    /// The layout of the pixels.
    public var format: PixelFormat { PixelFormat(rawValue: info.format) }
    /// The number of bytes in the frame's memory, padding included.
    public var byteCount: Int { sample.byteCount }

    private let sample: Sample
    private let info: VideoInfo

    init(_ sample: Sample, info: VideoInfo, sequence: Int, presentationTime: Double) {
        self.sample = sample
        self.info = info
        self.sequence = sequence
        self.presentationTime = presentationTime
    }

    /// The number of planes: 1 for BGRx, 2 for NV12, 3 for I420.
    ///
    /// - Throws: ``CameraError`` with the code `internal` when the memory cannot be mapped.
    public var planeCount: Int { get throws(CameraError) { try map { $0.planeCount } } }

    /// Bytes from one line to the next, for each plane.
    ///
    /// - Throws: ``CameraError`` with the code `internal` when the memory cannot be mapped.
    public var strides: [Int] {
        get throws(CameraError) { try map { frame in (0..<frame.planeCount).map { frame.stride($0) } } }
    }

    /// Calls `body` with the bytes of one plane, where they lie: nothing is copied.
    ///
    /// - Parameters:
    ///   - plane: 0 or more, below ``planeCount``.
    ///   - body: gets the bytes, valid only during the call, and the stride: the bytes from one line to the next, which
    ///     can be more than the width takes.
    /// - Throws: ``CameraError`` with the code `internal` for a plane that does not exist or memory that cannot be
    ///   mapped.
    public func withPlane<Result>(
        _ plane: Int, _ body: (_ bytes: RawSpan, _ stride: Int) throws(CameraError) -> Result
    ) throws(CameraError) -> Result {
        try map { frame throws(CameraError) in
            guard (0..<frame.planeCount).contains(plane) else {
                throw CameraError(
                    .internal, "a frame in \(format) has \(frame.planeCount) planes; there is no \(plane)")
            }
            do { return try frame.withPlane(plane, body) } catch let error as CameraError {
                throw error
            } catch {
                throw CameraError(.internal, "\(error)")
            }
        }
    }

    private func map<Result>(
        _ body: (borrowing MappedVideoFrame) throws(CameraError) -> Result
    ) throws(CameraError) -> Result {
        do { return try sample.withVideoFrame(info, body) } catch let error as CameraError {
            throw error
        } catch {
            throw CameraError(.internal, "the frame cannot be read: \(error)")
        }
    }

    // MARK: Conversions

    /// The frame in another pixel format or size, by GStreamer's converters. **Blocks** while they work.
    ///
    /// - Throws: ``CameraError`` with the code `format-unsupported`.
    public func converted(to format: PixelFormat, size: Dimensions? = nil) throws(CameraError) -> VideoFrame {
        let size = size ?? Dimensions(width: width, height: height)
        let caps = Caps(
            Caps.Structure(
                "video/x-raw",
                [
                    "format": .string(format.rawValue), "width": .int(size.width),
                    "height": .int(size.height),
                    "pixel-aspect-ratio": .fraction(1, 1),
                ]))
        let converted = try convert(to: caps, named: "\(size) \(format)")
        guard let caps = converted.caps, let info = VideoInfo(caps) else {
            throw CameraError(.formatUnsupported, "GStreamer does not know the pixel format \(format)")
        }
        return VideoFrame(converted, info: info, sequence: sequence, presentationTime: presentationTime)
    }

    /// The frame as a PNG file's contents. **Blocks** while it is compressed.
    ///
    /// - Throws: ``CameraError`` with the code `missing-plugin` when GStreamer's png plugin is not there.
    public func pngData() throws(CameraError) -> Data {
        guard Element.isAvailable("pngenc") else {
            throw CameraError(
                .missingPlugin,
                "PNG files need the GStreamer element 'pngenc'; install gstreamer1.0-plugins-good")
        }
        let picture = try convert(to: Caps(Caps.Structure("image/png")), named: "PNG")
        do {
            return try picture.withBytes { bytes in bytes.withUnsafeBytes { Data($0) } }
        } catch {
            throw CameraError(.internal, "the PNG cannot be read: \(error)")
        }
    }

    private func convert(to caps: Caps, named name: String) throws(CameraError) -> Sample {
        do throws(GStreamerError) {
            return try sample.converted(to: caps, timeout: ClockTime(seconds: 30))
        } catch {
            throw CameraError(error, in: "converting a frame to \(name)", otherwise: .formatUnsupported)
        }
    }

    /// The mean colour, each channel from 0 to 255, over a grid of at most 512 × 512 of the frame's pixels.
    ///
    /// - Throws: as ``converted(to:size:)``.
    public func averageColor() throws(CameraError) -> (red: Double, green: Double, blue: Double) {
        let picture = format == .bgrx ? self : try converted(to: .bgrx)
        let (width, height) = (width, height)
        return try picture.withPlane(0) { (bytes, stride) throws(CameraError) in
            let (stepX, stepY) = (max(1, width / 512), max(1, height / 512))
            var (red, green, blue, count) = (0, 0, 0, 0)
            for y in Swift.stride(from: stepY / 2, to: height, by: stepY) {
                for x in Swift.stride(from: stepX / 2, to: width, by: stepX) {
                    let offset = y * stride + x * 4
                    blue += Int(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
                    green += Int(bytes.unsafeLoad(fromByteOffset: offset + 1, as: UInt8.self))
                    red += Int(bytes.unsafeLoad(fromByteOffset: offset + 2, as: UInt8.self))
                    count += 1
                }
            }
            let total = Double(max(count, 1))
            return (Double(red) / total, Double(green) / total, Double(blue) / total)
        }
    }

    /// The mean brightness, from 0 to 255, of the frame scaled down. **Blocks** for some milliseconds.
    func brightness() throws(CameraError) -> Double {
        let picture = try converted(
            to: PixelFormat(rawValue: "GRAY8"), size: Dimensions(width: 64, height: 48))
        return try picture.withPlane(0) { bytes, stride in
            var total = 0
            for y in 0..<48 {
                for x in 0..<64 {
                    total += Int(bytes.unsafeLoad(fromByteOffset: y * stride + x, as: UInt8.self))
                }
            }
            return Double(total) / Double(64 * 48)
        }
    }
}

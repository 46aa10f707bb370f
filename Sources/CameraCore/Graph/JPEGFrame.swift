import Glibc

/// Looks whether the bytes of an MJPEG frame are a whole picture, by its markers (ITU-T T.81, B.1.1 and B.2).
///
/// Decoders conceal what is missing and say nothing of it: a frame that lost its end on the way from the camera would
/// become a picture with a grey lower half.
enum JPEGFrame {
    enum Verdict: Sendable {
        case whole
        /// Right as far as it goes. Some cameras leave out the end of every frame.
        case endMissing
        case broken
    }

    static func verdict(_ frame: RawSpan) -> Verdict { frame.withUnsafeBytes(verdict) }

    private static func verdict(_ bytes: UnsafeRawBufferPointer) -> Verdict {
        guard bytes.count > 3, bytes[0] == 0xFF, bytes[1] == Marker.start else { return .broken }
        var position = 2
        while let marker = nextMarker(bytes, &position) {
            switch marker {
            case Marker.end: return .whole
            case Marker.scan:
                guard skipSegment(bytes, &position) else { return .endMissing }
                skipEntropyCodedData(bytes, &position)
            case 0xC0...0xCF, 0xDB...0xDF, 0xE0...0xEF, 0xFE:
                guard skipSegment(bytes, &position) else { return .endMissing }
            default: return .broken
            }
        }
        return position >= bytes.count ? .endMissing : .broken
    }

    private enum Marker {
        static let start: UInt8 = 0xD8
        static let end: UInt8 = 0xD9
        static let scan: UInt8 = 0xDA
        static let restart: ClosedRange<UInt8> = 0xD0...0xD7
    }

    /// The code of the marker at `position`, which moves behind it; any number of fill bytes may precede a marker.
    private static func nextMarker(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> UInt8? {
        guard position < bytes.count, bytes[position] == 0xFF else { return nil }
        while position < bytes.count, bytes[position] == 0xFF { position += 1 }
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// Moves behind a segment, whose length stands at its beginning; `false` when it does not end in time.
    private static func skipSegment(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Bool {
        guard position + 1 < bytes.count else { return false }
        position += Int(bytes[position]) << 8 | Int(bytes[position + 1])
        return position < bytes.count
    }

    /// Moves to the next marker that is not part of the data: an 0xFF there is followed by 0, or a restart marker's code.
    private static func skipEntropyCodedData(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) {
        guard let start = bytes.baseAddress else { return }
        while position < bytes.count {
            guard let found = memchr(start + position, 0xFF, bytes.count - position) else {
                position = bytes.count
                return
            }
            position = UnsafeRawPointer(found) - start
            guard position + 1 < bytes.count else {
                position = bytes.count
                return
            }
            let code = bytes[position + 1]
            guard code == 0 || Marker.restart.contains(code) else { return }
            position += 2
        }
    }
}

/// Which frames of a compressed stream are good enough for the decoder.
struct DamageFilter: Sendable {
    /// A camera that leaves out the end of this many frames in a row does so with all of them.
    static let patience = 10

    private var sawWhole = false
    private var endsMissing = 0

    /// Whether to let a frame through.
    mutating func accepts(_ verdict: JPEGFrame.Verdict) -> Bool {
        switch verdict {
        case .whole:
            sawWhole = true
            return true
        case .endMissing:
            endsMissing += 1
            return !sawWhole && endsMissing > Self.patience
        case .broken:
            endsMissing = 0
            return false
        }
    }
}

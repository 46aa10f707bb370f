import Foundation
import GStreamer
import Testing

@testable import CameraCore

/// Random caps, usual and absurd: no trap, and every format that is read from them is in them.
@Suite(.timeLimit(.minutes(10))) struct CapsFuzzTests {
    static let cases = ChooserFuzzTests.cases / 20

    @Test func everyFormatThatIsReadIsInTheCaps() async throws {
        try GStreamer.initialize()
        var random = SplitMix(ChooserFuzzTests.seed)
        var read = 0
        for number in 0..<Self.cases {
            if number % 50 == 0 { await Task.yield() }
            let structures = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                CapsCase.structure(&random)
            }
            let caps = Caps(structures)
            let formats = CapsFormats.formats(caps)
            read += formats.count
            // What GStreamer holds and not what it was given: it reduces fractions and merges ranges of one.
            let held = caps.structures
            let strange = formats.first { format in
                !held.contains { CapsCase.offers($0, format) }
                    || !format.frameRates.allSatisfy { range in
                        held.contains { CapsCase.offers($0, format) && CapsCase.offers($0, range) }
                    }
            }
            let isRepeated = Set(formats.map { "\($0.pixelFormat) \($0.dimensions)" }).count != formats.count
            if strange != nil || isRepeated {
                Issue.record(
                    "case \(number), seed \(ChooserFuzzTests.seed): \(String(describing: strange)) of \(caps)"
                )
                return
            }
        }
        #expect(read > Self.cases / 2)
    }

    /// A range above the fastest rate that is believed is not turned round into one that begins below it.
    @Test func aRangeOfAbsurdRatesStaysInside() throws {
        try GStreamer.initialize()
        let range = Value.fractionRange(minimum: .init(2000, 1), maximum: .init(3000, 1))
        let caps = Caps(
            Caps.Structure(
                "video/x-raw",
                ["format": .string("I420"), "width": .int(640), "height": .int(480), "framerate": range]))
        let rates = CapsFormats.formats(caps).flatMap(\.frameRates)
        #expect(rates == [CaptureDevice.FrameRateRange(FrameRate(2000))])
    }
}

/// Caps as cameras and bad drivers have them, as far as GStreamer itself can hold them.
private enum CapsCase {
    static func structure(_ random: inout SplitMix) -> Caps.Structure {
        var fields: [String: Value] = [:]
        func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
        func pick<Item>(_ items: [Item]) -> Item { items[Int.random(in: 0..<items.count, using: &random)] }
        if !chance(8) {
            let names = ["I420", "YUY2", "GRAY8", "NV16", "bggr", "", "Ü"]
            fields["format"] =
                chance(3)
                ? .list((0..<Int.random(in: 0...3, using: &random)).map { _ in .string(pick(names)) })
                : chance(10) ? .int(3) : .string(pick(names))
        }
        let numbers = [0, 1, 16, 480, 640, 720, 1280, 1366, 1920, -1, Int(Int32.max), -Int(Int32.max)]
        for side in ["width", "height"] where !chance(10) {
            let (first, second) = (pick(numbers), pick(numbers))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: fields[side] = .intRange(min(first, second), max(first, second))
            case 1:
                fields[side] = .list(
                    (0..<Int.random(in: 0...4, using: &random)).map { _ in .int(pick(numbers)) })
            case 2: fields[side] = chance(4) ? .string("wide") : .int(first)
            default: fields[side] = .int(first)
            }
        }
        if !chance(6) { fields["framerate"] = rate(&random) }
        let isOther = chance(8)
        return Caps.Structure(
            isOther
                ? pick(["video/x-h264", "video/x-bayer", "audio/x-raw"])
                : pick(["video/x-raw", "image/jpeg"]),
            features: chance(8) ? ["memory:DMABuf"] : [], fields)
    }

    private static func rate(_ random: inout SplitMix) -> Value {
        let numerators = [0, 1, 15, 30, 60, 1000, 30_000, -30, Int(Int32.max), -Int(Int32.max)]
        let denominators = [1, 1, 1, 2, 1001, -1, Int(Int32.max)]
        func fraction() -> Value.Fraction {
            Value.Fraction(
                numerators[Int.random(in: 0..<numerators.count, using: &random)],
                denominators[Int.random(in: 0..<denominators.count, using: &random)])
        }
        func value(_ fraction: Value.Fraction) -> Value {
            .fraction(fraction.numerator, fraction.denominator)
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            // GStreamer refuses a range whose ends are equal or the wrong way round.
            let (low, high) = (Value.Fraction(.random(in: 0...50, using: &random), 1), fraction())
            let isRange = high.denominator > 0 && low.numerator * high.denominator < high.numerator
            return isRange ? .fractionRange(minimum: low, maximum: high) : value(high)
        case 1, 2: return .list((0..<Int.random(in: 0...4, using: &random)).map { _ in value(fraction()) })
        case 3: return .double(29.97)
        default: return value(fraction())
        }
    }

    static func offers(_ structure: Caps.Structure, _ format: CaptureDevice.Format) -> Bool {
        let isJPEG = format.pixelFormat == .mjpeg
        return structure.features.isEmpty && structure.name == (isJPEG ? "image/jpeg" : "video/x-raw")
            && (isJPEG || holds(structure.fields["format"], .string(format.pixelFormat.rawValue)))
            && holds(structure.fields["width"], .int(format.width))
            && holds(structure.fields["height"], .int(format.height))
    }

    static func offers(_ structure: Caps.Structure, _ range: CaptureDevice.FrameRateRange) -> Bool {
        let ends = [range.minimum, range.maximum].map { Value.fraction($0.numerator, $0.denominator) }
        guard let rates = structure.fields["framerate"] else { return false }
        return ends.allSatisfy { holds(rates, $0) }
    }

    private static func holds(_ field: Value?, _ value: Value) -> Bool {
        switch (field, value) {
        case (nil, _): true
        case (.list(let items)?, _): items.contains { holds($0, value) }
        case (.intRange(let low, let high)?, .int(let number)): low <= number && number <= high
        case (.fraction(let top, let bottom)?, .fraction(let numerator, let denominator)):
            top * denominator == numerator * bottom
        case (.fractionRange(let low, let high)?, .fraction(let numerator, let denominator)):
            low.numerator * denominator <= numerator * low.denominator
                && numerator * high.denominator <= high.numerator * denominator
        default: field == value
        }
    }
}

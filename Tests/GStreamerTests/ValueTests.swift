import Testing

@testable import GStreamer

@Suite struct ValueTests {
    init() throws { try initialize() }

    @Test(
        arguments: [
            .bool(true), .bool(false), .int(0), .int(-5), .int(2_147_483_647), .int(5_000_000_000),
            .uint(7), .uint(.max), .double(-1.5), .string(""), .string("Grüße"), .fraction(30000, 1001),
            .intRange(-3, 3), .fractionRange(minimum: .init(15, 2), maximum: .init(60, 1)),
            .list([]), .list([.int(1), .int(2)]), .list([.string("I420"), .string("NV12")]),
        ] as [Value])
    func survivesTheWayThroughGValue(_ value: Value) {
        #expect(unsafe value.withGValue { unsafe Value(reading: $0) } == value)
    }

    @Test func carriesCaps() {
        let caps = Caps(Caps.Structure("video/x-raw", ["width": .int(640)]))
        #expect(unsafe Value.caps(caps).withGValue { unsafe Value(reading: $0) } == .caps(caps))
    }

    @Test(
        arguments: [
            (0.1, 100_000_000), (1.5, 1_500_000_000), (0, 0), (-3, 0), (.nan, 0), (-.infinity, 0),
            (1e-10, 0), (.infinity, UInt64.max - 1), (1e300, .max - 1),
        ] as [(Double, UInt64)])
    func countsSecondsInNanoseconds(seconds: Double, nanoseconds: UInt64) {
        #expect(ClockTime(seconds: seconds).nanoseconds == nanoseconds)
    }

    @Test func timesAreOrderedAndNoneIsNil() {
        #expect(ClockTime.zero < ClockTime(nanoseconds: 1))
        #expect(ClockTime(nanoseconds: 2_500_000_000).seconds == 2.5)
        #expect(ClockTime(ClockTime.none) == nil)
        #expect(ClockTime(7)?.raw == 7)
    }

    @Test func knowsRawFormats() {
        #expect(VideoFormats.contains("I420"))
        #expect(VideoFormats.contains("NV12"))
        #expect(!VideoFormats.contains("ENCODED"))
        #expect(!VideoFormats.contains("i421"))
    }
}

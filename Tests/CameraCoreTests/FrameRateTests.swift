import Foundation
import Testing

@testable import CameraCore

@Suite struct FrameRateTests {
    @Test(
        arguments: [
            ("30", 30, 1), ("30/1", 30, 1), ("60/2", 30, 1), ("030", 30, 1),
            ("29.97", 30000, 1001), ("29.970", 30000, 1001), ("29.97003", 30000, 1001),
            ("30000/1001", 30000, 1001),
            ("23.976", 24000, 1001), ("23.98", 24000, 1001), ("59.94", 60000, 1001),
            ("119.88", 120_000, 1001),
            ("14.99", 15000, 1001), ("7.5", 15, 2), ("12.50", 25, 2), ("29.9", 299, 10), ("29.96", 749, 25),
            ("1/10", 1, 10), ("0.1", 1, 10), ("2147483647", 2_147_483_647, 1),
            ("2147483647/2147483646", .max32, .max32 - 1),
        ] as [(String, Int, Int)])
    func parses(_ text: String, numerator: Int, denominator: Int) throws {
        let rate = try #require(FrameRate(parsing: text))
        #expect(rate.numerator == numerator)
        #expect(rate.denominator == denominator)
    }

    @Test(arguments: [
        "", " ", "nan", "inf", "0", "0.0", "0/1", "30/0", "-30", "+30", "30/-1", "1,5", "29.97/1", "30/1.5",
        "1e3",
        "30.", ".5", "1.2.3", "30/1/1", "/1", "30/", " 30", "30 ", "0x1e", "٣٠", "３０", "2147483648",
        "1/2147483648",
        "99999999999999999999", "1.0000000001", "30fps",
    ])
    func refuses(_ text: String) {
        #expect(FrameRate(parsing: text) == nil)
    }

    @Test(
        arguments: [
            (FrameRate(30), "30", "30/1"), (.ntsc, "29.97", "30000/1001"), (.film, "23.976", "24000/1001"),
            (FrameRate(15, 2), "7.5", "15/2"), (FrameRate(25, 2), "12.5", "25/2"),
            (FrameRate(1, 3), "0.333", "1/3"),
            (FrameRate(301, 300), "1.003", "301/300"), (FrameRate(1, 9999), "1/9999", "1/9999"),
            (FrameRate(29_999_999, 1_000_000), "30", "29999999/1000000"), (.variable, "variable", "0/1"),
        ] as [(FrameRate, String, String)])
    func isWritten(_ rate: FrameRate, description: String, fraction: String) {
        #expect(rate.description == description)
        #expect(rate.fraction == fraction)
    }

    @Test(
        arguments: [
            (FrameRate.ntsc, FrameRate(30)), (.film, FrameRate(24)), (.variable, FrameRate(1, .max32)),
            (FrameRate(.max32 - 1, .max32), FrameRate(1)),
            (FrameRate(.max32 - 2, .max32 - 1), FrameRate(.max32 - 1, .max32)),
            (FrameRate(.max - 2, .max - 1), FrameRate(.max - 1, .max)), (FrameRate(1, .max), FrameRate(.max)),
        ] as [(FrameRate, FrameRate)])
    func ordersExactly(_ slower: FrameRate, _ faster: FrameRate) {
        #expect(slower < faster)
        #expect(!(faster < slower))
        #expect(slower != faster)
    }

    @Test func reducesSoThatEqualRatesAreEqual() {
        #expect(FrameRate(60000, 2002) == .ntsc)
        #expect(FrameRate(60000, 2002).hashValue == FrameRate.ntsc.hashValue)
        #expect(FrameRate(0, 7) == .variable)
    }

    @Test func refusesImpossibleNumbers() {
        #expect(FrameRate(exactly: -1, over: 1) == nil)
        #expect(FrameRate(exactly: 1, over: 0) == nil)
        #expect(FrameRate(exactly: 1, over: -1) == nil)
        #expect(FrameRate(exactly: 0, over: 1) == .variable)
    }

    @Test(
        arguments: [
            (FrameRate(30), FrameRate.ntsc, true), (FrameRate(24), .film, true),
            (FrameRate(60), FrameRate(60000, 1001), true),
            (FrameRate(10_000_000, 333_333), FrameRate(30), true), (FrameRate(30), FrameRate(30), true),
            (FrameRate(30), FrameRate(299, 10), false), (FrameRate(30), FrameRate(25), false),
            (.variable, FrameRate(30), false), (.variable, .variable, true),
        ] as [(FrameRate, FrameRate, Bool)])
    func knowsEquivalentRates(_ one: FrameRate, _ other: FrameRate, _ isEquivalent: Bool) {
        #expect(one.isEquivalent(to: other) == isEquivalent)
        #expect(other.isEquivalent(to: one) == isEquivalent)
    }

    @Test(
        arguments: [
            (FrameRate(30), 8, 8), (.variable, 8, 8), (FrameRate(1, 2), 8, 8), (FrameRate(3, 8), 8, 8),
            (FrameRate(1, 3), 8, 9), (FrameRate(1, 10), 8, 30), (FrameRate(1, 10), 60, 60),
            (FrameRate(1, 10), 0.5, 30), (FrameRate(1, .max32), 8, 3 * Double(Int32.max)),
        ] as [(FrameRate, Double, Double)])
    func leavesTimeForSlowFrames(_ rate: FrameRate, _ minimum: Double, _ limit: Double) {
        #expect(rate.stallLimit(atLeast: .seconds(minimum)) == .seconds(limit))
    }

    @Test(arguments: [FrameRate(30), .ntsc, FrameRate(15, 2), .variable])
    func survivesJSON(_ rate: FrameRate) throws {
        let data = try JSONEncoder().encode([rate])
        #expect(String(decoding: data, as: UTF8.self).replacing("\\/", with: "/") == "[\"\(rate.fraction)\"]")
        #expect(try JSONDecoder().decode([FrameRate].self, from: data) == [rate])
    }

    @Test(arguments: ["[\"fast\"]", "[30]", "[\"30/0\"]"])
    func refusesBadJSON(_ json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([FrameRate].self, from: Data(json.utf8))
        }
    }
}

extension Int {
    fileprivate static let max32 = Int(Int32.max)
}

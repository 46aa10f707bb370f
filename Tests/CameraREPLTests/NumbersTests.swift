import CameraCore
import Testing

@testable import CameraREPL

@Suite struct NumbersTests {
    @Test(arguments: [
        ("2", 2), ("1.5", 1.5), ("0", 0), ("007", 7), (".5", 0.5), ("+2", 2), ("-0.25", -0.25), ("1e3", 1000),
        ("1E-2", 0.01), ("1e9", 1e9), ("1e999", Double.greatestFiniteMagnitude),
        ("-1e999", -Double.greatestFiniteMagnitude),
    ])
    func readsDecimals(text: String, value: Double) {
        #expect(Numbers.decimal(text) == value)
    }

    @Test(arguments: [
        "", " ", "1,5", "1.5.2", "nan", "NaN", "inf", "-infinity", "0x10", "0x1p3", "1e", "e5", ".", "5.",
        "+", "--1", "+-1",
        "1 ", " 1", "1_000", "1'000", "١٢", "½", "1.5f", "2x",
    ])
    func refusesWhatIsNoDecimal(text: String) {
        #expect(Numbers.decimal(text) == nil)
    }

    @Test(arguments: [("0", 0), ("12", 12), ("0012", 12), ("99999999999999999999999", Int.max)])
    func readsIntegers(text: String, value: Int) {
        #expect(Numbers.integer(text) == value)
    }

    @Test(arguments: ["", "+1", "-1", "1.0", "1e3", "0x1", "1,000", "١"])
    func refusesWhatIsNoInteger(text: String) {
        #expect(Numbers.integer(text) == nil)
    }

    @Test(arguments: [
        (2.0, 3, "2"), (1.5, 3, "1.5"), (0.123456, 3, "0.123"), (29.97, 1, "30"), (1.0 / 3, 6, "0.333333"),
        (-0.5, 1, "-0.5"),
    ])
    func writesForPeople(value: Double, places: Int, text: String) {
        #expect(value.plainText(places: places) == text)
    }
}

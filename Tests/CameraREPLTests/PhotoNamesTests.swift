import FoundationEssentials
import GStreamer
import Testing

@testable import CameraREPL

@Suite struct PhotoNamesTests {
    @Test func neverRepeatsANameWhileTheClockStandsStill() {
        var names = PhotoNames(now: { Date(timeIntervalSince1970: 1_700_000_000.5) })
        let made = (0..<5).map { _ in names.next() }
        #expect(Set(made).count == 5)
        #expect(made == made.sorted())
        for name in made { #expect(name.wholeMatch(of: /IMG_\d{8}_\d{6}_\d{3}\.jpg/) != nil, "\(name)") }
    }

    @Test func goesOnWhenTheClockGoesBack() {
        let times = Guarded([1_700_000_000.9, 1_700_000_000.1, 1_700_000_001.9])
        var names = PhotoNames(now: { Date(timeIntervalSince1970: times.withLock { $0.removeFirst() }) })
        let made = (0..<3).map { _ in names.next() }
        #expect(made == made.sorted() && Set(made).count == 3)
        #expect(made.map { String($0.suffix(7)) } == ["900.jpg", "901.jpg", "900.jpg"])
    }
}

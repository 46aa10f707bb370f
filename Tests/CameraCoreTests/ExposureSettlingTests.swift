import Testing

@testable import CameraCore

/// When a camera that has just started is good for a photo.
@Suite struct ExposureSettlingTests {
    /// The time of the first frame that counts as settled, in a series of brightnesses at 30 frames a second.
    private func settled(_ brightness: (_ frame: Int) -> Double) -> Double? {
        var settling = ExposureSettling(start: 5)
        for frame in 0..<200 {
            let time = 5 + Double(frame) / 30
            if settling.settles(at: brightness(frame), time: time) { return time - 5 }
        }
        return nil
    }

    @Test func aSteadyPictureTakesOneWindow() throws {
        let time = try #require(settled { _ in 100 })
        #expect(time >= ExposureSettling.window && time < ExposureSettling.window + 0.1)
    }

    @Test func darkFramesDoNotCountAsSteady() throws {
        let time = try #require(settled { $0 < 10 ? 16 : 120 })
        #expect(time >= 10.0 / 30 + ExposureSettling.window && time < 1)
    }

    @Test func aRampIsWaitedFor() throws {
        let time = try #require(settled { min(200, 30 + Double($0) * 5) })
        #expect(time >= 34.0 / 30 && time < ExposureSettling.limit)
    }

    @Test func nothingIsWaitedForLongerThanTheLimit() throws {
        for series: (Int) -> Double in [{ _ in 0 }, { Double($0 % 2) * 200 }, { 25 + Double($0) * 4 }] {
            let time = try #require(settled(series))
            #expect(time >= ExposureSettling.limit - 0.1 && time < ExposureSettling.limit + 0.1)
        }
    }

    @Test func noiseIsNoChange() throws {
        let time = try #require(settled { 80 + Double($0 % 3) })
        #expect(time < 0.5)
    }
}

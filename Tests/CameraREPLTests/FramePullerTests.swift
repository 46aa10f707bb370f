import CameraCore
import Testing

@testable import CameraREPL

@Suite struct FramePullerTests {
    @Test(
        arguments: [
            (nil, 10), (.variable, 10), (FrameRate(30), 10), (FrameRate(1, 3), 10), (FrameRate(1, 10), 30),
        ]
            as [(FrameRate?, Int)])
    func waitsLongerForRareFrames(_ rate: FrameRate?, _ seconds: Int) {
        #expect(FramePuller.deadline(at: rate) == .seconds(seconds))
    }
}

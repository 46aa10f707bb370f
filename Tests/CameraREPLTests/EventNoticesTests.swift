import CameraCore
import Testing

@testable import CameraREPL

@Suite struct EventNoticesTests {
    private static let lost = CameraError(.deviceLost, "camera x was unplugged; plug it in again")
    private static let device = CaptureDevice(id: "x", name: "X", deviceType: .external, provider: "v4l2")

    @Test func tellsOfAnInterruptionAndItsEnd() throws {
        let notices = EventNotices(isInteractive: false)
        #expect(notices.notice(for: .stateChanged(.running)) == nil)
        let told = try #require(notices.notice(for: .stateChanged(.interrupted(Self.lost))))
        #expect(told.contains(Self.lost.message))
        #expect(notices.notice(for: .stateChanged(.running)) != nil)
        #expect(notices.notice(for: .stateChanged(.running)) == nil)
    }

    @Test func tellsOfFailures() throws {
        let notices = EventNotices(isInteractive: false)
        let output = try #require(
            notices.notice(for: .outputFailed(name: "record", CameraError(.diskFull, "no room"))))
        #expect(notices.notice(for: .outputEnded(name: "record")) == "output record has ended")
        #expect(output.contains("record") && output.contains("no room"))
        #expect(notices.notice(for: .error(Self.lost)) == Self.lost.message)
        #expect(notices.notice(for: .stateChanged(.stopped)) == nil)
    }

    @Test func tellsOfCamerasOnlyAtATerminal() {
        #expect(EventNotices(isInteractive: false).notice(for: .deviceAdded(Self.device)) == nil)
        #expect(EventNotices(isInteractive: true).notice(for: .deviceAdded(Self.device)) != nil)
        #expect(EventNotices(isInteractive: true).notice(for: .deviceRemoved(Self.device)) != nil)
    }
}

import Testing

@testable import GStreamer

@Suite(.timeLimit(.minutes(1))) struct AppSinkTests {
    init() throws { try initialize() }

    /// The end of the stream passes a sample that nobody took, and the sample is still there.
    @Test func keepsOnlyTheNewest() async throws {
        let sink = try AppSink()
        try await withPlayback("videotestsrc num-buffers=10 ! video/x-raw,framerate=10/1", into: sink) {
            playback in
            try await playback.playToEnd()
            #expect(sink.pull()?.timestamp == ClockTime(seconds: 0.9))
            #expect(sink.pull() == nil)
        }
    }

    @Test func waitsForASample() async throws {
        let sink = try AppSink()
        try await withPlayback("videotestsrc num-buffers=1", into: sink) { playback in
            #expect(sink.pull() == nil)
            try playback.pipeline.setState(.playing)
            #expect(sink.pull(timeout: ClockTime(seconds: 30)) != nil)
        }
    }

    @Test func handsEverySampleOver() async throws {
        let found = try await samples("videotestsrc num-buffers=10 ! video/x-raw,framerate=10/1")
        #expect(found.map(\.timestamp) == (0..<10).map { ClockTime(nanoseconds: $0 * 100_000_000) })
        #expect(found.map(\.runningTime) == found.map(\.timestamp))
    }

    @Test func acceptsOnlyItsCaps() async throws {
        let sink = try AppSink(caps: Caps(Caps.Structure("video/x-raw", ["format": .string("GRAY8")])))
        let formats = Recorder<Value?>()
        sink.setHandler { formats.add($0.caps?.structures.first?.fields["format"]) }
        try await withPlayback("videotestsrc num-buffers=1", into: sink) { try await $0.playToEnd() }
        #expect(formats.all == [.string("GRAY8")])
    }
}

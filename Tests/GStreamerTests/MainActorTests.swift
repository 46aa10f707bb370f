import Foundation
import Testing

@testable import GStreamer

/// A closure written in a context of the main actor takes that context along, unless its type says otherwise; called on
/// a streaming thread it would then kill the process. So each kind of callback is registered here from such a context.
@MainActor @Suite(.timeLimit(.minutes(1))) struct MainActorTests {
    @Test func callbacksRunOnStreamingThreads() async throws {
        let (buffers, samples, messages) = (Recorder<Bool>(), Recorder<Bool>(), Recorder<Bool>())
        let sink = try {
            try initialize(); return try AppSink(name: "end")
        }()
        sink.setHandler { _ in samples.add(Thread.isMainThread) }
        let playback = try Playback("videotestsrc num-buffers=3 ! identity name=i", into: sink)
        try playback.pad("sink", of: "i").addProbe(.buffer) { _ in
            buffers.add(Thread.isMainThread)
            return .pass
        }
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        playback.pipeline.bus.setHandler { message in
            if case .endOfStream = message.payload {
                messages.add(Thread.isMainThread)
                continuation.finish()
            }
        }
        try playback.pipeline.setState(.playing)
        for await _ in ends {}
        try playback.pipeline.setState(.null)
        #expect(buffers.all == [false, false, false])
        #expect(samples.all == [false, false, false])
        #expect(messages.all == [false])
    }
}

import Foundation
import Testing

@testable import GStreamer

@Suite(.timeLimit(.minutes(1))) struct ProbeTests {
    /// Five frames, a tenth of a second apart.
    private let five =
        "videotestsrc num-buffers=5 ! video/x-raw,width=64,height=48,framerate=10/1 ! queue name=q ! "
        + "identity name=i ! fakesink name=end"

    @Test func seesBuffers() async throws {
        let (times, offsets, threads) = (Recorder<ClockTime?>(), Recorder<UInt64?>(), Recorder<Bool>())
        let discontinuities = Recorder<Bool>()
        try await withPlayback(five) { playback in
            try playback.pad("sink", of: "i").addProbe(.buffer) { info in
                times.add(info.timestamp)
                offsets.add(info.offset)
                discontinuities.add(info.isDiscontinuity)
                threads.add(Thread.isMainThread)
                return .pass
            }
            try await playback.playToEnd()
        }
        #expect(times.all == (0..<5).map { ClockTime(nanoseconds: $0 * 100_000_000) })
        #expect(offsets.all == [0, 1, 2, 3, 4])
        #expect(discontinuities.all == [true, false, false, false, false])
        #expect(threads.all.allSatisfy { !$0 })
    }

    @Test func mapsTimestampsToRunningTime() async throws {
        let segments = Recorder<Segment>()
        try await withPlayback(five) { playback in
            try playback.pad("sink", of: "i").addProbe(.eventDownstream) { info in
                if let segment = info.segment { segments.add(segment) }
                return .pass
            }
            try await playback.playToEnd()
        }
        let segment = try #require(segments.all.first)
        #expect(segments.count == 1)
        #expect(segment.runningTime(ClockTime(seconds: 0.3)) == ClockTime(seconds: 0.3))
    }

    @Test func shiftsRunningTimeByAnOffset() async throws {
        let sink = try AppSink()
        let times = Recorder<ClockTime?>()
        sink.setHandler { times.add($0.runningTime) }
        try await withPlayback("videotestsrc num-buffers=2 ! video/x-raw,framerate=10/1", into: sink) {
            playback in
            try #require(playback.bin.staticPad("src")).setOffset(7_000_000_000)
            try await playback.playToEnd()
        }
        #expect(times.all == [ClockTime(seconds: 7), ClockTime(seconds: 7.1)])
    }

    @Test func replacesCaps() async throws {
        let before = Recorder<Caps>()
        let after = try await withPlayback(five) { playback in
            try playback.pad("sink", of: "i").addProbe(.eventDownstream) { info in
                if let caps = info.caps {
                    before.add(caps)
                    info.replaceCaps(caps.adding("camera-test", .int(1)))
                }
                return .pass
            }
            try await playback.playToEnd()
            return try playback.pad("sink", of: "end").currentCaps
        }
        #expect(before.all.map { $0.structures.first?.fields["camera-test"] } == [nil])
        #expect(after?.structures.first?.fields["camera-test"] == .int(1))
        #expect(after?.structures.first?.fields["width"] == .int(64))
    }

    /// What is read from an item of another kind is nothing, not whatever lies in memory there.
    @Test func readsNothingFromTheWrongItem() async throws {
        let items = Recorder<String>()
        try await withPlayback(five) { playback in
            let pad = try playback.pad("sink", of: "i")
            pad.addProbe([.buffer, .eventDownstream, .queryDownstream]) { info in
                switch info.item {
                case .buffer:
                    items.add("buffer")
                    #expect(info.caps == nil && info.segment == nil && !info.isSerializedQuery)
                    info.replaceCaps(Caps())
                    info.acceptVideoMeta()
                case .event(let type):
                    items.add("event")
                    #expect(info.timestamp == nil && info.offset == nil && !info.isDiscontinuity)
                    if case .caps = type {} else { #expect(info.caps == nil) }
                    if case .segment = type {} else { #expect(info.segment == nil) }
                    info.acceptVideoMeta()
                case .query:
                    items.add("query")
                    #expect(info.timestamp == nil && info.caps == nil && info.segment == nil)
                default: items.add("other")
                }
                return .pass
            }
            try await playback.playToEnd()
        }
        #expect(Set(items.all) == ["buffer", "event", "query"])
    }

    @Test func answersASerializedQueryBeforeAQueue() async throws {
        let (answered, passed) = (Recorder<Bool>(), Recorder<Bool>())
        try await withPlayback(five) { playback in
            try playback.pad("sink", of: "q").addProbe(.queryDownstream) { info in
                guard info.isSerializedQuery else { return .pass }
                info.acceptVideoMeta()
                answered.add(true)
                return .handled
            }
            try playback.pad("sink", of: "end").addProbe(.queryDownstream) { info in
                if info.isSerializedQuery { passed.add(true) }
                return .pass
            }
            try await playback.playToEnd()
        }
        #expect(answered.count > 0)
        #expect(passed.count == 0)
    }

    @Test(arguments: [ProbeResult.drop, .handled])
    func throwsBuffersAway(_ result: ProbeResult) async throws {
        weak var token: Token?
        do {
            let held = Token()
            token = held
            try await throwAway(result, held)
        }
        #expect(token == nil, "a buffer that was thrown away is still there")
    }

    private func throwAway(_ result: ProbeResult, _ token: Token) async throws {
        let arrived = Recorder<Bool>()
        try await withPlayback(five) { playback in
            try playback.pad("sink", of: "i").addProbe(.buffer) { info in
                info.attach(token)
                return result
            }
            try playback.pad("sink", of: "end").addProbe(.buffer) { _ in
                arrived.add(true)
                return .pass
            }
            try await playback.playToEnd()
        }
        #expect(arrived.count == 0)
    }

    @Test func removesItself() async throws {
        let seen = Recorder<Bool>()
        try await withPlayback(five) { playback in
            try playback.pad("sink", of: "i").addProbe(.buffer) { _ in
                seen.add(true)
                return .remove
            }
            try await playback.playToEnd()
        }
        #expect(seen.count == 1)
    }

    @Test func isTakenAway() async throws {
        let seen = Recorder<Bool>()
        try await withPlayback(five) { playback in
            let pad = try playback.pad("sink", of: "i")
            let probe = pad.addProbe(.buffer) { _ in
                seen.add(true)
                return .pass
            }
            pad.removeProbe(try #require(probe))
            try await playback.playToEnd()
        }
        #expect(seen.count == 0)
    }

    @Test func isCalledAtOnceOnAnIdlePad() throws {
        try initialize()
        let pad = try #require(try Element("identity").staticPad("src"))
        let seen = Recorder<Bool>()
        let removed = pad.addProbe(.idle) { _ in
            seen.add(true)
            return .remove
        }
        #expect(removed == nil)
        let kept = pad.addProbe(.idle) { _ in
            seen.add(true)
            return .pass
        }
        #expect(seen.count == 2)
        pad.removeProbe(try #require(kept))
    }

    @Test func blocksUntilItIsRemoved() async throws {
        let arrived = Recorder<Bool>()
        try await withPlayback(five) { playback in
            let (blocks, continuation) = AsyncStream.makeStream(of: Void.self)
            let pad = try playback.pad("src", of: "q")
            let probe = pad.addProbe([.block, .buffer]) { _ in
                continuation.finish()
                return .pass
            }
            try playback.pad("sink", of: "end").addProbe(.buffer) { _ in
                arrived.add(true)
                return .pass
            }
            let queued = try end(at: "q", in: playback)
            try playback.pipeline.setState(.playing)
            for await _ in blocks {}
            for await _ in queued {}
            #expect(arrived.count == 0)
            pad.removeProbe(try #require(probe))
            _ = await playback.messagesToEnd()
        }
        #expect(arrived.count == 5)
    }

    /// Calls `body` when the end of the stream, and so all buffers before it, has come to an element.
    private func whenEnded(
        at element: String, in playback: Playback, _ body: @escaping @Sendable () -> Void
    ) throws {
        try playback.pad("sink", of: element).addProbe(.eventDownstream) { info in
            if case .event(.endOfStream) = info.item { body() }
            return .pass
        }
    }

    private func end(at element: String, in playback: Playback) throws -> AsyncStream<Void> {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        try whenEnded(at: element, in: playback) { continuation.finish() }
        return ends
    }

    @Test func excludesDataWhileTheStreamLockIsHeld() async throws {
        let arrived = Recorder<Bool>()
        try await withPlayback(five) { playback in
            try playback.pad("sink", of: "i").addProbe(.buffer) { _ in
                arrived.add(true)
                return .pass
            }
            let pad = try playback.pad("sink", of: "i")
            let queued = DispatchSemaphore(value: 0)
            // The source's question would wait in the queue, and the source for its answer.
            try playback.pad("sink", of: "q").addProbe(.queryDownstream) {
                $0.isSerializedQuery ? .drop : .pass
            }
            try whenEnded(at: "q", in: playback) { queued.signal() }
            try pad.withStreamLock {
                try playback.pipeline.setState(.playing)
                // The lock belongs to this thread, which so has to wait here.
                #expect(queued.wait(timeout: .now() + 30) == .success)
                #expect(arrived.count == 0)
            }
            _ = await playback.messagesToEnd()
        }
        #expect(arrived.count == 5)
    }
}

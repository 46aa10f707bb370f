import Testing

@testable import GStreamer

@Suite(.timeLimit(.minutes(1))) struct OwnershipTests {
    init() throws { try initialize() }

    @Test func elementsAreFreedWithTheirLastOwner() throws {
        try expectFreed { try Element("identity") }
        try expectFreed { try Bin(name: "box") }
        try expectFreed { try Bin(description: "videotestsrc ! video/x-raw", name: "camera") }
        try expectFreed { try Pipeline(name: "line") }
        try expectFreed { try AppSink(caps: Caps(Caps.Structure("video/x-raw"))) }
    }

    @Test func lookingAtAnElementKeepsNothing() throws {
        try expectFreed {
            let bin = try Bin(description: "identity name=a ! identity name=b", name: "box")
            let pads = bin.descendants.flatMap { [$0.staticPad("sink"), $0.staticPad("src")?.peer] }
            #expect(pads.count == 4)
            _ = (bin.name, bin.dot(), bin.state, bin.get("message-forward"), bin.queryEverything())
            return bin
        }
        try expectFreed {
            let pipeline = try Pipeline(name: "line")
            let identity = try Element("identity")
            try pipeline.add(identity)
            _ = pipeline.bus
            try pipeline.remove(identity)
            return pipeline
        }
    }

    @Test func whatIsTakenOutIsFreed() throws {
        let bin = try Bin(name: "box")
        try expectFreed {
            let tee = try Element("tee")
            try bin.add(tee)
            let pad = try #require(tee.requestPad("src_%u"))
            tee.releaseRequestPad(pad)
            try bin.remove(tee)
            return tee
        }
        let twin = try Element("identity", name: "twin")
        try bin.add(twin)
        try expectFreed {
            let other = try Element("identity", name: "twin")
            #expect(throws: GStreamerError.self) { try bin.add(other) }
            return other
        }
    }

    @Test func ownersAreFreed() throws {
        try expectFreed { try #require(try Element("identity").staticPad("sink")) }
        try expectFreed {
            let bin = try Bin(description: "identity name=a ! identity name=b")
            let first = try #require(bin.descendants.first { $0.name == "a" })
            return try #require(first.staticPad("src")?.peer)
        }
        try expectFreed { try #require(try Element("tee").requestPad("src_%u")) }
        try expectFreed { try #require(try Element("identity").staticPad("sink")).queryCaps() }
        try expectFreed { try Pipeline(name: "line").bus }
        expectFreed { Caps(Caps.Structure("video/x-raw")) }
        try expectFreed { try PushPad(linkedTo: try #require(try Element("fakesink").staticPad("sink"))) }
        weak var mailbox: SampleMailbox?
        do {
            let made = SampleMailbox()
            mailbox = made
        }
        #expect(mailbox == nil)
    }

    /// A pipeline that played, with a handler of each kind on it, is gone when its owner lets go of it.
    @Test func nothingOutlivesAPipeline() async throws {
        weak var (token, pipeline, mailbox): (Token?, Pipeline?, SampleMailbox?)
        weak var (pipelineToken, sinkToken): (Token?, Token?)
        do {
            let held = Token()
            token = held
            let box = SampleMailbox()
            mailbox = box
            let sink = try AppSink()
            sink.setHandler { sample in
                held.touch()
                box.put(sample)
            }
            try await withPlayback("videotestsrc num-buffers=3 ! identity name=i", into: sink) { playback in
                let (inPipeline, inSink) = (Token(), Token())
                playback.pipeline.attach(inPipeline)
                sink.attach(inSink)
                (pipelineToken, sinkToken) = (inPipeline, inSink)
                pipeline = playback.pipeline
                try playback.pad("sink", of: "i").addProbe(.buffer) { _ in
                    held.touch()
                    return .pass
                }
                try await playback.playToEnd()
            }
            #expect(await box.next()?.number == 3)
        }
        #expect(token == nil)
        #expect(pipeline == nil)
        #expect(pipelineToken == nil, "GStreamer's pipeline is still held")
        #expect(sinkToken == nil, "GStreamer's sink is still held")
        #expect(mailbox == nil)
    }

    @Test func samplesAreFreed() async throws {
        weak var (sample, token, capsToken): (Sample?, Token?, Token?)
        do {
            let made = try await GStreamerTests.sample("videotestsrc num-buffers=1")
            let (held, heldByCaps) = (Token(), Token())
            made.attach(held)
            try #require(made.caps).attach(heldByCaps)
            (sample, token, capsToken) = (made, held, heldByCaps)
            _ = (made.timestamp, made.runningTime, made.byteCount)
            _ = try made.converted(to: Caps(Caps.Structure("image/png")), timeout: ClockTime(seconds: 30))
            let mailbox = SampleMailbox()
            mailbox.put(made)
            mailbox.close()
        }
        #expect(sample == nil)
        #expect(token == nil, "GStreamer's sample is still held")
        #expect(capsToken == nil, "the caps of a sample are still held")
    }

    /// Every way in which GStreamer lets go of a callback runs its destroy notify.
    @Test func callbackBoxesAreReleased() throws {
        let (pipeline, sink) = (try Pipeline(name: "line"), try AppSink())
        let pad = try #require(sink.staticPad("sink"))

        expectReleased("a bus handler that is taken away") { token in
            pipeline.bus.setHandler { _ in token.touch() }
            pipeline.bus.setHandler(nil)
        }
        expectReleased("a bus handler that is replaced") { token in
            pipeline.bus.setHandler { _ in token.touch() }
            pipeline.bus.setHandler { _ in }
        }
        try expectReleased("the bus handler of a pipeline that goes") { token in
            try Pipeline(name: "short").bus.setHandler { _ in token.touch() }
        }
        try expectReleased("a probe that is removed") { token in
            let probe = pad.addProbe(.buffer) { _ in
                token.touch()
                return .pass
            }
            pad.removeProbe(try #require(probe))
        }
        expectReleased("a probe that removes itself") { token in
            pad.addProbe(.idle) { _ in
                token.touch()
                return .remove
            }
        }
        try expectReleased("a probe on a pad that goes") { token in
            try #require(try Element("identity").staticPad("sink")).addProbe(.buffer) { _ in
                token.touch()
                return .pass
            }
        }
        expectReleased("a sample handler that is replaced") { token in
            sink.setHandler { _ in token.touch() }
            sink.setHandler { _ in }
        }
        try expectReleased("the sample handler of a sink that goes") { token in
            try AppSink().setHandler { _ in token.touch() }
        }
    }

    private func expectReleased(
        _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ body: (Token) throws -> Void
    ) rethrows {
        weak var token: Token?
        try {
            let held = Token()
            token = held
            try body(held)
        }()
        #expect(token == nil, what, sourceLocation: sourceLocation)
    }
}

extension Bin {
    /// Asks each pad inside for its caps.
    fileprivate func queryEverything() -> Int {
        descendants.compactMap { $0.staticPad("sink")?.queryCaps() ?? nil }.count
    }
}

import Testing

@testable import GStreamer

@Suite struct ElementTests {
    init() throws { try initialize() }

    @Test func namesAMissingElement() throws {
        let error = try gstreamerError { try Element("nosuchelement") }
        #expect(error.kind == .missingElement)
        #expect(error.message.contains("'nosuchelement'"))
        #expect(!Element.isAvailable("nosuchelement"))
        #expect(Element.isAvailable("videotestsrc"))
    }

    @Test func namesAMissingProperty() throws {
        let source = try Element("videotestsrc", name: "bars")
        let error = try gstreamerError { try source.set("colour", .int(1)) }
        #expect(error.kind == .missingProperty)
        #expect(error.message.contains("'bars'"))
        #expect(error.message.contains("'colour'"))
        #expect(source.get("colour") == nil)
        #expect(!source.hasProperty("colour"))
        #expect(source.hasProperty("pattern"))
    }

    @Test func knowsNameAndKind() throws {
        let source = try Element("videotestsrc", name: "bars")
        #expect(source.name == "bars")
        #expect(source.factoryName == "videotestsrc")
        #expect(try Bin(name: "box").factoryName == "bin")
        #expect(try Bin(description: "fakesink").factoryName == "bin")
        #expect(source.isSource)
        #expect(!source.isSink)
        #expect(try Element("fakesink").isSink)
    }

    @Test(
        arguments: [
            ("num-buffers", .int(3), .int(3)), ("pattern", .string("ball"), .string("ball")),
            ("pattern", .string("18"), .string("ball")), ("pattern", .int(18), .string("ball")),
            ("is-live", .bool(true), .bool(true)), ("is-live", .string("true"), .bool(true)),
            ("timestamp-offset", .int(5_000_000_000), .int(5_000_000_000)),
            ("blocksize", .int(100), .uint(100)), ("blocksize", .uint(100), .uint(100)),
            ("kx", .double(3), .int(3)),
        ] as [(String, Value, Value)])
    func setsAndReads(_ property: String, value: Value, read: Value) throws {
        let source = try Element("videotestsrc")
        try source.set(property, value)
        #expect(source.get(property) == read)
    }

    @Test(
        arguments: [
            ("pattern", .string("stripes")), ("pattern", .int(999)), ("num-buffers", .int(-2)),
            ("is-live", .int(2)), ("is-live", .int(-1)), ("is-live", .double(3)),
            ("pattern", .int(18 + 1 << 32)), ("pattern", .uint(18 + 1 << 32)),
            ("num-buffers", .uint(5_000_000_000)), ("num-buffers", .double(1.5)),
            ("num-buffers", .double(.nan)),
            ("num-buffers", .string("many")), ("blocksize", .int(-1)), ("is-live", .string("perhaps")),
            ("is-live", .caps(Caps())), ("num-buffers", .other("3")),
        ] as [(String, Value)])
    func refusesWhatAPropertyDoesNotTake(_ property: String, value: Value) throws {
        let source = try Element("videotestsrc", name: "bars")
        let before = source.get(property)
        let error = try gstreamerError { try source.set(property, value) }
        #expect(error.kind == .settings)
        #expect(error.message.contains("'\(property)'"))
        #expect(error.message.contains("'bars'"))
        #expect(source.get(property) == before)
    }

    @Test(
        arguments: [
            .fraction(1 << 32, 1), .fraction(1, 1 << 32), .fraction(1, 0), .fraction(-1, 1),
            .fractionRange(minimum: .init(1, 1), maximum: .init(1, 1 << 32)), .intRange(1, 2),
        ] as [Value])
    func refusesAFractionThatIsNone(_ value: Value) throws {
        let parser = try Element("rawvideoparse")
        try parser.set("framerate", .fraction(30_000, 1001))
        #expect(try gstreamerError { try parser.set("framerate", value) }.kind == .settings)
        #expect(parser.get("framerate") == .fraction(30_000, 1001))
    }

    @Test func refusesToSetWhatCanOnlyBeRead() throws {
        let queue = try Element("queue")
        #expect(try gstreamerError { try queue.set("current-level-buffers", .uint(1)) }.kind == .settings)
        #expect(queue.get("current-level-buffers") == .uint(0))
    }

    @Test func setsAndReadsCaps() throws {
        let filter = try Element("capsfilter")
        let caps = Caps(Caps.Structure("video/x-raw", ["format": .string("I420"), "width": .int(640)]))
        try filter.set("caps", .caps(caps))
        #expect(filter.get("caps") == .caps(caps))
        try filter.set("caps", .string("image/jpeg"))
        #expect(filter.get("caps") == .caps(Caps(Caps.Structure("image/jpeg"))))
    }

    @Test func readsCapsThatWereNeverSet() throws {
        guard case .other = try AppSink().get("caps") else {
            Issue.record("an appsink without caps has no caps to read")
            return
        }
    }

    @Test func changesStates() throws {
        let source = try Element("videotestsrc")
        #expect(source.state == .null)
        #expect(try source.setState(.ready) == .success)
        #expect(source.state == .ready)
        try source.setState(.null)
        #expect(source.state == .null)
    }

    @Test func saysWhatDidNotGoToWhichState() throws {
        let source = try Element("filesrc", name: "reader")
        try source.set("location", .string("/nonexistent/film"))
        let error = try gstreamerError { try source.setState(.paused) }
        #expect(error.kind == .stateChange)
        #expect(error.message.contains("'reader'"))
        try source.setState(.null)
    }

    @Test func linksWhatFits() throws {
        let pipeline = try Pipeline(name: "links")
        let (source, decoder) = (
            try Element("videotestsrc", name: "bars"), try Element("jpegdec", name: "decoder")
        )
        let tee = try Element("tee")
        try pipeline.add(source, decoder, tee)
        let error = try gstreamerError { try source.link(to: decoder) }
        #expect(error.kind == .link)
        #expect(error.message.contains("'bars'"))
        #expect(error.message.contains("'decoder'"))
        try source.link(to: tee)
        let pad = try #require(tee.requestPad("src_%u"))
        #expect(pad.name == "src_0")
        #expect(pad.peer == nil)
        let end = try Element("fakesink")
        try pipeline.add(end)
        try pad.link(to: try #require(end.staticPad("sink")))
        #expect(pad.peer?.name == "sink")
        tee.releaseRequestPad(pad)
        #expect(pad.peer == nil)
        #expect(tee.staticPad("src_0") == nil)
    }

    @Test func countsRunningTimeFromItsOwnBase() throws {
        let source = try Element("videotestsrc")
        source.detachRunningTime(base: ClockTime(seconds: 7))
        #expect(source.baseTime == ClockTime(seconds: 7))
    }

    @Test func aPipelineCountsItsRunningTimeFromItsStart() throws {
        let pipeline = try Pipeline(name: "clock")
        let start = pipeline.clockTime
        try pipeline.setState(.playing)
        let base = pipeline.baseTime.nanoseconds
        let before = pipeline.clockTime.nanoseconds
        let running = pipeline.runningTime.nanoseconds
        let after = pipeline.clockTime.nanoseconds
        #expect(base >= start.nanoseconds && start > .zero)
        #expect(before - base <= running && running <= after - base)
        try pipeline.setState(.null)
        // What has not begun yet is at its beginning.
        pipeline.detachRunningTime(base: ClockTime(nanoseconds: after + 3_600_000_000_000))
        #expect(pipeline.runningTime == .zero)
    }
}

import Testing

@testable import GStreamer

@Suite struct BinTests {
    init() throws { try initialize() }

    @Test(
        arguments: [
            "videotestsrc", "videotestsrc ! video/x-raw,width=64", "videotestsrc ! video/x-raw",
            "videotestsrc ! video/x-raw(memory:SystemMemory),width=64",
            "videotestsrc !\n  video/x-raw,\n  width=64 ", "videotestsrc!video/x-raw,width=64",
            "videotestsrc ! identity name=\"a! b/c\" ! video/x-raw,width=64!identity ! video/x-raw",
        ])
    func offersItsOpenEndAsAPad(_ description: String) throws {
        let bin = try Bin(description: description, name: "camera")
        #expect(bin.name == "camera")
        #expect(bin.staticPad("src") != nil)
        #expect(bin.staticPad("sink") == nil)
    }

    /// Also not one with a "!" in it, which is a link only between elements.
    @Test(
        arguments: [
            ("/x/b", "/x/b"), ("\"/x/Hey! pics/a.mkv\"", "/x/Hey! pics/a.mkv"),
            ("'/x/Hey! pics/a.mkv'", "'/x/Hey! pics/a.mkv'"), ("/x/Hey!pics/a.mkv", "/x/Hey!pics/a.mkv"),
            (" = \"a \\\"! b/c\" ", "a \"! b/c"), ("/x/it's!pics/a.mkv", "/x/it's!pics/a.mkv"),
            ("/x/Hey\\ !\\ pics/a.mkv", "/x/Hey ! pics/a.mkv"),
        ])
    func doesNotTakeAPathForCaps(_ value: String, _ location: String) throws {
        let assignment = value.hasPrefix(" =") ? value : "=" + value
        let bin = try Bin(description: "videotestsrc ! filesink location" + assignment)
        #expect(!bin.descendants.contains { $0.factoryName == "capsfilter" })
        let sink = try #require(bin.descendants.first { $0.factoryName == "filesink" })
        #expect(sink.get("location") == .string(location))
    }

    @Test(
        arguments: [
            ("videotestsrc ! nosuchelement", .missingElement, "nosuchelement"),
            ("videotestsrc ! videoconvert ! ! fakesink", .parse, ""),
            ("videotestsrc colour=1 ! fakesink", .parse, "colour"),
            ("videotestsrc ! jpegdec ! fakesink", .parse, "link"),
            ("", .parse, ""), ("!", .parse, ""),
            (" video/x-raw, width=64 ! fakesink", .parse, "begins with the caps 'video/x-raw'"),
            ("video/x-raw(memory:SystemMemory) ! fakesink", .parse, "begins with the caps 'video/x-raw'"),
            ("\"video/x-raw,width=64\" ! fakesink", .parse, "begins with the caps 'video/x-raw'"),
            ("fakesink  image/jpeg ! fakesink", .parse, "a chain in it begins with the caps 'image/jpeg'"),
            ("nosuchelement ! fakesink  image/jpeg ! fakesink", .missingElement, "nosuchelement"),
            ("videotestsrc ! nothere.", .parse, "name"), ("nothere. ! fakesink", .parse, "nothere"),
            ("identity name=a  identity name=b", .parse, "'sink' of 'a' and the pad 'sink' of 'b'"),
            ("videotestsrc name=a  videotestsrc name=b", .parse, "'src' of 'a' and the pad 'src' of 'b'"),
        ] as [(String, GStreamerError.Kind, String)])
    func saysWhatIsWrongWithADescription(
        _ description: String, kind: GStreamerError.Kind, mentioned: String
    ) throws {
        let error = try gstreamerError { try Bin(description: description) }
        #expect(error.kind == kind)
        #expect(mentioned.isEmpty || error.message.contains(mentioned), "\(error)")
    }

    @Test(
        arguments: [
            ("fakesink name=a  queue name=b ! fakesink", .sink, "'sink' of 'a' and the pad 'sink' of 'b'"),
            ("tee name=t ! queue ! fakesink  t. ! queue name=open", .sink, "'src' of 'open'"),
            ("videotestsrc ! tee name=t ! queue name=a  t. ! ( queue name=b )", .source, "'src' of 'b'"),
            ("identity name=a ! video/x-raw", .source, "'sink' of 'a'"),
        ] as [(String, Bin.Ends, String)])
    func refusesAnEndThatNobodyUses(_ description: String, _ ends: Bin.Ends, mentioned: String) throws {
        let error = try gstreamerError { try Bin(description: description, ends: ends) }
        #expect(error.kind == .parse && error.message.contains(mentioned), "\(error)")
    }

    /// An element with more pads than it needs, and one whose link comes late, look as if they had open ends too.
    @Test(
        arguments: [
            ("videoconvert name=first ! shapewipe ! fakesink", .sink, "sink"),
            ("shapewipe name=first ! fakesink", .sink, "video_sink"),
            ("jpegenc name=first ! decodebin ! videoconvert ! fakesink", .sink, "sink"),
            ("( identity name=first ! identity ) ! fakesink", .sink, "sink"),
            ("filesrc ! decodebin ! videoconvert name=first", .source, "src"),
            ("videotestsrc ! shapewipe name=first", .source, "src"),
            ("videotestsrc ! ( identity name=first )", .source, "src"),
        ] as [(String, Bin.Ends, String)])
    func findsTheEndThatIsMeant(_ description: String, _ ends: Bin.Ends, pad: String) throws {
        let bin = try Bin(description: description, ends: ends)
        let first = try #require(bin.descendants.first { $0.name == "first" })
        #expect(first.staticPad(pad)?.peer != nil, "the bin's own pad stands for it")
        #expect((bin.staticPad("sink") != nil) == (ends == .sink))
        #expect((bin.staticPad("src") != nil) == (ends == .source))
    }

    @Test func listsWhatIsInsideAtAnyDepth() throws {
        let outer = try Bin(name: "outer")
        let inner = try Bin(description: "identity name=a ! identity name=b", name: "inner")
        let beside = try Element("fakesink", name: "c")
        try outer.add(inner, beside)
        #expect(Set(outer.descendants.map(\.name)) == ["inner", "a", "b", "c"])
        #expect(try Bin(name: "empty").descendants.isEmpty)
        try outer.remove(beside)
        #expect(Set(outer.descendants.map(\.name)) == ["inner", "a", "b"])
    }

    @Test func refusesTwoOfOneNameAndWhatIsNotInside() throws {
        let bin = try Bin(name: "box")
        try bin.add(try Element("identity", name: "twin"))
        let other = try Element("identity", name: "twin")
        let error = try gstreamerError { try bin.add(other) }
        #expect(error.message.contains("'twin'"))
        #expect(error.message.contains("'box'"))
        #expect(throws: GStreamerError.self) { try bin.remove(other) }
    }

    @Test func makesAnInnerPadItsOwn() throws {
        let bin = try Bin(name: "box")
        let (first, second) = (try Element("identity"), try Element("identity"))
        try bin.add(first, second)
        try first.link(to: second)
        let sink = try #require(first.staticPad("sink"))
        try bin.addGhostPad("in", for: sink)
        #expect(bin.staticPad("in")?.name == "in")
        let twice = try gstreamerError {
            try bin.addGhostPad("in", for: try #require(second.staticPad("src")))
        }
        #expect(twice.kind == .link)
        #expect(twice.message.contains("'in'"))
        let linked = try gstreamerError {
            try bin.addGhostPad("x", for: try #require(second.staticPad("sink")))
        }
        #expect(linked.kind == .link)
    }

    @Test func drawsItself() throws {
        let bin = try Bin(description: "videotestsrc name=bars ! fakesink", name: "drawn")
        let dot = bin.dot()
        #expect(dot.hasPrefix("digraph"))
        #expect(dot.contains("bars"))
    }
}

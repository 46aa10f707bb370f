import Testing

@testable import GStreamer

@Suite struct BinTests {
    init() throws { try initialize() }

    @Test(
        arguments: [
            "videotestsrc", "videotestsrc ! video/x-raw,width=64", "videotestsrc ! video/x-raw",
            "videotestsrc ! video/x-raw(memory:SystemMemory),width=64",
            "videotestsrc !\n  video/x-raw,\n  width=64 ",
        ])
    func offersItsOpenEndAsAPad(_ description: String) throws {
        let bin = try Bin(description: description, name: "camera")
        #expect(bin.name == "camera")
        #expect(bin.staticPad("src") != nil)
        #expect(bin.staticPad("sink") == nil)
    }

    @Test func doesNotTakeAPathForCaps() throws {
        let bin = try Bin(description: "videotestsrc ! filesink location=/tmp/a/b")
        #expect(!bin.descendants.contains { $0.factoryName == "capsfilter" })
    }

    @Test(
        arguments: [
            ("videotestsrc ! nosuchelement", .missingElement, "nosuchelement"),
            ("videotestsrc ! videoconvert ! ! fakesink", .parse, ""),
            ("videotestsrc colour=1 ! fakesink", .parse, "colour"),
            ("videotestsrc ! jpegdec ! fakesink", .parse, "link"),
            ("", .parse, ""), ("!", .parse, ""),
        ] as [(String, GStreamerError.Kind, String)])
    func saysWhatIsWrongWithADescription(
        _ description: String, kind: GStreamerError.Kind, mentioned: String
    ) throws {
        let error = try gstreamerError { try Bin(description: description) }
        #expect(error.kind == kind)
        #expect(mentioned.isEmpty || error.message.contains(mentioned), "\(error)")
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

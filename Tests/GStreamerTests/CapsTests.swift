import Testing

@testable import GStreamer

@Suite struct CapsTests {
    init() throws { try initialize() }

    @Test func buildsAndReadsFields() throws {
        let caps = Caps(
            Caps.Structure(
                "video/x-raw",
                [
                    "format": .string("I420"), "width": .int(853), "framerate": .fraction(30000, 1001),
                    "interlaced": .bool(false),
                ]))
        let structure = try #require(caps.structures.first)
        #expect(structure.name == "video/x-raw")
        #expect(structure.features.isEmpty)
        #expect(
            structure.fields == [
                "format": .string("I420"), "width": .int(853), "framerate": .fraction(30000, 1001),
                "interlaced": .bool(false),
            ])
    }

    @Test func keepsTheOrderOfAlternatives() {
        let caps = Caps(Caps.Structure("image/jpeg"), Caps.Structure("video/x-raw"))
        #expect(caps.structures.map(\.name) == ["image/jpeg", "video/x-raw"])
    }

    @Test func readsRangesAndLists() throws {
        let fields: [String: Value] = [
            "width": .intRange(16, 4096),
            "framerate": .fractionRange(minimum: .init(0, 1), maximum: .init(120, 1)),
            "format": .list([.string("I420"), .string("NV12")]),
        ]
        let caps = Caps(Caps.Structure("video/x-raw", fields))
        #expect(caps.structures.first?.fields == fields)
    }

    /// GStreamer has no range of one number.
    @Test func makesARangeOfOneValueThatValue() {
        let caps = Caps(
            Caps.Structure(
                "video/x-raw",
                [
                    "width": .intRange(640, 640),
                    "framerate": .fractionRange(minimum: .init(30, 1), maximum: .init(30, 1)),
                ]))
        #expect(caps.structures.first?.fields == ["width": .int(640), "framerate": .fraction(30, 1)])
    }

    @Test func keepsMemoryFeatures() throws {
        let filter = try Element("capsfilter")
        try filter.set(
            "caps", .string("video/x-raw(memory:DMABuf, meta:GstVideoMeta), width=640; image/jpeg"))
        guard case .caps(let read) = filter.get("caps") else {
            Issue.record("no caps")
            return
        }
        #expect(read.structures.map(\.features) == [["memory:DMABuf", "meta:GstVideoMeta"], []])
        let rebuilt = Caps(try #require(read.structures.first))
        #expect(rebuilt.structures.first == read.structures.first)
    }

    @Test func tellsAnyMemoryFromTheSystems() throws {
        let filter = try Element("capsfilter")
        let text = "video/x-raw(ANY), width=640; video/x-raw; video/x-raw(memory:DMABuf)"
        try filter.set("caps", .string(text))
        guard case .caps(let read) = filter.get("caps") else {
            Issue.record("no caps")
            return
        }
        #expect(read.structures.map(\.features) == [Caps.Structure.anyFeatures, [], ["memory:DMABuf"]])
        #expect(read.structures.map(\.allowsSystemMemory) == [true, true, false])
        #expect(Caps(read.structures) == read)
        #expect(Caps(try #require(read.structures.first)).description.contains("(ANY)"))
    }

    @Test func knowsAny() throws {
        #expect(!Caps().isAny)
        #expect(Caps().structures.isEmpty)
        let sink = try #require(try Element("fakesink").staticPad("sink"))
        #expect(sink.queryCaps().isAny)
    }

    @Test func addsAFieldOnlyWhereItLacks() {
        let caps = Caps(
            Caps.Structure("video/x-raw", ["colorimetry": .string("bt709")]), Caps.Structure("video/x-raw"))
        let added = caps.adding("colorimetry", .string("bt601"))
        #expect(added.structures.map { $0.fields["colorimetry"] } == [.string("bt709"), .string("bt601")])
        #expect(caps.structures.map { $0.fields["colorimetry"] } == [.string("bt709"), nil])
    }

    @Test func comparesWhatItMeans() throws {
        let one = Caps(Caps.Structure("video/x-raw", ["width": .int(640), "height": .int(480)]))
        let other = Caps(Caps.Structure("video/x-raw", ["height": .int(480), "width": .int(640)]))
        let twice = Caps(
            try #require(one.structures.first), Caps.Structure("video/x-raw", ["height": .int(480)]))
        let once = Caps(Caps.Structure("video/x-raw", ["height": .int(480)]))
        #expect(one == other)
        #expect(one != once)
        // The second alternative covers the first, so both say the same, in different words.
        #expect(twice == once)
        #expect(Set([one, other, twice, once]).count == 2)
        #expect(once.description == "video/x-raw, height=(int)480")
    }
}

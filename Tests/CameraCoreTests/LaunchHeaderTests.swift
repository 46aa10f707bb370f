import Testing

@testable import CameraCore

@Suite struct LaunchHeaderTests {
    private func header(_ lines: [String]) -> LaunchHeader {
        var header = LaunchHeader(path: "a.launch")
        for (index, line) in lines.enumerated() { header.read(line[...], line: index + 1, isLate: false) }
        return header
    }

    @Test(
        arguments: [
            ([" name: Grey camera", " position: external"], "Grey camera", CaptureDevice.Position.external),
            (["NAME:a:b", "  Position :  Back "], "a:b", .back),
            (
                [
                    " position: unspecified", "", " Any film: set it to its address.", " size 4:2:0",
                    " note: x",
                ], nil, .unspecified
            ),
            ([" position depends on how it is mounted", " ::", ":", " rtsp://192.0.2.7"], nil, nil),
        ] as [([String], String?, CaptureDevice.Position?)])
    func isRead(_ lines: [String], name: String?, position: CaptureDevice.Position?) {
        let header = header(lines)
        #expect(header.name == name && header.position == position)
        #expect(header.notices == [])
    }

    @Test(arguments: [
        (" postion: back", "'postion' is not part of a header; write name, position, exposure or fault"),
        (" Pos: back", "'pos' is not part of a header; write name, position, exposure or fault"),
        (" nmae: x", "'nmae' is not part of a header; write name, position, exposure or fault"),
        (" position: left", "'left' is not a position; write front, back or external"),
        (" position:", "'' is not a position; write front, back or external"),
        (" name:", "the name is empty; write one after the colon"),
        (" position = back", "a colon is missing; write '# position: back'"),
        (" position front", "a colon is missing; write '# position: front'"),
    ])
    func tellsWhatHasNoEffect(_ line: String, notice: String) {
        let header = header(["", line])
        #expect(header.name == nil && header.position == nil)
        #expect(header.notices == ["a.launch:2: " + notice])
    }

    @Test func theFirstCounts() {
        let header = header([" name: a", " name: b", " position: back", " position: front"])
        #expect(header.name == "a" && header.position == .back)
        #expect(header.notices.map { $0.contains("twice") } == [true, true])
    }

    @Test func nothingIsReadAfterTheDescriptionHasBegun() {
        var header = LaunchHeader(path: "a.launch")
        for line in [" position: back", " postion: back", " the pad: src"] {
            header.read(line[...], line: 9, isLate: true)
        }
        #expect(header.position == nil)
        #expect(
            header.notices == ["a.launch:9: 'position' comes after the description has begun; write it above"]
        )
    }
}

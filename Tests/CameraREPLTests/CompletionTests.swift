import Testing

@testable import CameraREPL

@Suite struct CompletionTests {
    private static let completion = Completion(
        names: .init(
            devices: ["test:ball", "test:bars", "my cam"], availableOutputs: ["record"],
            attachedOutputs: ["stream"],
            sizes: ["640x480", "1280x720"], pixelFormats: ["NV12", "YUY2"]))

    private func complete(_ line: String) -> [String] {
        Self.completion.candidates(for: line).candidates.map(\.written)
    }

    @Test(arguments: [
        ("zo", ["zoom"]),
        ("  zo", ["zoom"]),
        ("status; zo", ["zoom"]),
        ("pre", ["preset", "presets"]),
        ("device te", ["test:ball", "test:bars"]),
        ("device ", [#"my\ cam"#, "test:ball", "test:bars"]),
        ("device my", [#"my\ cam"#]),
        (#"device my\ "#, [#"my\ cam"#]),
        ("device 'my c", ["'my cam'"]),
        ("device \"my", ["\"my cam\""]),
        ("device a b", []),
        ("preset hd1", ["hd1280x720", "hd1920x1080"]),
        ("format 6", ["640x480"]),
        ("format 640x480 ", ["NV12", "YUY2"]),
        ("output ", ["add", "remove"]),
        ("output add ", ["record"]),
        ("output remove ", ["stream"]),
        ("output nosuch ", []),
        ("wait ", ["frames", "photo", "seconds"]),
        ("wait frames ", []),
        ("zoom 2 ", ["at"]),
        ("zoom a", ["at"]),
        ("zoom at ", []),
        ("help zo", ["zoom"]),
        ("photo --", ["--next", "--overwrite", "--quality", "--unsettled"]),
        ("photo --quality ", []),
        ("photo --quality=", []),
        ("photo --overwrite=1 --", []),
        ("photo --nosuch --", []),
        ("photo --quality=90 --n", ["--next"]),
        ("photo --quality 90 --n", ["--next"]),
        ("photo -- --n", []),
        ("device -- ", []),
        ("nosuch ", []),
        ("zoom # ", []),
        ("quit ", []),
    ])
    func offersWhatFits(line: String, candidates: [String]) {
        #expect(complete(line) == candidates)
    }

    @Test func sayWhereTheWordBegins() {
        #expect(Self.completion.candidates(for: "status; device 'te").wordStart == 15)
        #expect(Self.completion.candidates(for: "device ").wordStart == 7)
        #expect(Self.completion.candidates(for: #"device my\ c"#).wordStart == 7)
    }

    @Test func offersPaths() throws {
        let folder = try TemporaryFolder()
        try folder.make(file: "one.jpg")
        try folder.make(file: ".hidden")
        try folder.make(file: "it's.jpg")
        try folder.make(folder: "other place")
        let path = folder.path
        #expect(complete("photo \(path)/o") == ["\(path)/one.jpg", "\(path)/other\\ place/"])
        #expect(complete("photo \(path)/.h") == ["\(path)/.hidden"])
        #expect(complete("photo '\(path)/it") == ["'\(path)/it'\\''s.jpg'"])
        #expect(complete("photo \"\(path)/ot") == ["\"\(path)/other place/"])
        #expect(complete("photo \(path)/missing/") == [])
        #expect(complete("photo --quality=90 \(path)/on") == ["\(path)/one.jpg"])
        #expect(complete("photo --overwrite -- \(path)/on") == ["\(path)/one.jpg"])
        let candidates = Self.completion.candidates(for: "frame \(path)/o").candidates
        #expect(candidates.map(\.isWhole) == [true, false])
    }
}

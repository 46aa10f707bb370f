import CameraCore
import Testing

@testable import CameraREPL

@Suite struct StatementParserTests {
    /// Statements as lists of words; a malformed one as its words and a mark.
    private static func parse(_ text: some Sequence<UInt8>) -> [[String]] {
        var parser = StatementParser(source: "test")
        parser.append(text)
        parser.finish()
        return drain(&parser)
    }

    private static func drain(_ parser: inout StatementParser) -> [[String]] {
        var result: [[String]] = []
        while let outcome = parser.next() {
            switch outcome {
            case .statement(let statement): result.append(statement.words.map(\.text))
            case .malformed(let statement, _): result.append(statement.words.map(\.text) + ["<malformed>"])
            }
        }
        return result
    }

    private static func problem(_ text: some Sequence<UInt8>) -> (Statement, CameraError)? {
        var parser = StatementParser(source: "test")
        parser.append(text)
        parser.finish()
        while let outcome = parser.next() {
            if case .malformed(let statement, let error) = outcome { return (statement, error) }
        }
        return nil
    }

    @Test(arguments: [
        ("", []),
        ("   \t\n\n  ; ;; \r\n", []),
        ("zoom 2", [["zoom", "2"]]),
        ("  zoom\t 2  ", [["zoom", "2"]]),
        ("zoom 2; status\npreset", [["zoom", "2"], ["status"], ["preset"]]),
        ("zoom 2;status", [["zoom", "2"], ["status"]]),
        ("photo 'a b;#\"\\c'", [["photo", "a b;#\"\\c"]]),
        (#"photo "a b;#'\"\\c\d""#, [["photo", #"a b;#'"\cd"#]]),
        (##"photo a\ b\;\#\'\"\\"##, [["photo", ##"a b;#'"\"##]]),
        ("photo a'b'\"c\"d", [["photo", "abcd"]]),
        ("photo '' \"\"", [["photo", "", ""]]),
        ("# nothing; here 'at all\nstatus", [["status"]]),
        ("status # rest", [["status"]]),
        ("photo a#b", [["photo", "a#b"]]),
        ("photo 'x'#y", [["photo", "x#y"]]),
        ("photo 'two\nlines'", [["photo", "two\nlines"]]),
        ("photo \"two\nlines\"\nstatus", [["photo", "two\nlines"], ["status"]]),
        ("zoom \\\n2", [["zoom", "2"]]),
        ("zoom 1\\\n2", [["zoom", "12"]]),
        ("zoom \\\r\n2\r\nstatus\r\n", [["zoom", "2"], ["status"]]),
        ("status\r", [["status"]]),
        ("photo a\rb", [["photo", "a\rb"]]),
        ("photo é日本.jpg", [["photo", "é日本.jpg"]]),
        ("\u{FEFF}status", [["status"]]),
    ])
    func splitsIntoCommandsAndWords(text: String, expected: [[String]]) {
        #expect(Self.parse(text.utf8) == expected)
    }

    @Test func givesTheSameWhereverTheTextIsCut() {
        let text = "\u{FEFF}zoom 2\r\nphoto 'a b'\\\r\n.jpg # c\r\n\"é\"; x\\;y\r\n"
        let whole = Self.parse(text.utf8)
        #expect(whole == [["zoom", "2"], ["photo", "a b.jpg"], ["é"], ["x;y"]])
        for cut in 0...text.utf8.count {
            var parser = StatementParser(source: "test")
            parser.append(text.utf8.prefix(cut))
            var pieces = Self.drain(&parser)
            parser.append(text.utf8.dropFirst(cut))
            parser.finish()
            pieces += Self.drain(&parser)
            #expect(pieces == whole, "cut at \(cut)")
        }
    }

    @Test func givesACommandAsSoonAsItsLineIsComplete() {
        var parser = StatementParser(source: "test")
        parser.append("status".utf8)
        #expect(parser.next() == nil)
        #expect(parser.isInsideStatement)
        parser.append("\nzoom '".utf8)
        #expect(Self.drain(&parser) == [["status"]])
        parser.append("2'".utf8)
        #expect(Self.drain(&parser) == [])
        parser.finish()
        #expect(Self.drain(&parser) == [["zoom", "2"]])
    }

    @Test(arguments: [
        ("status\nphoto 'abc", 2, "line 2, column 7"),
        ("photo \"abc\n\nstatus", 1, "line 1, column 7"),
        ("zoom 2\\", 1, "\\"),
        ("photo a\0b", 1, "NUL"),
        ("# \0", 1, "NUL"),
    ])
    func namesThePlaceOfWhatIsMalformed(text: String, line: Int, part: String) throws {
        let (statement, error) = try #require(Self.problem(text.utf8))
        #expect(error.code == .usage)
        #expect(statement.place == Place(source: "test", line: line))
        #expect(error.message.contains(part), "\(error.message)")
    }

    @Test func goesOnAfterAMalformedCommand() {
        #expect(Self.parse("photo a\0b; zoom 2\nstatus".utf8).dropFirst() == [["zoom", "2"], ["status"]])
    }

    @Test func refusesBytesThatAreNotText() throws {
        let (_, error) = try #require(Self.problem(Array("photo ".utf8) + [0xFF, 0xFE]))
        #expect(error.code == .usage)
        #expect(error.message.contains("UTF-8"))
    }

    @Test func refusesACommandWithoutEnd() throws {
        var parser = StatementParser(source: "test")
        let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 10_000)
        for _ in 0..<20 { parser.append(chunk) }
        #expect(parser.partialWord.utf8.count <= StatementParser.longestStatement)
        parser.append("\nstatus\n".utf8)
        #expect(Self.drain(&parser).map(\.last) == ["<malformed>", "status"])
    }

    @Test func countsLinesOverQuotesAndComments() {
        var parser = StatementParser(source: "demo.camera")
        parser.append("# one\n\nzoom 2\nphoto 'a\nb'\n  status; stop\n".utf8)
        var places: [String] = []
        while case .statement(let statement) = parser.next() { places.append("\(statement.place)") }
        #expect(places == ["demo.camera:3", "demo.camera:4", "demo.camera:6", "demo.camera:6"])
    }

    @Test func tellsTheCommandsOfALineApart() {
        var parser = StatementParser(source: "-c", countsCommands: true)
        parser.append("a;; b # c\n'd\n'; e;f\0\n g".utf8)
        parser.finish()
        var places: [String] = []
        while let outcome = parser.next() {
            switch outcome {
            case .statement(let statement), .malformed(let statement, _): places.append("\(statement.place)")
            }
        }
        #expect(places == ["-c:1:1", "-c:1:2", "-c:2:1", "-c:3:1", "-c:3:2", "-c:4:1"])
    }

    @Test func knowsABareTilde() {
        var parser = StatementParser(source: "test")
        parser.append(#"a ~/x '~/x' \~/x "~" b~"#.utf8)
        parser.finish()
        guard case .statement(let statement) = parser.next() else {
            Issue.record("no statement")
            return
        }
        #expect(statement.words.map(\.beginsWithBareTilde) == [false, true, false, false, false, false])
    }
}

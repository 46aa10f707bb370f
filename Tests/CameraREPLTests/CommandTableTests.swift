import CameraCore
import FoundationEssentials
import Testing

@testable import CameraREPL

@Suite struct CommandTableTests {
    /// The contract's table: a program relies on every one of these.
    private static let contract = [
        "devices", "device", "presets", "preset", "format", "zoom", "start", "stop", "frame", "frames",
        "photo", "status",
        "outputs", "output", "graph", "wait", "help", "quit",
    ]

    private func parse(_ line: String) throws(CameraError) -> Arguments {
        var parser = StatementParser(source: "test")
        parser.append(line.utf8)
        parser.finish()
        guard case .statement(let statement) = parser.next() else {
            throw CameraError(.internal, "the test's line is no statement")
        }
        return try CommandTable.invocation(of: statement.words, readAt: .now).arguments
    }

    @Test func holdsTheCommandsOfTheContract() {
        #expect(CommandTable.all.map(\.name) == Self.contract)
    }

    @Test(arguments: CommandTable.all.map(\.name))
    func explainsEveryCommand(name: String) throws {
        let command = try CommandTable.named(name)
        #expect(!command.summary.isEmpty)
        #expect(command.summary.count <= 60, "a summary has to fit on a line")
        #expect(command.help.hasSuffix(".") || command.help.contains("|"), "help is whole sentences")
        #expect(HelpText.all.text.contains(name))
        let reply = command.helpReply
        for synopsis in command.synopses { #expect(reply.text.contains(synopsis)) }
        for option in command.options { #expect(reply.text.contains(option.help)) }
        #expect(reply.text.split(separator: "\n").allSatisfy { $0.count <= 110 })
    }

    @Test func listsItselfForPrograms() throws {
        guard case .array(let listing) = HelpText.all.data else {
            Issue.record("help has no list")
            return
        }
        #expect(listing.count == CommandTable.all.count)
        let line = try HelpText.all.data.line()
        for kind in ["device", "preset", "path", "available-output", "attached-output", "size"] {
            #expect(line.contains("\"kind\":\"\(kind)\""))
        }
    }

    @Test(arguments: [
        ("zoom", "zoom [FACTOR|+N|-N] [at X,Y]"),
        ("format", "format WxH[@FPS] [FORMAT]"),
        ("photo", "photo [PATH] [--quality Q] [--overwrite] [--next] [--unsettled]"),
        ("quit", "quit"),
    ])
    func writesSynopses(name: String, synopsis: String) throws {
        #expect(try CommandTable.named(name).synopses == [synopsis])
    }

    @Test(arguments: [
        ("zoom 2", "FACTOR|+N|-N", ArgumentValue.zoom(.to(2))),
        ("zoom +0.5", "FACTOR|+N|-N", .zoom(.by(0.5))),
        ("zoom -1", "FACTOR|+N|-N", .zoom(.by(-1))),
        ("zoom 1e9", "FACTOR|+N|-N", .zoom(.to(1e9))),
        ("zoom 2 at 0.25,1", "X,Y", .point(NormalizedPoint(x: 0.25, y: 1))),
        ("zoom at 0,.5", "X,Y", .point(NormalizedPoint(x: 0, y: 0.5))),
        ("format 640x480", "WxH[@FPS]", .size(FormatRequest(width: 640, height: 480))),
        (
            "format 640x480@29.97 NV12", "WxH[@FPS]",
            .size(FormatRequest(width: 640, height: 480, frameRate: FrameRate(30000, 1001)))
        ),
        ("format 640x480 NV12", "FORMAT", .text("NV12")),
        ("preset hd1280x720", "NAME", .preset(.hd1280x720)),
        ("device 'a b'", "ID", .text("a b")),
        ("frames 3", "N", .integer(3)),
        ("photo a.jpg --quality 90", "Q", .integer(90)),
        ("photo --quality=90 a.jpg", "Q", .integer(90)),
        ("wait seconds 1.5", "S", .seconds(1.5)),
        ("wait frames 7", "N", .integer(7)),
        ("output remove x", "NAME", .text("x")),
        ("photo /a/é.jpg", "PATH", .path(URL(exactPath: "/a/é.jpg", isFolder: false))),
        ("photo -- --odd", "PATH", .path(URL(exactPath: "--odd", isFolder: false))),
        ("photo a.JpeG", "PATH", .path(URL(exactPath: "a.JpeG", isFolder: false))),
        ("photo 2026.01.31", "PATH", .path(URL(exactPath: "2026.01.31", isFolder: false))),
        ("photo 'at 1.5 m'", "PATH", .path(URL(exactPath: "at 1.5 m", isFolder: false))),
        ("photo .hidden", "PATH", .path(URL(exactPath: ".hidden", isFolder: false))),
        ("photo x.d/a", "PATH", .path(URL(exactPath: "x.d/a", isFolder: false))),
        ("frame a.Png", "PATH", .path(URL(exactPath: "a.Png", isFolder: false))),
        ("frame a", "PATH", .path(URL(exactPath: "a", isFolder: false))),
        ("photo -odd", "PATH", .path(URL(exactPath: "-odd", isFolder: false))),
    ])
    func bindsArguments(line: String, name: String, value: ArgumentValue) throws {
        #expect(try parse(line)[name] == value)
    }

    @Test(arguments: [
        "zoom 1,5", "zoom nan", "zoom inf", "zoom 0x2", "zoom 2 3", "zoom 2 at", "zoom 2 at 0,5,0,5",
        "zoom 2 at 1.5,0",
        "zoom 2 at 0.5", "zoom 2 at 0.5,0.5 more", "zoom ''", "format", "format 640", "format 640x",
        "format 640x480@",
        "format 640x480@0", "format 640x480@29,97", "format 0x480", "format -1x480",
        "format 640x480 NV12 more",
        "preset nosuch", "preset HIGH", "frames", "frames 0", "frames -1", "frames 1.5",
        "frames 99999999999999999999", "photo a b",
        "photo --quality", "photo --quality 0", "photo --quality 101", "photo --quality high",
        "photo --nosuch",
        "photo --overwrite=yes", "photo ''", "photo folder/", "photo folder/.png/", "frame ~/", "photo /",
        "photo /tmp", "frame /tmp", "frame ..", "photo a.png", "photo a.PNG", "photo a.tiff",
        "photo x/a.jpg.bak",
        "frame a.jpg", "frame a.JPEG", "frame .b/a.mp4", "wait", "wait frames",
        "wait seconds", "wait seconds -1", "wait seconds 1e9",
        "wait photo 1", "wait nothing", "output", "output add", "output nosuch x", "output add a b",
        "start now", "stop 1",
        "status x", "graph x", "quit 1", "devices x", "help zoom zoom", "device a b", "device ''",
    ])
    func refusesMalformedArguments(line: String) throws {
        let error = try #require(throws: CameraError.self) { try parse(line) }
        #expect(error.code == .usage)
        #expect(error.exitStatus == 2)
        #expect(error.message.contains("usage: "), "\(error.message)")
    }

    @Test(arguments: [
        ("photo a.png", "a.png would hold a JPEG; end its name in .jpg or .jpeg, or save a PNG with 'frame'"),
        ("photo a.gif", "a.gif would hold a JPEG; end its name in .jpg or .jpeg"),
        ("frame a.jpg", "a.jpg would hold a PNG; end its name in .png, or save a JPEG with 'photo'"),
    ])
    func saysWhatAFileWouldHold(line: String, message: String) throws {
        let error = try #require(throws: CameraError.self) { try parse(line) }
        #expect(error.message.contains(": \(message); usage: "), "\(error.message)")
    }

    @Test(arguments: ["nosuch", "Zoom", "''", "--help"])
    func refusesUnknownCommands(line: String) throws {
        let error = try #require(throws: CameraError.self) { try parse(line) }
        #expect(error.code == .unknownCommand)
        #expect(error.exitStatus == 2)
        #expect(error.message.contains("help"))
    }

    @Test(arguments: [
        ("Zoom", "did you mean zoom? "), ("devcies", "did you mean devices? "),
        ("out", "did you mean outputs or output? "), ("nosuch", ""),
    ])
    func namesTheCommandThatComesNear(line: String, question: String) throws {
        let error = try #require(throws: CameraError.self) { try parse(line) }
        #expect(error.message == "there is no command '\(line)'; \(question)'help' lists the commands")
    }

    @Test func expandsOnlyABareTilde() throws {
        guard case .path(let home) = try parse("photo ~/a.jpg")["PATH"],
            case .path(let quoted) = try parse("photo '~/a.jpg'")["PATH"],
            case .path(let user) = try parse("photo ~root/a.jpg")["PATH"]
        else {
            Issue.record("no paths")
            return
        }
        #expect(home.path.hasPrefix("/") && home.path.hasSuffix("/a.jpg") && !home.path.contains("~"))
        #expect(quoted.path.hasSuffix("/~/a.jpg"))
        #expect(user.path.hasSuffix("/~root/a.jpg"))
    }

    @Test(arguments: [
        ("nv12", PixelFormat.nv12), ("BGRX", .bgrx), ("mjpeg", .mjpeg), ("jpeg", .mjpeg),
        ("P010_10LE", PixelFormat(rawValue: "P010_10LE")),
    ])
    func understandsPixelFormats(name: String, format: PixelFormat) {
        let device = CaptureDevice(
            id: "x", name: "x", deviceType: .test, provider: "test",
            formats: [PixelFormat.nv12, .bgrx].map {
                .init(pixelFormat: $0, width: 2, height: 2, frameRates: [])
            })
        #expect(PixelFormat(named: name, offeredBy: device) == format)
    }
}

import CameraCore
import Foundation
import Testing

/// What README.md shows and claims, tried.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ReadmeTests {
    private let readme: Readme
    /// Stands in for a checkout in which a reader follows README.md.
    private let folder: TemporaryFolder

    init() throws {
        readme = try Readme()
        folder = try TemporaryFolder()
        for name in ["scripts/examples", "pipelines"] {
            try folder.make(folder: String(name.split(separator: "/").dropLast().joined()))
            try FileManager.default.copyItem(
                at: Readme.root.appending(path: name), to: folder.url.appending(path: name))
        }
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "scripts/camera"), withDestinationURL: CameraProcess.executable)
        let files = ["pipelines/sources/sunrise.launch", "pipelines/outputs/thumbnails.launch"]
        for (file, block) in zip(files, readme.blocks(of: "launch")) {
            #expect(readme.text.contains("`\(file)`"))
            try folder.make(file: file, here(block.text))
        }
        try folder.make(folder: "tmp")
    }

    /// Has what is meant for /tmp stay in the test's folder.
    private func here(_ text: String) -> String {
        text.replacing("/tmp/", with: folder.path("tmp") + "/")
    }

    private func shell(_ line: String) async throws -> (status: Int32, output: String) {
        try await blocking { [folder] in
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", line]
            process.environment = CameraProcess.environment(with: ["HOME": folder.path])
            process.currentDirectoryURL = folder.url
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            try process.run()
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: data, as: UTF8.self))
        }
    }

    /// Files of the test's folder with this ending, each of which GStreamer can decode.
    private func decodable(_ suffix: String, in name: String = "tmp") async throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path(name))
            .filter { $0.hasSuffix(suffix) }.sorted()
        let files = names.map { "'\(folder.path(name))/\($0)'" }.joined(separator: " ")
        let play = "gst-launch-1.0 -q filesrc location=\"$f\" ! decodebin ! fakesink >&2 || echo \"$f\""
        #expect(try await shell("for f in \(files); do \(play); done").output == "", "these do not decode")
        return names
    }

    // MARK: Shell

    @Test func hasTheTwoCommands() {
        #expect(
            readme.text.contains("\n    scripts/camera -c 'devices; photo /tmp/a.jpg'\n    scripts/test\n"))
    }

    @Test func everyShellLineWorks() async throws {
        let lines = readme.shellLines
        #expect(lines.count > 6)
        for line in lines {
            let run = try await shell(here(line))
            #expect(run.status == 0, "\(line): \(run.output)")
        }
        let photos = try await decodable(".jpg")
        #expect(Set(["a.jpg", "sunrise.jpg", "zoomed.jpg"]).isSubset(of: photos))
        // The first picture comes at once, the others a second apart; a busy machine may miss one of the three seconds.
        #expect((1...4).contains(photos.count { $0.hasPrefix("thumbnail-") }))
        let folders = [
            "film": "record", "zoom": "zoom-sweep", "tour": "preset-tour", "sheet": "contact-sheet",
        ]
        for (name, script) in folders {
            let file = folder.path("scripts/examples/\(script).camera")
            let commands = try String(contentsOfFile: file, encoding: .utf8)
            let expected = commands.split(separator: "\n").count { $0 == "photo" }
            #expect(photos.count { $0.hasPrefix(name + "/IMG_") } == expected, "photos of \(script)")
        }
    }

    @Test func refusesToReplaceAPhoto() async throws {
        let line = here("scripts/camera -c 'devices; photo /tmp/a.jpg'")
        #expect(try await shell(line).status == 0)
        #expect(try await shell(line).status == 1)
        #expect(try await shell(line.replacing("a.jpg'", with: "a.jpg --overwrite'")).status == 0)
    }

    @Test func theScriptIsTheExampleAndRecords() async throws {
        let script = try String(
            contentsOf: Readme.root.appending(path: "scripts/examples/record.camera"), encoding: .utf8)
        let commands = script.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
        #expect(try readme.block("camera").lines == commands)
        try folder.make(file: "shown.camera", try readme.block("camera").text)
        #expect(try await shell("scripts/camera -d test:ball -o film shown.camera").status == 0)
        #expect(try await decodable(".jpg", in: "film").count == 1)
        #expect(try await decodable(".mkv", in: "film").count == 1)
    }

    @Test func programsGetTheShownJSON() async throws {
        let line = try #require(readme.shellLines.first { $0.contains("--json") })
        let answers = try await shell(here(line)).output.split(separator: "\n").map {
            try Self.keys(of: String($0))
        }
        #expect(answers == (try readme.block("json").lines.map(Self.keys)))
        let listing = try await shell("scripts/camera --json -c help").output
        #expect(try CameraProcess.Answer(line: listing).data(as: [[String: Any]].self).count > 15)
        #expect(try await shell("scripts/camera -c nosuch 2>&1").status == 2)
    }

    /// A line of JSON with every number and path made the same.
    private static func keys(of line: String) throws -> String {
        _ = try CameraProcess.Answer(line: line)
        return line.replacing(/(bytes|latency_ms|pts)":[0-9.]+/) { "\($0.1)\":N" }
            .replacing(/"path":"[^"]*\//, with: "\"path\":\"")
    }

    // MARK: The session

    @Test func theSessionGoesAsShown() async throws {
        let (start, exchanges) = try readme.session()
        #expect(start == "$ scripts/camera -d test:ball")
        #expect(exchanges.last?.command == "quit")
        let terminal = try TerminalProcess(
            ["-d", "test:ball"], environment: ["HOME": folder.path, "XDG_STATE_HOME": folder.path])
        try await terminal.screen.wait(for: "camera> ")
        for exchange in exchanges { try terminal.type(here(exchange.command) + "\n") }
        #expect(await terminal.end() == 0)
        let lines = Self.visible(terminal.screen.text).map(normalised)
        for exchange in exchanges {
            // Typing does not wait for the replies, so what is typed can stand between them.
            let shown = exchange.reply.map { normalised(here($0)) }
            #expect(lines.contains(shown), "\(exchange.command) answers otherwise: \(lines)")
        }
        #expect(try await decodable(".jpg") == ["ball.jpg"])
    }

    /// The lines on a screen, without what moves the cursor, what was typed, and the prompt.
    private static func visible(_ screen: String) -> [String] {
        screen.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "").split(whereSeparator: \.isNewline)
            .map(String.init)
            .filter { !$0.hasPrefix("camera>") && !$0.hasPrefix("dropped ") }
    }

    /// The line without the numbers that differ from run to run.
    private func normalised(_ line: String) -> String {
        if line.contains(/^(captured|latency|measured|frames|uptime)\s/) {
            return line.replacing(/[0-9][0-9.]*/, with: "N")
        }
        return line.replacing(/[0-9]+ bytes/, with: "N bytes")
    }

    // MARK: Swift

    @Test func theSwiftExampleIsTheCompiledOne() throws {
        let compiled = try String(
            contentsOf: Readme.root.appending(path: "Tests/CameraCoreTests/ReadmeExample.swift"),
            encoding: .utf8)
        let shown = try readme.block("swift").text
        #expect(shown.split(whereSeparator: \.isWhitespace) == compiled.split(whereSeparator: \.isWhitespace))
    }

    @Test func theNamedAPIExists() throws {
        let names = try readme.table(under: "From AVFoundation").flatMap { Readme.code(in: $0[1]) }
        #expect(names.count > 30)
        let core = Readme.root.appending(path: "Sources/CameraCore")
        let sources = try FileManager.default.subpathsOfDirectory(atPath: core.path)
            .filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOf: core.appending(path: $0), encoding: .utf8) }.joined()
        for name in names where !name.contains("/") && name != "recording" {
            let parts = name.split(whereSeparator: { "(:)".contains($0) }).map(String.init)
            let base = try #require(parts.first?.split(separator: ".").last)
            let declaration =
                name.contains("(")
                ? "func \(base)" + parts.dropFirst().filter { $0 != "_" }.map { "[^{}]*\\b\($0)\\b" }.joined()
                : "(func|var|let|case|struct|class|actor|enum) \(base)\\b"
            #expect(sources.contains(try Regex(declaration)), "there is no \(name)")
        }
    }

    @Test func thePackageHasTheProduct() throws {
        let manifest = try String(contentsOf: Readme.root.appending(path: "Package.swift"), encoding: .utf8)
        #expect(manifest.contains(".library(name: \"CameraCore\""))
        #expect(manifest.contains("name: \"camera-core\""))
    }

    // MARK: Tables and files

    @Test func everyErrorCodeHasItsRemedy() throws {
        let rows = try readme.table(under: "Troubleshooting")
        let codes = rows.map { $0[0].trimmingCharacters(in: ["`"]) }
        #expect(codes == CameraError.Code.allCases.map(\.rawValue))
        #expect(rows.allSatisfy { $0.count == 3 && $0.allSatisfy { !$0.isEmpty } })
    }

    @Test func namedFilesExist() throws {
        let links = readme.text.matches(of: /\]\(([^):]+)\)/).map { String($0.1) }
        let named = Readme.code(in: readme.text).filter {
            $0.wholeMatch(of: /pipelines\/\w+\/[a-z0-9-]+\.launch/) != nil
        }
        #expect(links.count > 3 && named.count > 4)
        for path in links {
            #expect(FileManager.default.fileExists(atPath: Readme.root.appending(path: path).path), "\(path)")
        }
        for path in named { #expect(FileManager.default.fileExists(atPath: folder.path(path)), "\(path)") }
    }

    @Test func theRemediesAreCommands() async throws {
        let remedies = try readme.table(under: "Troubleshooting").map { $0[2] }
        let help = try await CameraProcess.run(["-c", "help"], environment: ["HOME": folder.path]).output
        let commands = Set(help.split(separator: "\n").compactMap { $0.split(separator: " ").first })
        let named = Set(remedies.flatMap(Readme.code).compactMap { $0.split(separator: " ").first })
            .filter { $0.wholeMatch(of: /[a-z]+/) != nil }.subtracting(["video", "high", "camera"])
        #expect(named.isSubset(of: commands), "\(named.subtracting(commands))")
    }
}

extension [String] {
    /// Whether the lines are there in this order, whatever stands between them.
    fileprivate func contains(_ lines: [String]) -> Bool {
        var rest = lines[...]
        for line in self where line == rest.first { rest.removeFirst() }
        return rest.isEmpty
    }
}

import Foundation
import Testing

/// The list of cameras, and what is wrong with those that files describe.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct DevicesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func run(_ arguments: String...) async throws -> CameraProcess.Outcome {
        try await CameraProcess.run(
            ["--pipelines", folder.path("p")] + arguments, environment: ["HOME": folder.path],
            folder: folder.path)
    }

    @Test func keepsTheTableCompact() async throws {
        let text = "videotestsrc ! nosuchelement\(String(repeating: "1", count: 200)) ! fakesink"
        try folder.make(file: "p/sources/broken.launch", text)
        try folder.make(
            file: "p/sources/good.launch", "# name: Good\nvideotestsrc ! video/x-raw,width=64,height=48")
        let lines = try await run("-c", "devices").output.split(separator: "\n")
        let row = try #require(lines.firstIndex { $0.contains("file:broken") })
        #expect(lines[row].contains(/unusable +broken$/), "\(lines[row])")
        #expect(lines[row + 1].contains("broken.launch") && lines[row + 1].count > 200)
        #expect(lines[row + 2].contains(/file:good .* Good$/))
        for line in lines where line != lines[row + 1] { #expect(line.count < 80, "\(line)") }
        let names = ["Colour", "Moving", "broken", "Good"]
        let columns = lines.compactMap { line in
            names.compactMap { line.range(of: $0, options: .backwards) }.first {
                line[..<$0.lowerBound].hasSuffix("  ")
            }
            .map { line.distance(from: line.startIndex, to: $0.lowerBound) }
        }
        #expect(columns.count == 4 && Set(columns).count == 1, "the names stand in one column: \(columns)")
    }

    @Test func namesWhatComesNearAnUnknownCamera() async throws {
        for number in 0..<40 { try folder.make(file: "p/sources/cam-\(number).launch", "videotestsrc") }
        for arguments in [["-d", "test:bar"], ["-c", "device tset:bars"]] {
            let outcome = try await run(arguments[0], arguments[1])
            #expect(outcome.status == 1)
            #expect(
                outcome.errors.contains("; did you mean test:bars? 'devices' lists them"), "\(outcome.errors)"
            )
            #expect(!outcome.errors.contains("cam-"))
        }
    }

    @Test func tellsOfMistakesInHeaders() async throws {
        try folder.make(file: "p/sources/a.launch", "# name: A\n# postion: back\nvideotestsrc")
        let notice =
            "\(folder.path("p/sources/a.launch")):2: 'postion' is not part of a header; write name, position, exposure or fault"
        #expect(try await run("-c", "devices").output.contains("\nnotice: \(notice)\n"))
        let json = try await run("--json", "-c", "devices").answers[0].line
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(object?["notices"] as? [String] == [notice])
        let chosen = try await run("-d", "file:a", "-c", "help quit")
        #expect(chosen.errors == "notice: \(notice)\n")
    }

    @Test(.enabled(if: Nobody.canRun, "needs a user who may not read everything"))
    func tellsOfFoldersThatMayNotBeRead() async throws {
        for kind in ["sources", "outputs"] {
            try folder.make(file: "p/\(kind)/a.launch", "videotestsrc")
            #expect(chmod(folder.path("p/\(kind)"), 0) == 0)
        }
        defer { for kind in ["sources", "outputs"] { chmod(folder.path("p/\(kind)"), 0o700) } }
        #expect(chmod(folder.path, 0o755) == 0)
        let outcome = try await Nobody.run(
            ["--pipelines", folder.path("p"), "-k", "-c", "devices; outputs; device file:a"],
            home: folder.path)
        for kind in ["sources", "outputs"] {
            let notice = "notice: the folder \(folder.path("p/\(kind)")) cannot be read: Permission denied; "
            #expect(outcome.output.contains(notice), "\(outcome.output)")
        }
        #expect(outcome.status == 1 && outcome.errors.contains("there is no camera 'file:a': the folder "))
    }
}

/// A user whom permissions keep out: this one, unless it is root.
enum Nobody {
    static let canRun: Bool = {
        guard geteuid() == 0 else { return true }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", #"\#(command) "$0" --version"#, CameraProcess.executable.path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    private static let command =
        geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups --" : "exec"

    static func run(_ arguments: [String], home: String) async throws -> CameraProcess.Outcome {
        try await CameraProcess.run(
            ["-c", #"\#(command) "$@""#, "sh", CameraProcess.executable.path] + arguments,
            environment: ["HOME": home], executable: URL(filePath: "/bin/sh"))
    }
}

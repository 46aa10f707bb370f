import Foundation
import Testing

/// What people met with other camera programs, as they would meet it here.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct FieldReportTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func start(_ options: String...) throws -> CameraProcess {
        try CameraProcess(
            ["--json", "-k"] + options, environment: ["HOME": folder.path], folder: folder.path)
    }

    /// A program that asks an unplugged camera again and again takes a whole processor.
    @Test func nothingIsDoneWhileACameraIsAway() async throws {
        try folder.make(
            file: "pipelines/sources/away.launch",
            """
            # fault: unplug after 30 frames for 3600 s
            videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=30/1
            """)
        let process = try start("-d", "file:away")
        // Far more frames than come: the wait ends with the camera.
        try process.send("wait frames 100000\n")
        try await process.waitForOutput("device-lost")
        let before = try process.cpuTime
        try process.send("wait seconds 1\n")
        try await process.waitForOutput("waited_s")
        #expect(try process.cpuTime - before < 0.2)
        try process.send("status\nquit\n")
        let outcome = await process.end()
        #expect(outcome.status == 1)
        let status: [String: Any] = try #require(try outcome.answers.last { $0.command == "status" }).data()
        #expect(status["state"] as? String == "interrupted")
    }

    /// A gigabyte of frames goes by while nobody asks for one.
    @Test(.disabled(if: isSanitized, "a sanitizer keeps freed memory for a while"))
    func framesThatNobodyPullsAreNotKept() async throws {
        let process = try start("-d", "test:bars")
        try process.send("format 1920x1080@60 I420\nframes 2\nstatus\n")
        try await process.waitForOutput("\"status\"")
        let before = try process.residentBytes
        try process.send("wait seconds 6\n")
        try await process.waitForOutput("waited_s")
        #expect(try process.residentBytes - before < 50 << 20)
        try process.send("status\nframe\nquit\n")
        let answers = try await process.end().answers
        let frames: [[String: Any]] = try answers[1].data()
        let newest: [String: Any] = try answers[5].data()
        let came = try delivered(answers[4]) - delivered(answers[2])
        let numbers = try [frames.last, newest].map { try #require($0?["sequence"] as? Int) }
        #expect(came > 10 && numbers[1] - numbers[0] > came - 10, "the next frame is the newest")
    }

    private func delivered(_ status: CameraProcess.Answer) throws -> Int {
        let data: [String: Any] = try status.data()
        return try #require((data["frames"] as? [String: Any])?["delivered"] as? Int)
    }

    @Test func framesGoOnBesideAPhotoBranchThatWaits() async throws {
        let process = try start("-d", "test:bars", "-p", "vga640x480")
        try process.send("photo a.jpg\nframe\nwait frames 60\nframe\nquit\n")
        let answers = try await process.end().answers
        let times = try [1, 3].map {
            try #require(answers[$0].data(as: [String: Any].self)["pts"] as? Double)
        }
        // Sixty frames take two seconds when every one comes, and more when the machine is busy.
        #expect(times[1] - times[0] >= 1.9)
    }

    @Test func aPhotoGoesExactlyWhereItsPathSays() async throws {
        let path = folder.path("My Photos (1)/é 日本.jpg")
        try folder.make(folder: "My Photos (1)")
        let process = try start("-d", "test:bars", "-p", "vga640x480")
        try process.send("photo \"\(path)\"\nquit\n")
        let outcome = await process.end()
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("My Photos (1)")) == ["é 日本.jpg"])
        #expect(try Data(contentsOf: URL(filePath: path)).suffix(2) == Data([0xFF, 0xD9]))
    }

    @Test func shotsBackToBackAreAllWhole() async throws {
        let process = try start("-d", "test:ball", "-p", "vga640x480")
        try process.send((0..<10).map { "photo \($0).jpg\n" }.joined() + "quit\n")
        let answers = try await process.end().answers.filter { $0.command == "photo" }
        #expect(answers.count == 10)
        for (number, answer) in answers.enumerated() {
            let file = folder.url.appending(path: "\(number).jpg")
            guard answer.isSuccess else {
                #expect(!FileManager.default.fileExists(atPath: file.path))
                continue
            }
            let data = try Data(contentsOf: file)
            #expect(data.prefix(2) == Data([0xFF, 0xD8]) && data.suffix(2) == Data([0xFF, 0xD9]))
        }
    }
}

private let isSanitized = ProcessInfo.processInfo.environment["CAMERA_SANITIZER"] != nil

extension CameraProcess {
    /// Seconds of processor time that it has taken so far.
    fileprivate var cpuTime: Double {
        get throws {
            // What follows the name, which may hold anything: user and system time are the 12th and 13th.
            let text = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
            let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
            guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
                throw TestFailure("no times in \(text)")
            }
            return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
    }

    fileprivate var residentBytes: Int {
        get throws {
            let text = try String(contentsOfFile: "/proc/\(identifier)/statm", encoding: .utf8)
            let fields = text.split(separator: " ")
            guard fields.count > 1, let pages = Int(fields[1]) else {
                throw TestFailure("no sizes in \(text)")
            }
            return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        }
    }
}

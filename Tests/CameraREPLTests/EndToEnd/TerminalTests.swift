import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct TerminalTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func start(_ arguments: String...) async throws -> TerminalProcess {
        let terminal = try TerminalProcess(
            ["-d", "test:bars"] + arguments,
            environment: ["HOME": folder.path, "XDG_STATE_HOME": folder.path])
        try await terminal.screen.wait(for: "camera> ")
        return terminal
    }

    @Test func talks() async throws {
        let terminal = try await start()
        try await terminal.enter("zoom 2", until: "crop  ")
        try await terminal.enter("zoom 99", until: "error: zoom 99")
        try await terminal.enter("nosuch", until: "error: there is no command 'nosuch'")
        try await terminal.enter("help quit", until: "End the session")
        try terminal.type("quit\n")
        #expect(await terminal.end() == 0)
    }

    @Test func endsAtTheEndOfTheInput() async throws {
        let terminal = try await start()
        try terminal.type("\u{4}")
        #expect(await terminal.end() == 0)
    }

    @Test func completesCommandsAndNames() async throws {
        let terminal = try await start()
        try terminal.type("dev\t")
        try await terminal.screen.wait(for: "ice")
        // Two commands begin like this, so the blank that ends the word is not added.
        try terminal.type(" test:ba\t\t")
        try await terminal.screen.wait(for: "test:ball")
        try terminal.type("l\t")
        try await terminal.enter("", until: "name      ")
        try terminal.type("pre\t hd12\t")
        try await terminal.enter("", until: "size       1280x720")
        try terminal.type("quit\n")
        #expect(await terminal.end() == 0)
    }

    @Test func keepsTheHistory() async throws {
        let first = try await start()
        try await first.enter("zoom 2.125  ", until: "crop  ")
        try first.type("quit\n")
        #expect(await first.end() == 0)
        let second = try await start()
        // Two lines back: the last one was quit.
        try await second.enter("\u{1B}[A\u{1B}[A", until: "2.125 (1 to ")
        try second.type("quit\n")
        #expect(await second.end() == 0)
        let kept = try String(contentsOfFile: folder.path("camera/history"), encoding: .utf8)
        #expect(kept.split(separator: "\n").count == 5, "a heading and four lines: \(kept)")
    }

    @Test func interruptsTheRunningCommandOnly() async throws {
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        try folder.make(
            file: "pipelines/sources/pipe.launch",
            "filesrc location=\"\(pipe)\" ! rawvideoparse format=i420 width=320 height=240 framerate=30/1")
        let terminal = try await start("--pipelines", folder.path("pipelines"))
        try await terminal.enter("device file:pipe", until: "id        file:pipe")
        try terminal.type("start\n")
        // An interrupt at the prompt would clear the line. That the pipe is read shows that the command runs; it waits
        // for a frame that nobody writes.
        let writer = try await Self.writer(to: pipe)
        terminal.signal(SIGINT)
        try await terminal.screen.wait(for: "error: interrupted")
        close(writer)
        try await terminal.enter("device test:bars", until: "id        test:bars")
        try await terminal.enter("zoom 2", until: "crop  ")
        try terminal.type("quit\n")
        #expect(await terminal.end() == 0)
    }

    /// The camera that the command line names is brought up before the first prompt.
    @Test func interruptsTheBeginning() async throws {
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        // This element reads its file as soon as it is made.
        try folder.make(
            file: "pipelines/sources/pipe.launch",
            "videotestsrc ! rsvgoverlay location=\"\(pipe)\" ! video/x-raw,format=BGRA,width=320,height=240")
        let terminal = try TerminalProcess(
            ["--pipelines", folder.path("pipelines"), "-d", "file:pipe"],
            environment: ["HOME": folder.path, "XDG_STATE_HOME": folder.path])
        let writer = try await Self.writer(to: pipe)
        terminal.signal(SIGINT)
        try await terminal.screen.wait(for: "error: interrupted")
        try await terminal.screen.wait(for: "camera> ")
        close(writer)
        try terminal.type("quit\n")
        #expect(await terminal.end() == 0)
    }

    /// Opens a named pipe as soon as somebody reads from it.
    private static func writer(to pipe: String) async throws -> Int32 {
        while true {
            let descriptor = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            if descriptor >= 0 { return descriptor }
            guard errno == ENXIO else { throw TestFailure("\(pipe): \(String(cString: strerror(errno)))") }
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func clearsTheLineAtThePrompt() async throws {
        let terminal = try await start()
        try terminal.type("zoom 99 oops")
        try await terminal.screen.wait(for: "oops")
        try terminal.type("\u{3}")
        try await terminal.screen.wait(for: "^C")
        try await terminal.enter("zoom 2", until: "crop  ")
        #expect(!terminal.screen.text.contains("error"))
        try terminal.type("quit\n")
        #expect(await terminal.end() == 0)
    }

    @Test func tellsWhatHappensAtThePrompt() async throws {
        let terminal = try await start("--pipelines", CameraProcess.pipelines)
        try await terminal.enter("device file:fails-after-60", until: "formats")
        try await terminal.enter("start", until: "running")
        try await terminal.screen.wait(for: "notice: interrupted: ")
        // The line that is typed next is read as if nothing had happened.
        try await terminal.enter("device test:bars", until: "id        test:bars")
        try terminal.type("quit\n")
        #expect(await terminal.end() == 0)
    }

    /// What comes while something is typed waits for the line's end, or until nothing is left of the line.
    @Test func tellsWhatWasHeldBackWhenTheLineIsEmptyAgain() async throws {
        try folder.make(file: "pipelines/outputs/frail.launch", "identity error-after=45 ! fakesink")
        let terminal = try await start("--pipelines", folder.path("pipelines"))
        try await terminal.enter("output add frail", until: "frail  running")
        try terminal.type("zq")
        try await terminal.screen.wait(for: "zq")
        // Twice as many frames as the output lives for.
        let other = ["-d", "test:bars", "-c", "wait frames 90"]
        #expect(try await CameraProcess.run(other, environment: ["HOME": folder.path]).status == 0)
        try terminal.type("\u{7F}\u{7F}")
        try await terminal.screen.wait(for: "notice: output frail failed")
        try await terminal.enter("zoom 2", until: "crop  ")
        try terminal.type("quit\n")
        #expect(await terminal.end() == 0)
    }

    @Test func joinsQuotedLines() async throws {
        let terminal = try await start()
        try terminal.type("help '\n")
        try await terminal.screen.wait(for: "      > ")
        try await terminal.enter("'", until: "error: there is no command '")
        try terminal.type("quit\n")
        #expect(await terminal.end() == 0)
    }

    @Test func stopsOnSIGTERM() async throws {
        let terminal = try await start()
        terminal.signal(SIGTERM)
        #expect(await terminal.end() == 143)
    }

    @Test func keepsAnswersApartFromThePrompt() async throws {
        let terminal = try await start("--json")
        try await terminal.enter("zoom 2", until: "{\"command\":\"zoom\"")
        try terminal.type("quit\n")
        #expect(await terminal.end() == 0)
        #expect(terminal.screen.text.contains("{\"command\":\"quit\""))
    }
}

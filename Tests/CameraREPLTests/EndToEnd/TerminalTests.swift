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
        let terminal = try await start()
        // An interrupt at the prompt would clear the line; the first reply shows that the line is being carried out.
        try await terminal.enter("status; wait seconds 3600", until: "uptime")
        // One that comes between the two commands interrupts neither, so there may have to be another; they come far
        // apart, so that none is left for the prompt that follows.
        while !terminal.screen.text.contains("interrupted") {
            terminal.signal(SIGINT)
            for _ in 0..<5_000 where !terminal.screen.text.contains("interrupted") { await Task.yield() }
        }
        try await terminal.enter("zoom 2", until: "crop  ")
        try terminal.type("quit\n")
        #expect(await terminal.end() == 0)
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
        let pipelines = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../pipelines")
        let terminal = try await start("--pipelines", pipelines.standardized.path)
        try await terminal.enter("device file:fails-after-60", until: "formats")
        try await terminal.enter("start", until: "running")
        try await terminal.screen.wait(for: "notice: interrupted: ")
        // The line that is typed next is read as if nothing had happened.
        try await terminal.enter("device test:bars", until: "id        test:bars")
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

@preconcurrency import CEdit
import Dispatch
import Glibc
import GStreamer

/// Reads lines at a terminal, with editing, history and completion: libedit.
///
/// libedit keeps its state in global variables and is not safe to use from several threads, so every call of
/// it is made on one serial queue, and a process has one editor. The thread waits in `poll` and not in
/// libedit, which lets signals and notices through while a line is being typed.
final class LineEditor: Sendable {
    enum Input: Sendable, Equatable {
        case line(String)
        /// SIGINT at the prompt: the line is cleared.
        case interrupted
        case end
        /// The task that asked was cancelled.
        case cancelled
    }

    private struct Requests {
        var isReading = false
        var isInterrupted = false
        var isCancelled = false
        var isResized = false
        var isContinued = false
        var notices: [String] = []
    }

    private let show: @Sendable (String) -> Void
    private let history: History
    private let outputDescriptor: Int32
    private let queue = DispatchQueue(label: "camera.terminal")
    private let wakeup = Wakeup()
    private let requests = Guarded(Requests())

    /// - Parameters:
    ///   - outputDescriptor: Where the prompt and what is typed are shown.
    ///   - historyFile: Where lines are kept for the next session.
    ///   - show: Shows a notice on a line of its own.
    init(outputDescriptor: Int32, historyFile: String, show: @escaping @Sendable (String) -> Void) {
        self.show = show
        self.outputDescriptor = outputDescriptor
        history = History(path: historyFile)
        var settings = termios()
        if tcgetattr(STDIN_FILENO, &settings) == 0 {
            Self.initialSettings.withLock { $0 = settings }
        }
        queue.async { self.prepare() }
    }

    /// Reads a line, without completion if that is `nil`; what was typed so far is lost when the task is cancelled.
    func readLine(prompt: String, completion: Completion?) async -> Input {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async {
                    continuation.resume(returning: self.readNow(prompt: prompt, completion: completion))
                }
            }
        } onCancel: {
            request { $0.isCancelled = true }
        }
    }

    /// Clears the line that is being typed.
    func interrupt() { request { $0.isInterrupted = true } }

    /// The window has another size.
    func resize() { request { $0.isResized = true } }

    /// The process was suspended and goes on; the terminal has somebody else's settings.
    func resume() { request { $0.isContinued = true } }

    /// Shows a notice: at once if no line is being typed, else when that line is empty or done.
    func post(_ notice: String) {
        let isReading = requests.withLock { requests in
            if requests.isReading { requests.notices.append(notice) }
            return requests.isReading
        }
        if isReading { wakeup.signal() } else { show(notice) }
    }

    /// Gives the terminal back the settings that it had, from any thread; for an exit that cannot wait.
    static func restoreTerminal() {
        guard var settings = initialSettings.withLock({ $0 }) else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    private static let initialSettings = Guarded<termios?>(nil)

    private func request(_ edit: @Sendable (inout Requests) -> Void) {
        requests.withLock { edit(&$0) }
        wakeup.signal()
    }
}

// What runs on the editor's queue.
extension LineEditor {
    private func prepare() {
        // Signals are the router's: libedit would send them on to the whole process group.
        rl_catch_signals = 0
        rl_readline_name = UnsafePointer(strdup("camera"))
        rl_instream = fdopen(STDIN_FILENO, "r")
        rl_outstream = fdopen(outputDescriptor, "w")
        rl_initialize()
        rl_basic_word_break_characters = UnsafePointer(strdup(" \t\n;"))
        rl_attempted_completion_function = completeWord
        if let problem = history.load() { show(problem) }
    }

    private func readNow(prompt: String, completion: Completion?) -> Input {
        Callbacks.state.withLock { $0 = Callbacks.State(completion: completion) }
        requests.withLock { requests in
            requests.isReading = true
            // What came while no line was being read has no line to act upon.
            requests.isInterrupted = false
            requests.isContinued = false
        }
        rl_callback_handler_install(prompt, takeLine)
        let input = waitForLine(prompt: prompt)
        rl_callback_handler_remove()
        let notices = requests.withLock { requests in
            defer { requests = Requests() }
            return requests.notices
        }
        if case .line(let line) = input, let problem = history.add(line) { show(problem) }
        for notice in notices { show(notice) }
        return input
    }

    private func waitForLine(prompt: String) -> Input {
        // Until something is typed, libedit's variables still speak of the line before.
        var text = ""
        while true {
            let reason = wakeup.wait(forInputFrom: STDIN_FILENO)
            if reason.contains(.signal), let input = handleRequests(prompt: prompt, text: text) {
                return input
            }
            if reason.contains(.input) {
                // libedit leaves its variables as they are when a key has emptied the line.
                rl_line_buffer?.pointee = 0
                rl_callback_read_char()
                if let input = Callbacks.state.withLock(\.input) { return input }
                text = rl_line_buffer.map { String(cString: $0) } ?? ""
                // What was held back for the line's sake waits no longer.
                if text.isEmpty, let input = handleRequests(prompt: prompt, text: text) { return input }
            } else if reason.contains(.hangup) {
                return .end
            }
        }
    }

    private func handleRequests(prompt: String, text: String) -> Input? {
        let taken = requests.withLock { requests in
            var taken = requests
            requests = Requests()
            requests.isReading = true
            if !text.isEmpty { swap(&requests.notices, &taken.notices) }
            return taken
        }
        if taken.isCancelled {
            display("\n")
            return .cancelled
        }
        if taken.isInterrupted {
            display("^C\n")
            return .interrupted
        }
        if taken.isResized { rl_resize_terminal() }
        if taken.isContinued || !taken.notices.isEmpty {
            redraw(prompt: prompt, text: text) {
                for notice in taken.notices { show(notice) }
            }
        }
        return nil
    }

    /// Takes the prompt away, lets something else be shown, and brings prompt and text back.
    private func redraw(prompt: String, text: String, showing other: () -> Void) {
        rl_callback_handler_remove()
        display("\r" + String(repeating: " ", count: prompt.count) + "\r")
        other()
        rl_callback_handler_install(prompt, takeLine)
        if !text.isEmpty {
            rl_insert_text(text)
            // Not rl_redisplay: libedit makes it a ^R typed by nobody, which begins a search. It draws as if
            // the cursor were at the left.
            display("\r")
            rl_forced_update_display()
        }
    }

    private func display(_ text: String) {
        fputs(text, rl_outstream)
        fflush(rl_outstream)
    }
}

/// What libedit's callbacks, which take no context, share with the editor.
private enum Callbacks {
    struct State {
        var completion: Completion?
        var input: LineEditor.Input?
    }

    static let state = Guarded(State())
}

/// Called by libedit when a line is complete, or with `nil` at the end of the input.
private func takeLine(_ line: UnsafeMutablePointer<CChar>?) {
    let input: LineEditor.Input
    if let line {
        input = .line(String(cString: line))
        free(line)
    } else {
        input = .end
    }
    Callbacks.state.withLock { $0.input = input }
}

/// Called by libedit for TAB. The result belongs to libedit: a list that ends in `nil`, with the common
/// beginning first.
///
/// `rl_point` and `start` count characters, while the line is a string of bytes.
private func completeWord(_ text: UnsafePointer<CChar>?, _ start: Int32, _ end: Int32)
    -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
{
    // libedit would offer file names where nothing fits.
    rl_attempted_completion_over = 1
    guard let text, let buffer = rl_line_buffer else { return nil }
    let line = String(String.UnicodeScalarView(String(cString: buffer).unicodeScalars.prefix(Int(rl_point))))
    guard let completion = Callbacks.state.withLock(\.completion) else { return nil }
    let result = completion.candidates(for: line)
    // libedit replaces its own idea of the word, which can begin later than the real one.
    let written = String(decoding: Array(line.utf8.dropFirst(result.wordStart)), as: UTF8.self)
    let kept = written.unicodeScalars.count - String(cString: text).unicodeScalars.count
    guard kept >= 0 else { return nil }
    let head = String(String.UnicodeScalarView(written.unicodeScalars.prefix(kept)))
    let candidates = result.candidates.filter { $0.written.hasPrefix(head) }
    guard let first = candidates.first else { return nil }
    let isSingle = candidates.count == 1
    rl_completion_append_character = isSingle && first.isWhole ? Int32(UInt8(ascii: " ")) : 0
    let endings = candidates.map {
        String(String.UnicodeScalarView($0.written.unicodeScalars.dropFirst(kept)))
    }
    let common = endings.dropFirst().reduce(endings[0]) { commonBeginning($0, $1) }
    let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocateForC(count: endings.count + 2)
    for (index, ending) in ([common] + endings).enumerated() { list?[index] = strdup(ending) }
    return list
}

private func commonBeginning(_ first: String, _ second: String) -> String {
    let pairs = zip(first.unicodeScalars, second.unicodeScalars)
    return String(String.UnicodeScalarView(pairs.prefix { $0 == $1 }.map(\.0)))
}

extension UnsafeMutablePointer {
    /// Zeroed memory that C code frees with `free`.
    fileprivate static func allocateForC(count: Int) -> UnsafeMutablePointer? {
        calloc(count, MemoryLayout<Pointee>.stride)?.bindMemory(to: Pointee.self, capacity: count)
    }
}

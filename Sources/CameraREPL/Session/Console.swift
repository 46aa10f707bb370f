import CameraCore
import Glibc
import GStreamer

/// Where answers and notices go: standard output and standard error, each line in one piece.
final class Console: Sendable {
    /// Standard output cannot take any more.
    struct Closed: Error {
        /// The system's error number; `EPIPE` when nobody reads any more.
        let number: Int32
    }

    let isJSON: Bool
    let isVerbose: Bool
    private let lock = Guarded(())

    /// - Parameters:
    ///   - isJSON: Whether answers are JSON, one object a line.
    ///   - isVerbose: Whether ``detail(_:)`` is shown.
    init(isJSON: Bool, isVerbose: Bool) {
        self.isJSON = isJSON
        self.isVerbose = isVerbose
    }

    /// Takes the numbers of the standard descriptors that were closed when the process began; call it first.
    ///
    /// Otherwise the next file that is opened, a pipe of GStreamer's or a photo, would get the number, and the answers
    /// would go there.
    static func holdClosedDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            guard fcntl(descriptor, F_GETFD) < 0 else { continue }
            // The lowest free number is given, so it is this one. Opened the wrong way round, its use still fails.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Says that the answers cannot be written.
    ///
    /// - Returns: The exit status to end with.
    func giveUp(_ closed: Closed) -> Int32 {
        // Nobody reads the answers any more: as for any other program in a pipe, that ends the work.
        if closed.number == EPIPE { return ExitStatus.signal(SIGPIPE) }
        complain(
            "cannot write to standard output: \(FileFailure.text(closed.number)); send it somewhere else")
        return ExitStatus.failed
    }

    /// Writes plain text; gives what keeps it from being written.
    func print(_ text: String) -> Closed? {
        do throws(Closed) {
            try write(text, to: STDOUT_FILENO)
            return nil
        } catch {
            return error
        }
    }

    /// Shows the answer to a command.
    ///
    /// - Throws: ``Closed`` when it cannot be shown.
    func show(_ answer: Answer) throws {
        switch answer.result {
        case _ where isJSON:
            try write(try answer.json.line() + "\n", to: STDOUT_FILENO)
        case .success(let reply):
            let lines = (reply.text.isEmpty ? [] : [reply.text]) + reply.notices.map { "notice: \($0)" }
            if !lines.isEmpty {
                try write(lines.joined(separator: "\n").withoutControls + "\n", to: STDOUT_FILENO)
            }
        case .failure(let error):
            complain(error.message, at: answer.place)
        }
        if case .failure(let error) = answer.result, let underlying = error.underlying {
            detail("\(error.code): \(underlying)")
        }
    }

    /// Says what is wrong, with the place of the command where that is known.
    func complain(_ message: String, at place: Place? = nil) {
        say(place.map { "\($0): \(message)" } ?? "error: \(message)")
    }

    /// Says something that belongs to no command.
    func notice(_ message: String) { say("notice: \(message)") }

    /// Says something that only those want to know who asked for more.
    func detail(_ message: @autoclosure () -> String) {
        if isVerbose { say("camera: \(message())") }
    }

    private func say(_ line: String) {
        do {
            try write(line.withoutControls + "\n", to: STDERR_FILENO)
        } catch {
            // Nobody can be told that nobody can be told.
        }
    }

    private func write(_ text: String, to descriptor: Int32) throws(Closed) {
        var text = text
        let failure: Int32? = lock.withLock { _ in
            text.withUTF8 { Self.writeAll($0, to: descriptor) }
        }
        if let failure { throw Closed(number: failure) }
    }

    /// Gives the error number of a failed write, or `nil` when everything was written.
    private static func writeAll(_ bytes: UnsafeBufferPointer<UInt8>, to descriptor: Int32) -> Int32? {
        var rest = UnsafeRawBufferPointer(bytes)
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } else if errno == EAGAIN {
                // Whoever shares the descriptor made it non-blocking.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}

extension String {
    /// The text with a question mark for each character that commands a terminal, as `ls` shows them. Names of files and
    /// cameras come from anybody. Lines stay lines.
    var withoutControls: String {
        guard unicodeScalars.contains(where: Self.commandsTerminals) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars { text.append(Self.commandsTerminals(scalar) ? "?" : scalar) }
        return String(text)
    }

    /// Whether it has a character that commands a terminal.
    var hasControls: Bool { unicodeScalars.contains { $0 == "\n" || Self.commandsTerminals($0) } }

    private static func commandsTerminals(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
    }
}

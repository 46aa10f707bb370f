import CameraCore
import Dispatch
import Glibc

/// Something that commands are read from.
protocol StatementSource: Actor {
    /// Gives the next command; `nil` at the end, or when the task that asks is cancelled.
    func next() async throws(CameraError) -> StatementParser.Outcome?
}

/// Commands from the command line.
actor TextSource: StatementSource {
    private var parser: StatementParser

    init(_ text: some Sequence<UInt8>, name: String) {
        parser = StatementParser(source: name, countsCommands: true)
        parser.append(text)
        parser.finish()
    }

    func next() -> StatementParser.Outcome? { parser.next() }
}

/// Commands from a file, a pipe or a socket, each run as soon as its line has come.
actor StreamSource: StatementSource {
    private let name: String
    private let reader: DescriptorReader
    private var parser: StatementParser
    private var hasEnded = false

    /// - Parameters:
    ///   - descriptor: What to read from.
    ///   - ownsDescriptor: Whether it is closed when the source is released.
    ///   - name: What error messages call it.
    init(descriptor: Int32, ownsDescriptor: Bool, name: String) {
        self.name = name
        reader = DescriptorReader(descriptor, owns: ownsDescriptor)
        parser = StatementParser(source: name)
    }

    /// Opens a script.
    static func file(_ path: String) throws(CameraError) -> StreamSource {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CameraError(
                .usage,
                "cannot read the script \(path): \(FileFailure.text(errno)); give the path of a command script"
            )
        }
        return StreamSource(descriptor: descriptor, ownsDescriptor: true, name: path)
    }

    func next() async throws(CameraError) -> StatementParser.Outcome? {
        while true {
            if let outcome = parser.next() { return outcome }
            if hasEnded { return nil }
            switch await reader.read() {
            case .bytes(let bytes):
                parser.append(bytes)
            case .end:
                hasEnded = true
                parser.finish()
            case .cancelled:
                return nil
            case .failed(let number):
                hasEnded = true
                throw CameraError(
                    .usage,
                    "cannot read \(name): \(FileFailure.text(number)); give commands in a file or a pipe")
            }
        }
    }
}

/// Reads a descriptor without blocking a thread of the concurrency pool, and lets a cancelled task go.
final class DescriptorReader: Sendable {
    enum Chunk: Sendable {
        case bytes([UInt8])
        case end
        case cancelled
        case failed(Int32)
    }

    private let descriptor: Int32
    private let owns: Bool
    private let wakeup = Wakeup()
    private let queue = DispatchQueue(label: "camera.input")

    init(_ descriptor: Int32, owns: Bool) {
        self.descriptor = descriptor
        self.owns = owns
    }

    deinit {
        if owns { close(descriptor) }
    }

    func read() async -> Chunk {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.readNow()) }
            }
        } onCancel: {
            wakeup.signal()
        }
    }

    private func readNow() -> Chunk {
        while true {
            if wakeup.wait(forInputFrom: descriptor).contains(.signal) { return .cancelled }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 { return .bytes(Array(buffer.prefix(count))) }
            if count == 0 { return .end }
            if errno != EINTR && errno != EAGAIN { return .failed(errno) }
        }
    }
}

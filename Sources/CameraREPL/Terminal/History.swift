@preconcurrency import CEdit
import CameraCore
import FoundationEssentials
import GStreamer

/// The lines of earlier sessions, kept in a file that several sessions may append to.
///
/// Use it on the line editor's queue: the lines themselves are libedit's.
final class History: Sendable {
    /// Lines kept; older ones go.
    static let limit = 1000

    private struct State {
        var isKept = false
        var last: String?
    }

    private let path: String
    private let state = Guarded(State())

    init(path: String) {
        self.path = path
    }

    /// Reads the file, which need not exist yet.
    ///
    /// - Returns: Why no history is kept, or `nil` if it is.
    func load() -> String? {
        using_history()
        stifle_history(Int32(Self.limit))
        let folder = URL(filePath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            return "the history is not kept: cannot make \(folder.path): \(FileFailure.reason(of: error))"
        }
        if FileManager.default.fileExists(atPath: path) {
            guard read_history(path) == 0 else {
                return "the history is not kept: \(path) is not a history file; remove it"
            }
            // Lines are only ever appended; now is the time to drop the oldest.
            if history_length >= Self.limit, write_history(path) != 0 { return unwritable }
        }
        state.withLock { $0.isKept = true }
        return nil
    }

    /// Adds a line, unless it is blank or the same again.
    ///
    /// - Returns: Why history is not kept any longer, told once.
    func add(_ typed: String) -> String? {
        var line = typed
        while line.last?.isWhitespace == true { line.removeLast() }
        let added = line
        let isKept: Bool? = state.withLock { state in
            guard !added.isEmpty, added != state.last else { return nil }
            state.last = added
            return state.isKept
        }
        guard let isKept else { return nil }
        add_history(line)
        // libedit appends one line more than the number says.
        guard isKept, append_history(0, path) != 0 else { return nil }
        state.withLock { $0.isKept = false }
        return unwritable
    }

    private var unwritable: String { "the history is not kept: cannot write \(path)" }
}

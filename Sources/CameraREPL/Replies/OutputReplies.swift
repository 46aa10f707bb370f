import CameraCore
import FoundationEssentials
import Glibc

extension OutputStatus {
    var json: JSONValue { .object(object) }

    private var object: [String: JSONValue] {
        var object: [String: JSONValue] = [
            "name": .string(name), "state": .string(state.rawValue), "frames": .integer(frames),
        ]
        if let error { object["error"] = error.json() }
        return object
    }

    /// Whether it hangs in the graph and takes no more frames.
    var isOver: Bool { state == .ended || state == .failed }

    /// What became of it, in the list's entry of an output that was just removed.
    fileprivate func json(removed: OutputStatus) -> JSONValue {
        var last = removed.object
        last["name"] = nil
        last["files"] = .array(removed.files.map { .string($0.path) })
        return .object(object.merging(["removed": .object(last)]) { $1 })
    }

    /// What it left, and why if it had failed; `nil` of one that ended and left nothing.
    ///
    /// The reason was told when it failed, and is in the reply's data.
    var remains: String? {
        guard state == .failed, let error else { return filesLeft.map { "output \(name) has ended; \($0)" } }
        return "output \(name) had failed (\(error.code)); \(filesLeft ?? "it left no file")"
    }

    private var filesLeft: String? {
        switch files.count {
        case 0: nil
        case 1: "\(files[0].path) is left" + (Self.size(of: files[0]).map { ", \($0) bytes" } ?? "")
        default: "\(files.count) files are left, \(files[0].path) to \(files[files.count - 1].path)"
        }
    }

    private static func size(of file: URL) -> Int? {
        var found = stat()
        // Where somebody was quicker in removing it, the place is told all the same.
        return stat(file.path, &found) == 0 ? Int(found.st_size) : nil
    }
}

extension CameraError {
    /// The error of adding an output again, with what is left of the one that was removed for that: no reply tells it.
    func telling(of removed: OutputStatus?) -> CameraError {
        guard let remains = removed?.remains else { return self }
        return CameraError(code, "\(message); \(remains)", underlying: underlying)
    }
}

extension Collection<OutputStatus> {
    /// The list of outputs.
    ///
    /// - Parameter removed: how the output ended that was just removed, if one was.
    func reply(removed: OutputStatus? = nil) -> Reply {
        var reply = Reply.list(
            self, empty: "no outputs: the pipelines folder describes none",
            json: { output in
                if let removed, removed.name == output.name {
                    output.json(removed: removed)
                } else {
                    output.json
                }
            },
            add: { output, table in
                let frames = output.state == .available ? "" : "\(output.frames) frames"
                table.add(output.name, output.state.rawValue, frames)
                if let error = output.error { table.note(error.message) }
            })
        reply.notices = [removed?.remains].compactMap(\.self)
        return reply
    }
}

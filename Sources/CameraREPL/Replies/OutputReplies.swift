import CameraCore
import Foundation

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

    /// What somebody who removes an output must know: that it had not done all its work, and what there is of it.
    ///
    /// The reason was told when it failed, and is in the reply's data.
    fileprivate var removalNotice: String? {
        guard state == .failed, let error else { return nil }
        let left: String
        switch files.count {
        case 0: left = "it left no file"
        case 1: left = "\(files[0].path) is left" + (Self.size(of: files[0]).map { ", \($0) bytes" } ?? "")
        default: left = "\(files.count) files are left, \(files[0].path) to \(files[files.count - 1].path)"
        }
        return "output \(name) had failed (\(error.code)); \(left)"
    }

    private static func size(of file: URL) -> Int? {
        do {
            return try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        } catch {
            // Somebody was quicker in removing it; the place is told all the same.
            return nil
        }
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
        reply.notices = [removed?.removalNotice].compactMap(\.self)
        return reply
    }
}

import FoundationEssentials
import Glibc

/// A process that has a device's node open, as far as /proc lets this user see.
struct NodeHolder: Sendable, Hashable {
    let process: Int32
    /// The program's name.
    let name: String
    /// How often the process has the node open.
    let handles: Int

    var isThisProcess: Bool { process == getpid() }

    /// The processes that have a file open, without looking into those of other users. Opens nothing and waits for
    /// nothing.
    ///
    /// - Parameter proc: where the kernel tells of processes.
    static func all(of path: String, proc: String = "/proc") -> [NodeHolder] {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        var wanted = stat()
        let isDevice = stat(target, &wanted) == 0 && wanted.st_mode & S_IFMT == S_IFCHR
        return entries(of: proc).compactMap { Int32($0) }.sorted().compactMap { process in
            let folder = "\(proc)/\(process)/fd"
            let handles = entries(of: folder).filter { entry in
                guard let link = link("\(folder)/\(entry)") else { return false }
                if link == target { return true }
                // A container may have the device under another name. Only what is below /dev is looked at: a file on
                // a server that does not answer would hold us up.
                var found = stat()
                return isDevice && link.hasPrefix("/dev/") && stat("\(folder)/\(entry)", &found) == 0
                    && found.st_mode & S_IFMT == S_IFCHR && found.st_rdev == wanted.st_rdev
            }
            guard !handles.isEmpty else { return nil }
            return NodeHolder(
                process: process, name: name(of: process, proc: proc) ?? "?", handles: handles.count)
        }
    }

    private static func entries(of folder: String) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            // A process that has ended meanwhile, or is another user's, has nothing to show.
            return []
        }
    }

    private static func link(_ path: String) -> String? {
        do {
            return try FileManager.default.destinationOfSymbolicLink(atPath: path)
        } catch {
            // Closed since it was listed.
            return nil
        }
    }

    /// The kernel keeps 15 characters of a name; the command line may have the rest.
    private static func name(of process: Int32, proc: String) -> String? {
        func text(_ file: String) -> String? {
            FileManager.default.contents(atPath: "\(proc)/\(process)/\(file)").map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        guard let short = text("comm")?.trimmed else { return nil }
        let command = text("cmdline")?.split(separator: "\0", maxSplits: 1).first.map(String.init) ?? ""
        let long = URL(fileURLWithPath: command).lastPathComponent
        return long.hasPrefix(short) && !long.contains(" ") ? long : short
    }
}

extension [NodeHolder] {
    /// Who holds the camera, to follow its name: "in use by …; close …".
    ///
    /// - Parameter ownHandles: how many of this process's handles belong to who asks.
    func explanation(ownHandles: Int) -> String {
        let others = filter { !$0.isThisProcess }
        if !others.isEmpty {
            let names = others.map { "'\($0.name)' (process \($0.process))" }.joined(separator: " and ")
            let close = others.count == 1 ? "close it" : "close them"
            return "in use by \(names); \(close) and try again"
        }
        let own = first(where: \.isThisProcess)
        guard let own, own.handles > ownHandles else {
            return "in use by another program; close that program and try again"
        }
        // Not for certain: v4l2src of GStreamer 1.22 keeps a handle behind each time that it has run.
        return
            "in use by this program itself ('\(own.name)', process \(own.process)), or by one that another user "
            + "runs; close the camera there and try again"
    }
}

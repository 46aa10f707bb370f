import FoundationEssentials
import GStreamer
import Glibc

/// A file that exists under its name only when it is whole and on the disk.
///
/// It is written under a hidden temporary name in the same folder, synced, and renamed; the folder is synced too. Devices
/// and pipes are refused, and a link to a file stays a link.
public struct DurableFile: Sendable {
    /// Temporary files that are not whole yet, for ``removeUnfinished()``.
    private static let unfinished = Guarded<Set<String>>([])

    let destination: URL
    let overwrites: Bool
    // As text: each question to a URL takes as long as a system call.
    let path: String
    let folder: String
    /// The path of what is written.
    let temporary: String

    /// Writes `data` to a file, all of it or nothing.
    ///
    /// - Throws: ``CameraError``: `file-exists`, `directory-unwritable`, `disk-full` or `write-failed`, which name the
    ///   path, and `usage` for the path of a folder.
    public static func write(_ data: Data, to url: URL, overwrites: Bool) throws(CameraError) {
        let file = try DurableFile(url, overwrites: overwrites)
        let descriptor = open(file.temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            let code = errno
            file.discard()
            throw file.failure(code)
        }
        let failure = write(data, to: descriptor)
        close(descriptor)
        if let failure {
            file.discard()
            throw file.failure(failure)
        }
        _ = try file.commit()
    }

    /// Gives the system's error number, which Foundation's errors keep to themselves, or `nil` when all was written.
    private static func write(_ data: Data, to descriptor: Int32) -> Int32? {
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return errno }
            }
            return nil
        }
    }

    /// Removes what this process was writing and will not finish; for the moment before it exits.
    public static func removeUnfinished() {
        for path in unfinished.withLock({ $0 }) { unlink(path) }
    }

    /// Checks that the file can be made, before anything is.
    ///
    /// - Throws: ``CameraError`` with the code `usage`, `directory-unwritable`, `file-exists` or
    ///   `write-failed`.
    init(_ url: URL, overwrites: Bool) throws(CameraError) {
        self.overwrites = overwrites
        let (destination, path) = try Self.target(of: url, overwrites: overwrites)
        self.destination = destination
        self.path = path
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        self.folder = folder
        let unique = UInt64.random(in: .min ... .max)
        let temporary = "\(folder)/.camera-\(getpid())-\(String(unique, radix: 16)).part"
        self.temporary = temporary
        try checkFolder()
        Self.unfinished.withLock { _ = $0.insert(temporary) }
    }

    /// The file that is to be written: `url` itself, or what it is a link to.
    private static func target(of url: URL, overwrites: Bool) throws(CameraError) -> (URL, path: String) {
        guard url.isFileURL else {
            throw CameraError(.usage, "\(url.absoluteString) is no file; give a path in the file system")
        }
        // Whether the folder is there or not, its name is not a file's.
        let path = url.path
        if url.hasDirectoryPath { throw folder(path) }
        var information = stat()
        guard stat(path, &information) == 0 else {
            // A link to nothing: writing through it would make a file that nobody named.
            if lstat(path, &information) == 0 { throw exists(path) }
            return (url, path)
        }
        switch information.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw folder(path)
        default:
            throw CameraError(.writeFailed, "\(path) is a device or a pipe; give the name of a file")
        }
        guard overwrites else { throw exists(path) }
        let file = url.resolvingSymlinksInPath()
        return (file, file.path)
    }

    private func checkFolder() throws(CameraError) {
        var information = stat()
        guard stat(folder, &information) == 0 else {
            let code = errno
            guard code == ENOENT else { throw failure(code) }
            throw CameraError(
                .directoryUnwritable,
                "there is no folder \(folder) for \(destination.lastPathComponent); make it with 'mkdir -p'")
        }
        guard information.st_mode & S_IFMT == S_IFDIR else {
            throw CameraError(.directoryUnwritable, "\(folder) is not a folder; choose another path")
        }
        guard access(folder, W_OK | X_OK) == 0 else { throw failure(errno) }
    }

    /// Why the path of a folder is none for a file.
    package static func folder(_ path: String) -> CameraError {
        CameraError(.usage, "\(path) names a folder; give the name of a file in it")
    }

    private static func exists(_ path: String) -> CameraError {
        CameraError(.fileExists, "\(path) exists already; choose another name, or add --overwrite")
    }

    /// What a failed system call on the way to the file means.
    func failure(_ code: Int32) -> CameraError {
        let reason = FileFailure.text(code)
        switch code {
        case ENOSPC:
            return CameraError(
                .diskFull, "the disk is full, no room for \(path); make room or choose another folder")
        case EDQUOT:
            return CameraError(
                .diskFull, "no room for \(path): \(reason); make room or choose another folder")
        case EACCES, EPERM, EROFS, ENOENT, ENOTDIR:
            return CameraError(
                .directoryUnwritable,
                "nothing can be written in \(folder): \(reason); choose another folder")
        case EEXIST: return Self.exists(path)
        case ENAMETOOLONG:
            return CameraError(.writeFailed, "\(path): \(reason); choose a shorter name")
        default: return CameraError(.writeFailed, "\(path) could not be written: \(reason)")
        }
    }

    /// Syncs what was written, and gives it its name.
    ///
    /// - Returns: the size in bytes.
    func commit() throws(CameraError) -> Int {
        do throws(CameraError) {
            let content = open(temporary, O_RDONLY | O_CLOEXEC)
            guard content >= 0 else { throw failure(errno) }
            defer { close(content) }
            let size = try sync(content)
            // A folder that cannot be opened cannot be synced; found out later, the file would be there and reported lost.
            let folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard folder >= 0 else { throw failure(errno) }
            defer { close(folder) }
            try rename()
            discard()
            _ = try sync(folder)
            return size
        } catch {
            discard()
            throw error
        }
    }

    /// Removes the temporary file, if there is one.
    func discard() {
        unlink(temporary)
        Self.unfinished.withLock { _ = $0.remove(temporary) }
    }

    /// A reason without the temporary name, which nobody knows who looks for the file.
    func spoken(_ reason: String) -> String { reason.replacing(temporary, with: path) }

    private func sync(_ descriptor: Int32) throws(CameraError) -> Int {
        // Some file systems cannot sync a folder (EINVAL); they have nothing to be synced.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(errno) }
        return Int(status.st_size)
    }

    private func rename() throws(CameraError) {
        if overwrites {
            guard Glibc.rename(temporary, path) == 0 else { throw failure(errno) }
            return
        }
        // A hard link, unlike a rename, never replaces a file that somebody made in the meantime.
        if link(temporary, path) == 0 { return }
        // FAT and some network file systems have no hard links; there a check right before has to do.
        guard errno == EPERM || errno == ENOTSUP || errno == ENOSYS else { throw failure(errno) }
        guard access(path, F_OK) != 0 else { throw Self.exists(path) }
        guard Glibc.rename(temporary, path) == 0 else { throw failure(errno) }
    }
}

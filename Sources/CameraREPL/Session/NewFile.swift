import CameraCore
import FoundationEssentials
import Glibc

/// Writes a whole file or none: the final name never holds a part of it.
enum NewFile {
    /// Writes `data` under a hidden name next to `url` and then gives it its name, durably.
    ///
    /// - Throws: `file-exists`, `directory-unwritable`, `disk-full` or `write-failed`, each naming the path.
    static func write(_ data: Data, to url: URL, overwrites: Bool) throws(CameraError) {
        let path = url.path
        var information = stat()
        if lstat(path, &information) == 0 {
            guard information.st_mode & S_IFMT != S_IFDIR else {
                throw CameraError(.fileExists, "\(path) is a folder; give the name of a file in it")
            }
            guard overwrites else { throw exists(path) }
        }
        let folder = url.deletingLastPathComponent().path
        // Its own name is not part of it: the two together could be longer than a name may be.
        let hidden = "\(folder)/.camera-\(getpid())-\(UInt64.random(in: .min ... .max)).part"
        let descriptor = open(hidden, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            guard errno != ENOSPC, errno != EDQUOT else { throw FileFailure.writing(path, errno) }
            throw CameraError(
                .directoryUnwritable,
                "cannot write in \(folder), where \(path) was to go: \(FileFailure.text(errno)); "
                    + "make the folder, or choose another path")
        }
        defer { unlink(hidden) }
        try store(data, in: descriptor, for: path)
        try rename(hidden, to: path, overwrites: overwrites)
        try synchronise(folder: folder, for: path)
    }

    /// Closes the descriptor in any case.
    private static func store(_ data: Data, in descriptor: Int32, for path: String) throws(CameraError) {
        defer { close(descriptor) }
        var offset = 0
        while offset < data.count {
            let written = data.withUnsafeBytes { bytes in
                Glibc.write(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
            }
            if written > 0 {
                offset += written
            } else if errno != EINTR {
                throw FileFailure.writing(path, errno)
            }
        }
        guard fsync(descriptor) == 0 else { throw FileFailure.writing(path, errno) }
    }

    private static func rename(_ hidden: String, to path: String, overwrites: Bool) throws(CameraError) {
        if overwrites {
            guard Glibc.rename(hidden, path) == 0 else { throw FileFailure.writing(path, errno) }
            return
        }
        // A hard link refuses an existing name, which a rename does not.
        if link(hidden, path) == 0 { return }
        switch errno {
        case EEXIST:
            throw exists(path)
        case EPERM, ENOTSUP, ENOSYS:
            // No hard links on this file system: reserve the name with an empty file and replace that.
            let placeholder = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard placeholder >= 0 else {
                throw errno == EEXIST ? exists(path) : FileFailure.writing(path, errno)
            }
            close(placeholder)
            guard Glibc.rename(hidden, path) == 0 else {
                let number = errno
                unlink(path)
                throw FileFailure.writing(path, number)
            }
        default:
            throw FileFailure.writing(path, errno)
        }
    }

    private static func synchronise(folder: String, for path: String) throws(CameraError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure.writing(path, errno) }
        defer { close(descriptor) }
        // Some file systems cannot do this for a folder and say so; then there is nothing more to be done.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw FileFailure.writing(path, errno) }
    }

    private static func exists(_ path: String) -> CameraError {
        CameraError(.fileExists, "\(path) exists; add --overwrite or choose another name")
    }
}

/// The operating system's reasons, in its own words.
enum FileFailure {
    static func text(_ number: Int32) -> String {
        guard let text = strerror(number) else { return "error \(number)" }
        return String(cString: text)
    }

    /// The system's reason inside a Foundation error, or the error itself.
    static func reason(of error: any Error) -> String {
        if let posix = error as? POSIXError { return text(posix.code.rawValue) }
        if let cocoa = error as? CocoaError, let posix = cocoa.underlying as? POSIXError {
            return text(posix.code.rawValue)
        }
        return "\(error)"
    }

    static func writing(_ path: String, _ number: Int32) -> CameraError {
        number == ENOSPC || number == EDQUOT
            ? CameraError(
                .diskFull,
                "no room to write \(path): \(text(number)); free some space or choose another folder")
            : CameraError(
                .writeFailed,
                "cannot write \(path): \(text(number)); check the file system or choose another folder")
    }
}

import Foundation
import Glibc

/// A file that exists under its name only when it is whole and on the disk.
///
/// It is written under a hidden temporary name in the same folder, synced, and renamed; the folder is synced too.
struct DurableFile {
    let destination: URL
    let temporary: URL
    let overwrites: Bool

    /// Checks that the file can be made, before anything is.
    ///
    /// - Throws: ``CameraError`` with the code `directory-unwritable` or `file-exists`.
    init(_ destination: URL, overwrites: Bool) throws(CameraError) {
        self.destination = destination
        self.overwrites = overwrites
        let folder = destination.deletingLastPathComponent()
        let unique = UInt32.random(in: .min ... .max)
        temporary = folder.appendingPathComponent(".camera-\(getpid())-\(String(unique, radix: 16)).part")
        try Self.checkFolder(folder, for: destination)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: destination.path, isDirectory: &isFolder) else { return }
        if isFolder.boolValue {
            throw CameraError(.fileExists, "\(destination.path) is a folder; name a file")
        }
        if !overwrites { throw Self.exists(destination) }
    }

    private static func checkFolder(_ folder: URL, for file: URL) throws(CameraError) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) else {
            throw CameraError(
                .directoryUnwritable,
                "There is no folder \(folder.path) for \(file.lastPathComponent); make it with 'mkdir -p'")
        }
        guard isFolder.boolValue else {
            throw CameraError(.directoryUnwritable, "\(folder.path) is not a folder; choose another path")
        }
        guard access(folder.path, W_OK | X_OK) == 0 else {
            throw Self.error(errno, writing: file, in: folder)
        }
    }

    private static func exists(_ file: URL) -> CameraError {
        CameraError(.fileExists, "\(file.path) exists already; choose another name, or add --overwrite")
    }

    /// What a failed system call on the way to the file means.
    static func error(_ code: Int32, writing file: URL, in folder: URL) -> CameraError {
        let reason = String(cString: strerror(code))
        switch code {
        case ENOSPC, EDQUOT:
            return CameraError(
                .diskFull, "No room for \(file.path): \(reason); make room or choose another folder")
        case EACCES, EPERM, EROFS, ENOENT, ENOTDIR:
            return CameraError(
                .directoryUnwritable,
                "Nothing can be written in \(folder.path): \(reason); choose another folder")
        case EEXIST: return exists(file)
        case ENAMETOOLONG:
            return CameraError(.writeFailed, "\(file.path): \(reason); choose a shorter name")
        default: return CameraError(.writeFailed, "\(file.path) could not be written: \(reason)")
        }
    }

    /// Syncs what was written, and gives it its name.
    ///
    /// - Returns: the size in bytes.
    func commit() throws(CameraError) -> Int {
        do throws(CameraError) {
            let size = try sync(temporary, flags: O_RDONLY)
            try rename()
            _ = try sync(destination.deletingLastPathComponent(), flags: O_RDONLY | O_DIRECTORY)
            return size
        } catch {
            discard()
            throw error
        }
    }

    /// Removes the temporary file, if there is one.
    func discard() { unlink(temporary.path) }

    private func sync(_ url: URL, flags: Int32) throws(CameraError) -> Int {
        let descriptor = open(url.path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        // Some file systems cannot sync a folder (EINVAL); they have nothing to be synced.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(errno) }
        return Int(status.st_size)
    }

    private func rename() throws(CameraError) {
        if overwrites {
            guard Glibc.rename(temporary.path, destination.path) == 0 else { throw failure(errno) }
            return
        }
        // A hard link, unlike a rename, never replaces a file that somebody made in the meantime.
        if link(temporary.path, destination.path) == 0 {
            unlink(temporary.path)
            return
        }
        // FAT and some network file systems have no hard links; there a check right before has to do.
        guard errno == EPERM || errno == ENOTSUP || errno == ENOSYS else { throw failure(errno) }
        guard access(destination.path, F_OK) != 0 else { throw Self.exists(destination) }
        guard Glibc.rename(temporary.path, destination.path) == 0 else { throw failure(errno) }
    }

    private func failure(_ code: Int32) -> CameraError {
        Self.error(code, writing: destination, in: destination.deletingLastPathComponent())
    }
}

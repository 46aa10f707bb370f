import CameraCore
import FoundationEssentials
import Glibc

/// The camera that was chosen last, in a file of one line: it is taken when nobody chooses.
///
/// A real camera that somebody chose and that gave pictures. Test cameras and those of the pipelines folder are not
/// remembered: a script that uses one must not change what the next session does.
struct LastDevice: Sendable {
    /// Why nothing is known, or nothing can be kept. No reason to fail.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// More than any id needs.
    private static let limit = 1024
    let path: String

    /// The id; `nil` when none was ever kept.
    ///
    /// - Throws: ``Failure`` when the file is there and does not hold an id.
    func read() throws(Failure) -> CaptureDevice.ID? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let data: Data
        do {
            // A pipe or a device would be read for ever.
            var found = stat()
            guard stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG, found.st_size <= Self.limit
            else { throw Failure(description: "\(path) does not hold the id of a camera; remove it") }
            data = try Data(contentsOf: URL(filePath: path))
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(description: "\(path) cannot be read: \(FileFailure.reason(of: error))")
        }
        guard let text = String(validating: data, as: UTF8.self), let id = Self.id(in: text) else {
            throw Failure(description: "\(path) does not hold the id of a camera; remove it")
        }
        return id
    }

    /// Keeps an id. A reader finds the old one or the new one.
    func write(_ id: CaptureDevice.ID) throws(Failure) {
        do {
            let folder = URL(filePath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try Data("\(id)\n".utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw Failure(
                description:
                    "the camera is not remembered: cannot write \(path): \(FileFailure.reason(of: error))")
        }
    }

    private static func id(in text: String) -> CaptureDevice.ID? {
        var line = text
        if line.hasSuffix("\n") { line.removeLast() }
        let isPlain = line.unicodeScalars.allSatisfy { !($0.value < 0x20 || $0.value == 0x7F) }
        return line.isEmpty || !isPlain ? nil : line
    }
}

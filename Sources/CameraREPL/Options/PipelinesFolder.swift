import CameraCore
import FoundationEssentials
import Glibc
import GStreamer

/// Finds the folder that describes cameras and outputs.
struct PipelinesFolder {
    /// What the search depends on.
    struct Surroundings {
        /// `$CAMERA_PIPELINES`; empty counts as not set.
        var variable: String?
        var currentFolder: String
        var dataHome: String
        /// The program's own file, if that is known.
        var executable: String?

        /// Those of this process.
        static var current: Surroundings {
            Surroundings(
                variable: Environment()["CAMERA_PIPELINES"],
                currentFolder: FileManager.default.currentFolder,
                dataHome: UserDirectories.data,
                executable: executablePath
            )
        }

        private static var executablePath: String? {
            do {
                return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            } catch {
                // Without /proc the program does not know where it is; the other places remain.
                return nil
            }
        }
    }

    /// The folder, or `nil` when there is none; the built-in cameras need none.
    ///
    /// - Parameters:
    ///   - explicit: What `--pipelines` says.
    ///   - surroundings: What the search depends on.
    /// - Throws: `usage` when a folder that somebody named is missing.
    static func find(explicit: String?, in surroundings: Surroundings) throws(CameraError) -> URL? {
        if let explicit { return try named(explicit, by: "--pipelines") }
        if let variable = surroundings.variable, !variable.isEmpty {
            return try named(variable, by: "$CAMERA_PIPELINES")
        }
        var places = [
            surroundings.currentFolder + "/pipelines",
            surroundings.dataHome + "/camera/pipelines",
        ]
        if let executable = surroundings.executable {
            var prefix = executable[...]
            for _ in 0..<2 { prefix = prefix.prefix(upTo: prefix.lastIndex(of: "/") ?? prefix.startIndex) }
            places.append(prefix + "/share/camera/pipelines")
        }
        places.append("/usr/share/camera/pipelines")
        return places.first(where: FileManager.default.isFolder).map { URL(exactPath: $0, isFolder: true) }
    }

    private static func named(_ path: String, by origin: String) throws(CameraError) -> URL {
        guard FileManager.default.isFolder(path) else {
            var information = stat()
            let isThere = stat(path, &information) == 0
            let reason = isThere ? "is not a folder" : "cannot be found: \(FileFailure.text(errno))"
            throw CameraError(
                .usage, "\(path), named by \(origin), \(reason); name a folder with sources/ and outputs/")
        }
        return URL(exactPath: path, isFolder: true)
    }
}

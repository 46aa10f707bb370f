import CameraCore
import FoundationEssentials
import GStreamer

/// Where photos go that were given no path.
struct PhotoFolder: Hashable, Sendable {
    let url: URL

    /// - Parameter explicit: The folder that the command line names, or `nil` for the default one.
    init(explicit: String?) {
        if let explicit {
            url = URL(exactPath: explicit, isFolder: true)
        } else {
            let pictures = UserDirectories.pictures ?? UserDirectories.home + "/Pictures"
            url = URL(exactPath: pictures + "/Camera", isFolder: true)
        }
    }

    /// The folder, made if it is missing.
    func made() throws(CameraError) -> URL {
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            throw CameraError(
                .directoryUnwritable,
                "cannot make the photo folder \(url.path): \(FileFailure.reason(of: error)); "
                    + "choose another with --output-directory, or give the photo a path")
        }
        return url
    }
}

import FoundationEssentials

extension URL {
    /// The file of exactly this path, seen from the current folder.
    ///
    /// `URL(filePath:)` by itself takes a leading `~` for a home folder, and so a file of that name for another.
    init(exactPath path: String, isFolder: Bool) {
        let current = FileManager.default.currentDirectoryPath
        // A current folder that was deleted has no path, and "" would make the file one of the root folder.
        let folder = current.isEmpty ? "/proc/self/cwd" : current
        let absolute = path.hasPrefix("/") ? path : folder + "/" + path
        self.init(filePath: absolute, directoryHint: isFolder ? .isDirectory : .notDirectory)
    }
}

import FoundationEssentials

extension URL {
    /// The file of exactly this path, seen from the current folder.
    ///
    /// `URL(filePath:)` by itself takes a leading `~` for a home folder, and so a file of that name for another.
    init(exactPath path: String, isFolder: Bool) {
        let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        self.init(filePath: absolute, directoryHint: isFolder ? .isDirectory : .notDirectory)
    }
}

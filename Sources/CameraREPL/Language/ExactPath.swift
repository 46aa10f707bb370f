import FoundationEssentials

extension URL {
    /// The file of exactly this path, seen from the current folder.
    ///
    /// `URL(filePath:)` by itself takes a leading `~` for a home folder, and so a file of that name for another.
    init(exactPath path: String, isFolder: Bool) {
        let absolute = path.hasPrefix("/") ? path : FileManager.default.currentFolder + "/" + path
        self.init(filePath: absolute, directoryHint: isFolder ? .isDirectory : .notDirectory)
    }
}

extension FileManager {
    /// The path of the current folder.
    ///
    /// One that was deleted has none, and with "" what is in it would be in the root folder.
    var currentFolder: String { currentDirectoryPath.isEmpty ? "/proc/self/cwd" : currentDirectoryPath }

    /// Whether a folder is there, or a link to one.
    func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }
}

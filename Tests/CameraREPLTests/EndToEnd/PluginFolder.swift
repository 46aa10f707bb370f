import Foundation

/// GStreamer's plugins without those that find cameras: nobody wants tests to look at the cameras on their desk.
///
/// A rank of `NONE` does not keep a device provider from being asked.
enum PluginFolder {
    private static let finders = ["video4linux2", "uvch264", "pipewire", "libcamera", "decklink"]

    /// A folder of links. It stays for the next run: GStreamer looks at all plugins anew when their paths change.
    static let path: String = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "camera-repl-plugins-\(getuid())")
        do {
            let plugins = URL(filePath: try installed())
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let names = try FileManager.default.contentsOfDirectory(atPath: plugins.path)
            for name in names where !finders.contains(where: { name == "libgst\($0).so" }) {
                // One that is there is from an earlier run.
                guard
                    symlink(plugins.appending(path: name).path, folder.appending(path: name).path) == 0
                        || errno == EEXIST
                else { throw TestFailure("no link to \(name): \(String(cString: strerror(errno)))") }
            }
        } catch {
            preconditionFailure("the tests have no plugins: \(error)")
        }
        return folder.path
    }()

    private static func installed() throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["pkg-config", "--variable=pluginsdir", "gstreamer-1.0"]
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

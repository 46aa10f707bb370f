import FoundationEssentials
import GStreamer

/// What a program can tell of the sandbox that it runs in.
struct Sandbox: Sendable {
    /// The root of the file system, which a test has elsewhere.
    var root = ""
    var environment = Environment()

    /// Whether this is the inside of a Flatpak or a Snap.
    var isConfined: Bool {
        if FileManager.default.fileExists(atPath: root + "/.flatpak-info") {
            return true
        }
        // A terminal that comes as a Snap hands the variable on to programs that are in no sandbox; the label does not
        // come along.
        guard let snap = environment["SNAP"], !snap.isEmpty else { return false }
        let label = FileManager.default.contents(atPath: root + "/proc/self/attr/current")
        return label.map { String(decoding: $0, as: UTF8.self).hasPrefix("snap.") } ?? false
    }

    /// The address of the session's bus, where there is one. Starts none.
    var busAddress: String? {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
        guard let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty else { return nil }
        let socket = folder + "/bus"
        guard FileManager.default.fileExists(atPath: socket) else { return nil }
        return "unix:path=" + BusAddress.escaped(socket)
    }
}

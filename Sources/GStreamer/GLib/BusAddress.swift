import CGStreamer

/// The addresses of D-Bus.
public enum BusAddress {
    /// A value as it has to stand in an address: `g_dbus_address_escape_value`.
    public static func escaped(_ value: String) -> String {
        let text = unsafe g_dbus_address_escape_value(value)
        defer { unsafe g_free(text) }
        return unsafe text.map { unsafe String(cString: $0) } ?? value
    }
}

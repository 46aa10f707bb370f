import CGStreamer

/// The addresses of D-Bus.
public enum BusAddress {
    /// A value as it has to stand in an address: `g_dbus_address_escape_value`; as it is where there is no GIO, and so
    /// no bus.
    public static func escaped(_ value: String) -> String {
        let text = unsafe GIO.functions?.g_dbus_address_escape_value(value)
        defer { unsafe g_free(text) }
        return unsafe text.map { unsafe String(cString: $0) } ?? value
    }
}

import CGStreamer

@testable import GStreamer

/// The other side of a bus: a service, whose handler answers the method calls that it keeps.
final class BusService: Sendable {
    typealias Handler = @Sendable (MessageBus, MessageBus.Message) -> Bool

    let bus: MessageBus
    private let place: Place

    /// Where the handler finds its connection, which is there before anybody knows whom to call.
    private final class Place: Sendable { let bus = Guarded<MessageBus?>(nil) }

    init(address: String, handler: @escaping Handler) throws(MessageBus.Failure) {
        let place = Place()
        bus = try MessageBus(address: address) { message in
            guard let bus = place.bus.withLock({ $0 }) else { return false }
            return handler(bus, message)
        }
        place.bus.withLock { [bus] in $0 = bus }
        self.place = place
    }

    /// Ends the connection; until then it and its handler hold each other.
    func close() {
        bus.close()
        place.bus.withLock { $0 = nil }
    }
}

extension MessageBus {
    /// The name that the bus gave this connection, such as ":1.42".
    var uniqueName: String {
        unsafe g_dbus_connection_get_unique_name(connection).map { unsafe String(cString: $0) } ?? ""
    }

    /// Answers a method call that its handler kept.
    ///
    /// - Parameter descriptors: file descriptors to send along; they stay the caller's.
    func reply(
        to call: MessageBus.Message, _ values: [BusValue] = [], descriptors: [Int32] = []
    ) throws(MessageBus.Failure) {
        let message = unsafe g_dbus_message_new()
        defer { unsafe g_object_unref(gpointer(message)) }
        unsafe g_dbus_message_set_message_type(message, G_DBUS_MESSAGE_TYPE_METHOD_RETURN)
        if !descriptors.isEmpty {
            let list = unsafe g_unix_fd_list_new()
            defer { unsafe g_object_unref(list) }
            for descriptor in descriptors {
                var error: UnsafeMutablePointer<GError>?
                guard unsafe g_unix_fd_list_append(list, descriptor, &error) >= 0 else {
                    throw unsafe MessageBus.Failure(adopting: error)
                }
            }
            unsafe g_dbus_message_set_unix_fd_list(message, list)
        }
        try unsafe send(message, to: call, values)
    }

    /// Answers a method call that its handler kept with an error.
    func refuse(_ call: MessageBus.Message, name: String, text: String) throws(MessageBus.Failure) {
        let message = unsafe g_dbus_message_new()
        defer { unsafe g_object_unref(gpointer(message)) }
        unsafe g_dbus_message_set_message_type(message, G_DBUS_MESSAGE_TYPE_ERROR)
        unsafe g_dbus_message_set_error_name(message, name)
        try unsafe send(message, to: call, [.string(text)])
    }

    private func send(_ message: OpaquePointer?, to call: MessageBus.Message, _ values: [BusValue])
        throws(MessageBus.Failure)
    {
        unsafe g_dbus_message_set_reply_serial(message, call.serial)
        unsafe g_dbus_message_set_destination(message, call.sender)
        unsafe g_dbus_message_set_body(message, BusValue.makeTuple(values))
        var error: UnsafeMutablePointer<GError>?
        guard
            unsafe g_dbus_connection_send_message(
                connection, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, nil, &error) != 0
        else {
            throw unsafe MessageBus.Failure(adopting: error)
        }
    }

    /// Sends a signal to one receiver.
    func emit(
        _ signal: String, of interface: String, path: String, to destination: String,
        _ values: [BusValue] = []
    ) throws(MessageBus.Failure) {
        var error: UnsafeMutablePointer<GError>?
        guard
            unsafe g_dbus_connection_emit_signal(
                connection, destination, path, interface, signal, BusValue.makeTuple(values), &error) != 0
        else {
            throw unsafe MessageBus.Failure(adopting: error)
        }
    }
}

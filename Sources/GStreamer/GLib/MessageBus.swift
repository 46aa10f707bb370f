import CGStreamer

// Sendable unchecked: the pointers never change, GDBusConnection locks itself, and so does GMainContext.
/// A connection to a bus of D-Bus: `GDBusConnection`. It has no thread of its own but GIO's.
@safe
public final class MessageBus: @unchecked Sendable {
    /// A message that came: `GDBusMessage`, with its payload copied out.
    public struct Message: Sendable {
        /// What kind of message this is.
        public enum Kind: Sendable, Hashable {
            case methodCall, signal, other
        }

        /// What kind of message this is.
        public let kind: Kind
        /// The unique name of who sent it, such as ":1.42".
        public let sender: String
        /// The object that it is about, or for.
        public let path: String
        /// The interface of the member.
        public let interface: String
        /// The name of the method or of the signal.
        public let member: String
        /// The arguments.
        public let values: [BusValue]
        let serial: guint32
    }

    /// An answer to a call.
    public struct Reply: Sendable {
        /// The values that the method returned.
        public let values: [BusValue]
        /// Open file descriptors, which belong to whoever asked.
        public let descriptors: [Int32]
    }

    /// Why a call failed: `GError`, or what the other side said.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// What kind of failure this is, as far as a caller can act on it.
        public enum Kind: Sendable, Hashable {
            /// The other side answered with an error of this name.
            case refused(name: String)
            case timedOut, closed, other
        }

        /// What kind of failure this is.
        public let kind: Kind
        /// GIO's words for it.
        public let description: String
    }

    /// Told of each message that comes, on GIO's thread, where nothing must block and no connection be closed. `true`
    /// keeps the message from GIO, and has who is in ``wait(for:until:)`` look again.
    public typealias Handler = @Sendable (Message) -> Bool

    private let gio: CameraGIO
    let connection: OpaquePointer
    private let context: OpaquePointer
    private let filter: guint
    private let isEnded = Guarded(false)

    /// Connects to the bus at an address. **Blocks** for as long as the bus takes to answer.
    ///
    /// The connection lasts until ``close()``, or until nobody holds it any more.
    ///
    /// - Throws: ``Failure`` when there is no bus at the address, or it does not take the connection.
    public init(address: String, handler: @escaping Handler = { _ in false }) throws(Failure) {
        guard let gio = GIO.functions else {
            throw Failure(kind: .other, description: "libgio-2.0 is not installed")
        }
        guard let context = unsafe g_main_context_new() else {
            throw Failure(kind: .other, description: "GLib gave no main context")
        }
        // What is told in a main loop, the end of the connection above all, is told in this one.
        unsafe g_main_context_push_thread_default(context)
        defer { unsafe g_main_context_pop_thread_default(context) }
        var error: UnsafeMutablePointer<GError>?
        let flags = GDBusConnectionFlags(
            G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
        guard
            let made = unsafe gio.g_dbus_connection_new_for_address_sync(address, flags, nil, nil, &error)
        else {
            // What was told of a connection that came to nothing holds it, and would for ever.
            while unsafe g_main_context_iteration(context, 0) != 0 {}
            unsafe g_main_context_unref(context)
            throw unsafe Failure(adopting: error)
        }
        self.gio = gio
        unsafe connection = made
        unsafe self.context = context
        let ears = unsafe CallbackBox<Ears>(Ears(handler: handler, context: context, gio: gio))
        unsafe filter = gio.g_dbus_connection_add_filter(
            made, messageFilter, ears.handOver(), releaseCallbackBox)
    }

    deinit {
        close()
        unsafe g_object_unref(gpointer(connection))
        unsafe g_main_context_unref(context)
    }

    /// Whether the connection is gone, by ``close()`` or by the bus's end.
    public var isClosed: Bool { unsafe gio.g_dbus_connection_is_closed(connection) != 0 }

    /// Ends the connection, and with it all use of the handler. **Blocks** until what was sent is on its way; a handler
    /// must not call it, nor be the last to hold the connection.
    public func close() {
        isEnded.withLock { isEnded in
            guard !isEnded else { return }
            isEnded = true
            // Closing discards what was not yet written. Whether the bus is gone or broken is the same now.
            _ = unsafe gio.g_dbus_connection_flush_sync(connection, nil, nil)
            _ = unsafe gio.g_dbus_connection_close_sync(connection, nil, nil)
            // GIO's thread tells the end in the main context, by a source that holds the connection until somebody
            // iterates; so do the handler's last words.
            while !isClosed { unsafe g_main_context_iteration(context, 1) }
            unsafe gio.g_dbus_connection_remove_filter(connection, filter)
            while unsafe g_main_context_iteration(context, 0) != 0 {}
        }
    }

    // MARK: Asking

    /// Calls a method and waits for the answer. **Blocks**, at most `limit`.
    ///
    /// - Throws: ``Failure``: of kind `refused` with what the other side said, `timedOut`, or `closed` without a bus.
    public func call(
        _ destination: String, path: String, interface: String, method: String, _ arguments: [BusValue] = [],
        limit: Duration
    ) throws(Failure) -> Reply {
        var error: UnsafeMutablePointer<GError>?
        var list: UnsafeMutablePointer<GUnixFDList>?
        let answer = unsafe gio.g_dbus_connection_call_with_unix_fd_list_sync(
            connection, destination, path, interface, method, BusValue.makeTuple(arguments), nil,
            G_DBUS_CALL_FLAGS_NONE, limit.milliseconds, nil, &list, nil, &error)
        guard let answer = unsafe answer else { throw unsafe Failure(adopting: error) }
        defer { unsafe g_variant_unref(answer) }
        return unsafe Reply(values: BusValue.tuple(answer), descriptors: takeDescriptors(list))
    }

    private func takeDescriptors(_ list: UnsafeMutablePointer<GUnixFDList>?) -> [Int32] {
        guard let list = unsafe list else { return [] }
        defer { unsafe g_object_unref(list) }
        var count: gint = 0
        guard let taken = unsafe gio.g_unix_fd_list_steal_fds(list, &count) else { return [] }
        defer { unsafe g_free(taken) }
        return (0..<Int(count)).map { unsafe taken[$0] }
    }

    // MARK: Waiting

    /// Waits until a condition holds, which is looked at after each ``wake()``. **Blocks**, at most `limit`, and no
    /// longer than the connection lasts. One thread may wait at a time.
    ///
    /// - Returns: whether it holds.
    public func wait(for limit: Duration, until isDone: () -> Bool) -> Bool {
        let alarm = unsafe g_timeout_source_new(guint(limit.milliseconds))
        unsafe g_source_set_callback(alarm, { _ in gboolean(0) }, nil, nil)
        unsafe g_source_attach(alarm, context)
        defer {
            unsafe g_source_destroy(alarm)
            unsafe g_source_unref(alarm)
        }
        while !isDone() {
            if isClosed {
                // Who closes it at this moment waits for the same news.
                wake()
                return isDone()
            }
            // It goes off once, and is destroyed then.
            if unsafe g_source_is_destroyed(alarm) != 0 { return isDone() }
            unsafe g_main_context_iteration(context, 1)
        }
        return true
    }

    /// Has ``wait(for:until:)`` look at its condition. From any thread.
    public func wake() { unsafe g_main_context_wakeup(context) }
}

extension MessageBus.Message {
    fileprivate init(reading message: OpaquePointer, _ gio: CameraGIO) {
        func text(_ pointer: UnsafePointer<CChar>?) -> String {
            unsafe pointer.map { unsafe String(cString: $0) } ?? ""
        }
        kind =
            switch unsafe gio.g_dbus_message_get_message_type(message) {
            case G_DBUS_MESSAGE_TYPE_METHOD_CALL: .methodCall
            case G_DBUS_MESSAGE_TYPE_SIGNAL: .signal
            default: .other
            }
        sender = unsafe text(gio.g_dbus_message_get_sender(message))
        path = unsafe text(gio.g_dbus_message_get_path(message))
        interface = unsafe text(gio.g_dbus_message_get_interface(message))
        member = unsafe text(gio.g_dbus_message_get_member(message))
        values = unsafe BusValue.tuple(gio.g_dbus_message_get_body(message))
        serial = unsafe gio.g_dbus_message_get_serial(message)
    }
}

extension MessageBus.Failure {
    /// Takes over a `GError *` (transfer full).
    init(adopting error: UnsafeMutablePointer<GError>?) {
        guard let error = unsafe error, let gio = GIO.functions else {
            self.init(kind: .other, description: "A call over the bus failed without saying why")
            return
        }
        defer { unsafe g_error_free(error) }
        let name = unsafe gio.g_dbus_error_get_remote_error(error)
        defer { unsafe g_free(name) }
        let isIO = unsafe error.pointee.domain == gio.g_io_error_quark()
        let code = unsafe GIOErrorEnum(UInt32(bitPattern: error.pointee.code))
        let kind: Kind
        if isIO, code == G_IO_ERROR_TIMED_OUT {
            kind = .timedOut
        } else if isIO, code == G_IO_ERROR_CLOSED {
            kind = .closed
        } else if let name = unsafe name {
            kind = unsafe .refused(name: String(cString: name))
        } else {
            kind = .other
        }
        unsafe self.init(kind: kind, description: String(cString: error.pointee.message))
    }
}

extension Duration {
    /// As GLib takes it, rounded up: at least 1, since 0 and less mean something else there, as the largest does.
    fileprivate var milliseconds: gint {
        let exact = (self / .milliseconds(1)).rounded(.up)
        return exact < Double(gint.max) ? gint(max(1, exact)) : gint.max - 1
    }
}

// Sendable unchecked: the pointer never changes, and GMainContext locks itself; the connection keeps it for the filter.
/// What the filter needs of its connection.
@safe
private struct Ears: @unchecked Sendable {
    let handler: MessageBus.Handler
    let context: OpaquePointer
    let gio: CameraGIO
}

private let messageFilter: GDBusMessageFilterFunction = { _, message, isIncoming, data in
    guard isIncoming != 0, let message = unsafe message,
        let ears = unsafe CallbackBox<Ears>.body(data),
        ears.handler(unsafe MessageBus.Message(reading: message, ears.gio))
    else { return unsafe message }
    unsafe g_main_context_wakeup(ears.context)
    unsafe g_object_unref(gpointer(message))
    return nil
}

import CGStreamer

/// A value in a message of D-Bus: `GVariant`, as far as services of the desktop need it.
public indirect enum BusValue: Sendable, Hashable {
    case bool(Bool)
    case uint(UInt32)
    case string(String)
    /// The path of an object.
    case path(String)
    /// The place of a file descriptor among those that go with the message.
    case handle(Int32)
    /// A value with its type, `v`.
    case variant(BusValue)
    /// `a{sv}`: names and values of any type.
    case dictionary([String: BusValue])
    /// Anything else, in GVariant's text form. It can be read only.
    case other(String)
}

extension BusValue {
    /// Reads a `GVariant` without taking it over.
    init(reading value: OpaquePointer) {
        switch unsafe g_variant_classify(value) {
        case G_VARIANT_CLASS_BOOLEAN: self = unsafe .bool(g_variant_get_boolean(value) != 0)
        case G_VARIANT_CLASS_UINT32: self = unsafe .uint(g_variant_get_uint32(value))
        case G_VARIANT_CLASS_HANDLE: self = unsafe .handle(g_variant_get_handle(value))
        case G_VARIANT_CLASS_STRING: self = unsafe .string(String(cString: g_variant_get_string(value, nil)))
        case G_VARIANT_CLASS_OBJECT_PATH:
            self = unsafe .path(String(cString: g_variant_get_string(value, nil)))
        case G_VARIANT_CLASS_VARIANT:
            self = unsafe Self.child(of: value, at: 0).map { .variant($0) } ?? .other("")
        default:
            if let entries = unsafe Self.entries(of: value) {
                self = .dictionary(entries)
                return
            }
            let text = unsafe g_variant_print(value, 1)
            defer { unsafe g_free(text) }
            self = unsafe .other(text.map { unsafe String(cString: $0) } ?? "")
        }
    }

    /// The values of a tuple, which is what every message's body is.
    static func tuple(_ value: OpaquePointer?) -> [BusValue] {
        guard let value = unsafe value, unsafe g_variant_classify(value) == G_VARIANT_CLASS_TUPLE else {
            return []
        }
        return unsafe (0..<g_variant_n_children(value)).compactMap { unsafe child(of: value, at: $0) }
    }

    private static func child(of value: OpaquePointer, at index: gsize) -> BusValue? {
        guard let child = unsafe g_variant_get_child_value(value, index) else { return nil }
        defer { unsafe g_variant_unref(child) }
        return unsafe BusValue(reading: child)
    }

    private static func entries(of value: OpaquePointer) -> [String: BusValue]? {
        guard unsafe String(cString: g_variant_get_type_string(value)) == "a{sv}" else { return nil }
        var entries: [String: BusValue] = [:]
        for index in unsafe 0..<g_variant_n_children(value) {
            guard let entry = unsafe g_variant_get_child_value(value, index) else { continue }
            defer { unsafe g_variant_unref(entry) }
            guard case .string(let key)? = unsafe child(of: entry, at: 0),
                case .variant(let item)? = unsafe child(of: entry, at: 1)
            else { continue }
            entries[key] = item
        }
        return entries
    }

    /// A new `GVariant` of this value, with a floating reference.
    func make() -> OpaquePointer? {
        switch self {
        case .bool(let flag): unsafe g_variant_new_boolean(flag ? 1 : 0)
        case .uint(let number): unsafe g_variant_new_uint32(number)
        case .handle(let index): unsafe g_variant_new_handle(index)
        case .string(let text), .other(let text): unsafe g_variant_new_string(text)
        case .path(let path): unsafe g_variant_new_object_path(path)
        case .variant(let inner): unsafe g_variant_new_variant(inner.make())
        case .dictionary(let entries): unsafe Self.makeDictionary(entries)
        }
    }

    private static func makeDictionary(_ entries: [String: BusValue]) -> OpaquePointer? {
        let children: [OpaquePointer?] = unsafe entries.map { key, value in
            unsafe g_variant_new_dict_entry(
                g_variant_new_string(key), g_variant_new_variant(value.make()))
        }
        let type = unsafe g_variant_type_new("{sv}")
        defer { unsafe g_variant_type_free(type) }
        return unsafe children.withUnsafeBufferPointer { children in
            unsafe g_variant_new_array(type, children.baseAddress, gsize(children.count))
        }
    }

    /// A new tuple of values, with a floating reference.
    static func makeTuple(_ values: [BusValue]) -> OpaquePointer? {
        let children: [OpaquePointer?] = unsafe values.map { unsafe $0.make() }
        return unsafe children.withUnsafeBufferPointer { children in
            unsafe g_variant_new_tuple(children.baseAddress, gsize(children.count))
        }
    }
}

import CGStreamer

// Sendable unchecked: GstCaps is reference counted atomically and is not changed once it is made.
/// What a pad can carry: `GstCaps`. Immutable; built from values and read as values, never as text.
@safe
public final class Caps: @unchecked Sendable {
    /// One alternative of the caps: `GstStructure`.
    public struct Structure: Sendable, Hashable {
        /// The media type, such as "video/x-raw".
        public let name: String
        /// The memory features, such as "memory:DMABuf"; empty for plain system memory, ``anyFeatures`` for all.
        public let features: [String]
        /// The fields by name.
        public let fields: [String: Value]

        /// Stands for features of any kind: "ANY" in GStreamer's text form.
        public static let anyFeatures = ["ANY"]

        /// Whether plain system memory is among what the features allow.
        public var allowsSystemMemory: Bool { features.isEmpty || features == Self.anyFeatures }

        /// A structure with a name and fields, in plain system memory unless features say otherwise.
        public init(_ name: String, features: [String] = [], _ fields: [String: Value] = [:]) {
            self.name = name
            self.features = features
            self.fields = fields
        }
    }

    let pointer: UnsafeMutablePointer<GstCaps>

    /// Takes over a reference (transfer full).
    init(adopting pointer: UnsafeMutablePointer<GstCaps>) { unsafe self.pointer = pointer }

    /// Adds a reference (transfer none).
    convenience init(retaining pointer: UnsafeMutablePointer<GstCaps>) {
        unsafe self.init(adopting: gst_caps_ref(pointer))
    }

    /// Caps of the given alternatives, first choice first. Their names must be media types, such as "video/x-raw".
    public convenience init(_ structures: Structure...) { self.init(structures) }

    /// Caps of a list of alternatives, first choice first, in the same way.
    public convenience init(_ structures: [Structure]) {
        unsafe self.init(adopting: gst_caps_new_empty())
        for structure in structures {
            guard let raw = unsafe gst_structure_new_empty(structure.name) else {
                preconditionFailure("'\(structure.name)' is not the name of a media type")
            }
            for (field, value) in structure.fields {
                unsafe value.withGValue { unsafe gst_structure_set_value(raw, field, $0) }
            }
            // Both are handed over; no features mean plain system memory.
            unsafe gst_caps_append_structure_full(pointer, raw, Self.rawFeatures(structure.features))
        }
    }

    deinit { unsafe gst_caps_unref(pointer) }

    /// The alternatives, first choice first.
    public var structures: [Structure] {
        unsafe (0..<gst_caps_get_size(pointer)).compactMap { index -> Structure? in
            guard let raw = unsafe gst_caps_get_structure(pointer, index),
                let name = unsafe gst_structure_get_name(raw)
            else {
                return nil
            }
            return unsafe Structure(
                String(cString: name), features: Self.features(gst_caps_get_features(pointer, index)),
                Self.fields(UnsafePointer(raw)))
        }
    }

    /// Whether anything goes.
    public var isAny: Bool { unsafe gst_caps_is_any(pointer) != 0 }

    private static func rawFeatures(_ names: [String]) -> OpaquePointer? {
        if names == Structure.anyFeatures { return unsafe gst_caps_features_new_any() }
        guard !names.isEmpty, let raw = unsafe gst_caps_features_new_empty() else { return nil }
        for name in names { unsafe gst_caps_features_add(raw, name) }
        return unsafe raw
    }

    private static func features(_ raw: OpaquePointer?) -> [String] {
        guard let raw = unsafe raw else { return [] }
        if unsafe gst_caps_features_is_any(raw) != 0 { return Structure.anyFeatures }
        return unsafe (0..<gst_caps_features_get_size(raw)).compactMap { index in
            unsafe gst_caps_features_get_nth(raw, index).map { unsafe String(cString: $0) }
        }.filter { $0 != "memory:SystemMemory" }
    }

    static func fields(_ raw: UnsafePointer<GstStructure>) -> [String: Value] {
        var fields: [String: Value] = [:]
        for index in unsafe 0..<gst_structure_n_fields(raw) {
            guard let name = unsafe gst_structure_nth_field_name(raw, guint(index)),
                let value = unsafe gst_structure_get_value(raw, name)
            else { continue }
            unsafe fields[String(cString: name)] = unsafe Value(reading: value)
        }
        return fields
    }

    /// A copy with a field added to each alternative that lacks it.
    public func adding(_ field: String, _ value: Value) -> Caps {
        guard let copy = unsafe gst_caps_copy(pointer) else { return self }
        for index in unsafe 0..<gst_caps_get_size(copy) {
            guard let raw = unsafe gst_caps_get_structure(copy, index),
                unsafe gst_structure_has_field(raw, field) == 0
            else {
                continue
            }
            unsafe value.withGValue { unsafe gst_structure_set_value(raw, field, $0) }
        }
        return unsafe Caps(adopting: copy)
    }
}

extension Caps: Hashable, CustomStringConvertible {
    /// Whether both describe the same media (`gst_caps_is_equal`).
    public static func == (left: Caps, right: Caps) -> Bool {
        unsafe left === right || gst_caps_is_equal(left.pointer, right.pointer) != 0
    }

    /// Hashes the media types: equal caps may differ in all else, even in how many alternatives spell them out.
    public func hash(into hasher: inout Hasher) {
        let names = unsafe (0..<gst_caps_get_size(pointer)).compactMap { index in
            unsafe gst_structure_get_name(gst_caps_get_structure(pointer, index)).map {
                unsafe String(cString: $0)
            }
        }
        hasher.combine(Set(names))
    }

    /// GStreamer's text form, for messages to people.
    public var description: String {
        let text = unsafe gst_caps_to_string(pointer)
        defer { unsafe g_free(text) }
        return unsafe text.map { unsafe String(cString: $0) } ?? ""
    }
}

import CGStreamer

/// A value of a property or of a caps field: the kinds of `GValue` that GStreamer's cameras use.
public indirect enum Value: Sendable, Hashable {
    case bool(Bool)
    case int(Int)
    case uint(UInt)
    case double(Double)
    /// Text, or the nickname of an enumeration's member.
    case string(String)
    case fraction(Int, Int)
    case intRange(Int, Int)
    case fractionRange(minimum: Fraction, maximum: Fraction)
    /// Alternatives, all of one kind.
    case list([Value])
    case caps(Caps)
    /// Anything else, in GLib's text form. It can be read only: no property takes it.
    case other(String)

    /// A fraction, such as a frame rate.
    public struct Fraction: Sendable, Hashable {
        /// The upper number.
        public let numerator: Int
        /// The lower number, never 0.
        public let denominator: Int

        /// `numerator/denominator`.
        public init(_ numerator: Int, _ denominator: Int) {
            self.numerator = numerator
            self.denominator = denominator
        }
    }
}

extension Value {
    /// Reads a `GValue` without taking it over.
    init(reading value: UnsafePointer<GValue>) {
        switch unsafe value.pointee.g_type {
        case camera_g_type_boolean(): self = unsafe .bool(g_value_get_boolean(value) != 0)
        case camera_g_type_int(): self = unsafe .int(Int(g_value_get_int(value)))
        case camera_g_type_uint(): self = unsafe .uint(UInt(g_value_get_uint(value)))
        case camera_g_type_int64(): self = unsafe .int(Int(g_value_get_int64(value)))
        case camera_g_type_uint64(): self = unsafe .uint(UInt(g_value_get_uint64(value)))
        case camera_g_type_float(): self = unsafe .double(Double(g_value_get_float(value)))
        case camera_g_type_double(): self = unsafe .double(g_value_get_double(value))
        case camera_g_type_string():
            self = unsafe .string(g_value_get_string(value).map { unsafe String(cString: $0) } ?? "")
        case camera_gst_type_fraction():
            self = unsafe .fraction(
                Int(gst_value_get_fraction_numerator(value)), Int(gst_value_get_fraction_denominator(value)))
        case camera_gst_type_int_range():
            self = unsafe .intRange(
                Int(gst_value_get_int_range_min(value)), Int(gst_value_get_int_range_max(value)))
        case camera_gst_type_fraction_range(): self = unsafe Self.fractionRange(reading: value)
        case camera_gst_type_list():
            self = unsafe .list(
                (0..<gst_value_list_get_size(value)).map {
                    unsafe Value(reading: gst_value_list_get_value(value, $0))
                })
        default:
            if let caps = unsafe Self.caps(reading: value) {
                self = .caps(caps)
                return
            }
            if let nick = unsafe camera_value_enum_nick(value) {
                self = unsafe .string(String(cString: nick))
                return
            }
            let text = unsafe g_strdup_value_contents(value)
            defer { unsafe g_free(text) }
            self = unsafe .other(text.map { unsafe String(cString: $0) } ?? "")
        }
    }

    private static func caps(reading value: UnsafePointer<GValue>) -> Caps? {
        guard unsafe value.pointee.g_type == camera_gst_type_caps() else { return nil }
        // A property of this type that was never set has no caps in it.
        return unsafe gst_value_get_caps(value).map {
            unsafe Caps(retaining: UnsafeMutablePointer(mutating: $0))
        }
    }

    private static func fractionRange(reading value: UnsafePointer<GValue>) -> Value {
        guard let low = unsafe gst_value_get_fraction_range_min(value),
            let high = unsafe gst_value_get_fraction_range_max(value),
            case .fraction(let lowNumerator, let lowDenominator) = unsafe Value(reading: low),
            case .fraction(let highNumerator, let highDenominator) = unsafe Value(reading: high)
        else { return .other("") }
        return .fractionRange(
            minimum: Fraction(lowNumerator, lowDenominator), maximum: Fraction(highNumerator, highDenominator)
        )
    }

    /// Calls `body` with this value as a `GValue` that lives only during the call.
    func withGValue<Result>(_ body: (UnsafePointer<GValue>) -> Result) -> Result {
        var value = GValue()
        fill(&value)
        defer { unsafe g_value_unset(&value) }
        return unsafe body(&value)
    }

    private func fill(_ value: inout GValue) {
        switch self {
        case .bool(let flag):
            unsafe g_value_init(&value, camera_g_type_boolean())
            unsafe g_value_set_boolean(&value, flag ? 1 : 0)
        case .int(let number):
            // Caps fields are 32 bits wide; anything larger can only be a property, which converts.
            if let small = gint(exactly: number) {
                unsafe g_value_init(&value, camera_g_type_int())
                unsafe g_value_set_int(&value, small)
            } else {
                unsafe g_value_init(&value, camera_g_type_int64())
                unsafe g_value_set_int64(&value, gint64(number))
            }
        case .uint(let number):
            unsafe g_value_init(&value, camera_g_type_uint64())
            unsafe g_value_set_uint64(&value, guint64(number))
        case .double(let number):
            unsafe g_value_init(&value, camera_g_type_double())
            unsafe g_value_set_double(&value, number)
        case .string(let text), .other(let text):
            unsafe g_value_init(&value, camera_g_type_string())
            unsafe g_value_set_string(&value, text)
        case .fraction(let numerator, let denominator):
            unsafe g_value_init(&value, camera_gst_type_fraction())
            unsafe gst_value_set_fraction(&value, gint(clamping: numerator), gint(clamping: denominator))
        case .intRange(let low, let high) where low == high:
            // GStreamer refuses a range of one number.
            Value.int(low).fill(&value)
        case .intRange(let low, let high):
            unsafe g_value_init(&value, camera_gst_type_int_range())
            unsafe gst_value_set_int_range(&value, gint(clamping: low), gint(clamping: high))
        case .fractionRange(let low, let high) where low == high:
            Value.fraction(low.numerator, low.denominator).fill(&value)
        case .fractionRange(let low, let high):
            unsafe g_value_init(&value, camera_gst_type_fraction_range())
            unsafe gst_value_set_fraction_range_full(
                &value, gint(clamping: low.numerator), gint(clamping: low.denominator),
                gint(clamping: high.numerator), gint(clamping: high.denominator))
        case .list(let values):
            unsafe g_value_init(&value, camera_gst_type_list())
            for item in values {
                unsafe item.withGValue { unsafe gst_value_list_append_value(&value, $0) }
            }
        case .caps(let caps):
            unsafe g_value_init(&value, camera_gst_type_caps())
            unsafe g_value_set_boxed(&value, caps.pointer)
        }
    }
}

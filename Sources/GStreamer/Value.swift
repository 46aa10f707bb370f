import CGStreamer

/// A value of a property or of a caps field: the kinds of `GValue` that GStreamer's cameras use.
public indirect enum Value: Sendable, Hashable {
    case bool(Bool)
    case int(Int)
    case uint(UInt)
    case double(Double)
    case string(String)
    case fraction(Int, Int)
    case intRange(Int, Int)
    case fractionRange(minimum: Fraction, maximum: Fraction)
    case list([Value])
    case caps(Caps)
    /// Anything else, in GStreamer's text form. It can be read only.
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
        switch value.pointee.g_type {
        case camera_g_type_boolean(): self = .bool(g_value_get_boolean(value) != 0)
        case camera_g_type_int(): self = .int(Int(g_value_get_int(value)))
        case camera_g_type_uint(): self = .uint(UInt(g_value_get_uint(value)))
        case camera_g_type_int64(): self = .int(Int(g_value_get_int64(value)))
        case camera_g_type_uint64(): self = .uint(UInt(g_value_get_uint64(value)))
        case camera_g_type_double(): self = .double(g_value_get_double(value))
        case camera_g_type_string():
            self = .string(g_value_get_string(value).map { String(cString: $0) } ?? "")
        case camera_gst_type_fraction():
            self = .fraction(
                Int(gst_value_get_fraction_numerator(value)), Int(gst_value_get_fraction_denominator(value)))
        case camera_gst_type_int_range():
            self = .intRange(
                Int(gst_value_get_int_range_min(value)), Int(gst_value_get_int_range_max(value)))
        case camera_gst_type_fraction_range(): self = Self.fractionRange(reading: value)
        case camera_gst_type_list():
            self = .list(
                (0..<gst_value_list_get_size(value)).map {
                    Value(reading: gst_value_list_get_value(value, $0))
                })
        default:
            let text = g_strdup_value_contents(value)
            defer { g_free(text) }
            self = .other(text.map { String(cString: $0) } ?? "")
        }
    }

    private static func fractionRange(reading value: UnsafePointer<GValue>) -> Value {
        guard let low = gst_value_get_fraction_range_min(value),
            let high = gst_value_get_fraction_range_max(value),
            case .fraction(let lowNumerator, let lowDenominator) = Value(reading: low),
            case .fraction(let highNumerator, let highDenominator) = Value(reading: high)
        else { return .other("") }
        return .fractionRange(
            minimum: Fraction(lowNumerator, lowDenominator), maximum: Fraction(highNumerator, highDenominator)
        )
    }

    /// Calls `body` with this value as a `GValue` that lives only during the call.
    func withGValue<Result>(_ body: (UnsafePointer<GValue>) -> Result) -> Result {
        var value = GValue()
        fill(&value)
        defer { g_value_unset(&value) }
        return body(&value)
    }

    private func fill(_ value: inout GValue) {
        switch self {
        case .bool(let flag):
            g_value_init(&value, camera_g_type_boolean())
            g_value_set_boolean(&value, flag ? 1 : 0)
        case .int(let number):
            // Caps fields are 32 bits wide; anything larger can only be a property, which converts.
            if let small = gint(exactly: number) {
                g_value_init(&value, camera_g_type_int())
                g_value_set_int(&value, small)
            } else {
                g_value_init(&value, camera_g_type_int64())
                g_value_set_int64(&value, gint64(number))
            }
        case .uint(let number):
            g_value_init(&value, camera_g_type_uint64())
            g_value_set_uint64(&value, guint64(number))
        case .double(let number):
            g_value_init(&value, camera_g_type_double())
            g_value_set_double(&value, number)
        case .string(let text), .other(let text):
            g_value_init(&value, camera_g_type_string())
            g_value_set_string(&value, text)
        case .fraction(let numerator, let denominator):
            g_value_init(&value, camera_gst_type_fraction())
            gst_value_set_fraction(&value, gint(clamping: numerator), gint(clamping: denominator))
        case .intRange(let low, let high):
            g_value_init(&value, camera_gst_type_int_range())
            gst_value_set_int_range(&value, gint(clamping: low), gint(clamping: high))
        case .fractionRange(let low, let high):
            g_value_init(&value, camera_gst_type_fraction_range())
            gst_value_set_fraction_range_full(
                &value, gint(clamping: low.numerator), gint(clamping: low.denominator),
                gint(clamping: high.numerator), gint(clamping: high.denominator))
        case .list(let values):
            g_value_init(&value, camera_gst_type_list())
            for item in values {
                item.withGValue { gst_value_list_append_value(&value, $0) }
            }
        case .caps(let caps):
            g_value_init(&value, camera_gst_type_caps())
            g_value_set_boxed(&value, caps.pointer)
        }
    }
}

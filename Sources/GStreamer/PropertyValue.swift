import CGStreamer

extension Value {
    /// Writes this value to `converted`, in the type that it was initialised with, which is the property's.
    ///
    /// - Returns: whether the property takes the value as it is: nothing is wrapped, clamped or cut off. Only a real
    ///   number is rounded, to the precision of its property.
    func convert(to property: UnsafeMutablePointer<GParamSpec>, _ converted: inout GValue) -> Bool {
        let type = converted.g_type
        switch self {
        case .string(let text) where type != camera_g_type_string():
            guard unsafe gst_value_deserialize_with_pspec(&converted, text, property) != 0 else {
                return false
            }
        case .other: return false
        default:
            guard fits(type), unsafe withGValue({ unsafe g_value_transform($0, &converted) != 0 }) else {
                return false
            }
        }
        // A property with lax validation asks to be given values out of range too.
        let isLax = unsafe property.pointee.flags.rawValue & G_PARAM_LAX_VALIDATION.rawValue != 0
        // It says whether it had to change the value.
        return unsafe g_param_value_validate(property, &converted) == 0 || isLax
    }

    // GLib converts numbers as C casts do, and the parts of a fraction or a range are cut to 32 bits on their way there.
    private func fits(_ type: GType) -> Bool {
        switch self {
        case .int(let number): Self.fits(number, type)
        case .uint(let number): Self.fits(number, type)
        case .double(let number) where type != camera_g_type_double() && type != camera_g_type_float():
            Int64(exactly: number).map { Self.fits($0, type) } ?? false
        case .fraction(let numerator, let denominator): Fraction(numerator, denominator).isShort
        case .intRange(let low, let high): low <= high && [low, high].allSatisfy { gint(exactly: $0) != nil }
        case .fractionRange(let low, let high): low.isShort && high.isShort
        case .list(let values): values.allSatisfy { $0.fits(type) }
        default: true
        }
    }

    private static func fits(_ number: some BinaryInteger, _ type: GType) -> Bool {
        switch g_type_fundamental(type) {
        case camera_g_type_boolean(): number == 0 || number == 1
        case camera_g_type_int(), camera_g_type_enum(): gint(exactly: number) != nil
        case camera_g_type_uint(), camera_g_type_flags(): guint(exactly: number) != nil
        case camera_g_type_int64(): gint64(exactly: number) != nil
        case camera_g_type_uint64(): guint64(exactly: number) != nil
        default: true
        }
    }
}

extension Value.Fraction {
    /// Whether it is a fraction of GStreamer's, whose parts have 32 bits.
    fileprivate var isShort: Bool {
        gint(exactly: numerator) != nil && gint(exactly: denominator) != nil && denominator != 0
    }
}

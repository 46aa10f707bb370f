extension PixelFormat {
    /// Raw formats that `videocrop` of GStreamer 1.22 takes, the cheapest to convert first.
    ///
    /// JPEG encoding wants I420 and screens want a packed RGB format, so planar YUV costs least on the whole
    /// and deep formats most. A camera format that is missing here (NV16, P010, Bayer, …) cannot enter the
    /// graph: everything passes through the crop.
    static let croppable: [PixelFormat] = [
        "I420", "NV12", "YUY2",
        "UYVY", "YVYU", "NV21", "YV12", "Y42B", "Y444", "Y41B", "AYUV", "A420",
        "BGRx", "RGBx", "xRGB", "xBGR", "BGRA", "RGBA", "ARGB", "ABGR", "RGB", "BGR", "GBR", "GBRA",
        "RGB16", "RGB15", "v210",
        "I420_10LE", "I420_10BE", "I420_12LE", "I420_12BE", "I422_10LE", "I422_10BE", "I422_12LE",
        "I422_12BE",
        "Y444_10LE", "Y444_10BE", "Y444_12LE", "Y444_12BE", "A420_10LE", "A420_10BE", "A422_10LE",
        "A422_10BE",
        "A444_10LE", "A444_10BE", "GBR_10LE", "GBR_10BE", "GBR_12LE", "GBR_12BE", "GBRA_10LE", "GBRA_10BE",
        "GBRA_12LE", "GBRA_12BE",
        "GRAY8", "GRAY16_LE", "GRAY16_BE",
    ].map(PixelFormat.init(rawValue:))

    /// The place of the format in ``croppable``; 0 for JPEG, which is decoded to I420; `nil` for a format that
    /// cannot enter the graph.
    var conversionCost: Int? { isCompressed ? 0 : Self.croppable.firstIndex(of: self) }

    /// Whether frames can pass through the graph in this format, decoded if need be.
    var isUsable: Bool { conversionCost != nil }

    /// Whether the format has no colour.
    var isGray: Bool { rawValue.hasPrefix("GRAY") }
}

/// Whether one camera can do one preset, and at which size.
public struct PresetSupport: Hashable, Sendable {
    /// The preset.
    public let preset: SessionPreset

    /// The size that the preset gives on this camera: the fixed size, supported or not, or what an adaptive
    /// preset comes to. `nil` when that is known only once the camera runs, and for
    /// ``SessionPreset/inputPriority``, whose size is that of the requested format.
    public let dimensions: Dimensions?

    /// Whether applying the preset to this camera can succeed.
    public let isSupported: Bool

    /// Creates a statement about a preset.
    public init(preset: SessionPreset, dimensions: Dimensions?, isSupported: Bool) {
        self.preset = preset
        self.dimensions = dimensions
        self.isSupported = isSupported
    }
}

/// A named capture size, in AVFoundation's vocabulary.
public enum SessionPreset: String, CaseIterable, Codable, Sendable {
    /// Exactly 352×288.
    case cif352x288
    /// Exactly 320×240.
    case qvga320x240
    /// Exactly 640×480.
    case vga640x480
    /// Exactly 960×540.
    case qHD960x540
    /// Exactly 1280×720.
    case hd1280x720
    /// Exactly 1920×1080.
    case hd1920x1080
    /// Exactly 3840×2160.
    case hd4K3840x2160
    /// Exactly 960×540.
    case iFrame960x540
    /// Exactly 1280×720.
    case iFrame1280x720
    /// The largest size that the camera has.
    case photo
    /// The largest size up to 1920×1080 that reaches 24 frames per second.
    case high
    /// The size nearest to 480×360.
    case medium
    /// The size nearest to 192×144.
    case low
    /// The size of the configuration's ``CaptureConfiguration/format``; without one, that of ``high``.
    case inputPriority

    /// The size that the preset stands for, or `nil` for a preset that adapts to the camera.
    public var fixedSize: Dimensions? {
        switch self {
        case .cif352x288: Dimensions(width: 352, height: 288)
        case .qvga320x240: Dimensions(width: 320, height: 240)
        case .vga640x480: Dimensions(width: 640, height: 480)
        case .qHD960x540, .iFrame960x540: Dimensions(width: 960, height: 540)
        case .hd1280x720, .iFrame1280x720: Dimensions(width: 1280, height: 720)
        case .hd1920x1080: Dimensions(width: 1920, height: 1080)
        case .hd4K3840x2160: Dimensions(width: 3840, height: 2160)
        case .photo, .high, .medium, .low, .inputPriority: nil
        }
    }
}

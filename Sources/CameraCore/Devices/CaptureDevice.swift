/// A camera: real hardware, a described pipeline or a built-in test picture.
public struct CaptureDevice: Sendable, Hashable, Identifiable {
    /// Names the camera for good: it survives unplugging and does not depend on the order of discovery.
    public let id: String

    /// The name for people; two cameras may share one.
    public let name: String

    /// Which way the camera looks.
    public let position: Position

    /// What kind of camera this is.
    public let deviceType: DeviceType

    /// What light the camera sees, as far as it tells.
    public let spectrum: Spectrum

    /// Where the camera comes from, for example `v4l2`, `pipewire`, `file` or `test`.
    public let provider: String

    /// The device node, for example `/dev/video0`, where there is one. It may change when the camera is
    /// plugged in again; ``id`` does not.
    public let node: String?

    /// What the camera can deliver, in its own order. Empty when that is known only once it runs.
    public let formats: [Format]

    /// Why the camera cannot be used at present, or `nil` when it can.
    public let problem: String?

    /// Further ids that name this camera as long as they name no other.
    var aliases: [CaptureDevice.ID] = []

    /// Creates the description of a camera; a spectrum of `nil` is what name and formats tell.
    public init(
        id: String,
        name: String,
        position: Position = .unspecified,
        deviceType: DeviceType,
        spectrum: Spectrum? = nil,
        provider: String,
        node: String? = nil,
        formats: [Format] = [],
        problem: String? = nil
    ) {
        self.id = id
        self.name = name
        self.position = position
        self.deviceType = deviceType
        self.spectrum = spectrum ?? Spectrum(name: name, formats: formats)
        self.provider = provider
        self.node = node
        self.formats = formats
        self.problem = problem
    }
}

extension CaptureDevice {
    /// Which way a camera looks, seen from the machine that it belongs to.
    public enum Position: String, Codable, CaseIterable, Sendable {
        /// At the user.
        case front
        /// Away from the user.
        case back
        /// Not fixed to the machine.
        case external
        /// Not known.
        case unspecified
    }

    /// What kind of camera this is; the cases stand in order of preference.
    public enum DeviceType: String, Codable, CaseIterable, Sendable {
        /// Part of the machine.
        case builtIn
        /// Plugged in.
        case external
        /// A video device without hardware behind it, such as a loopback.
        case virtual
        /// Built into this library.
        case test
        /// Described by a pipeline file; last, since many of them are there to misbehave.
        case file

        /// Whether the operating system has this camera, as against a described or a built-in one.
        public var isReal: Bool {
            switch self {
            case .builtIn, .external, .virtual: true
            case .file, .test: false
            }
        }
    }
}

extension CaptureDevice {
    /// What light a camera sees.
    public enum Spectrum: String, Codable, CaseIterable, Sendable {
        /// Visible light, in colour; or it does not tell.
        case color
        /// It delivers grey only.
        case gray
        /// Infrared, as the cameras that unlock a computer by a face; it is not taken unless somebody asks for it.
        case infrared

        init(name: String, formats: [Format]) {
            let words = name.lowercased().split { !$0.isLetter && !$0.isNumber }
            let usable = formats.map(\.pixelFormat).filter(\.isUsable)
            if words.contains("ir") || words.contains("infrared") {
                self = .infrared
            } else {
                self = !usable.isEmpty && usable.allSatisfy(\.isGray) ? .gray : .color
            }
        }
    }
}

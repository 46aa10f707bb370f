/// What an applied ``CaptureConfiguration`` came to on a particular camera.
public struct AppliedConfiguration: Equatable, Sendable {
    /// The configuration that is now in force; it may differ from the one asked for, and then ``notices`` say so.
    public let configuration: CaptureConfiguration

    /// The camera in use.
    public let device: CaptureDevice

    /// The format as negotiated, not as asked for.
    public let format: ActiveFormat

    /// The zoom factor.
    public let zoom: Double

    /// The zoom factors that this format allows.
    public let zoomRange: ZoomRange

    /// The part of the camera's frame that is shown.
    public let crop: CropRectangle

    /// What was decided in the caller's place, one sentence each, for people.
    public let notices: [String]

    /// Creates the record of an applied configuration.
    public init(
        configuration: CaptureConfiguration,
        device: CaptureDevice,
        format: ActiveFormat,
        zoom: Double,
        zoomRange: ZoomRange,
        crop: CropRectangle,
        notices: [String] = []
    ) {
        self.configuration = configuration
        self.device = device
        self.format = format
        self.zoom = zoom
        self.zoomRange = zoomRange
        self.crop = crop
        self.notices = notices
    }
}

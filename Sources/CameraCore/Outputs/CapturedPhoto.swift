import FoundationEssentials

/// A photo that lies complete on disk.
public struct CapturedPhoto: Hashable, Sendable {
    /// Where the file is.
    public let url: URL

    /// Pixels in a row.
    public let width: Int

    /// Rows.
    public let height: Int

    /// The size of the file.
    public let bytes: Int

    /// When the frame was captured, in seconds of running time.
    public let presentationTime: Double

    /// From the call to the file being durable under its name.
    public let latency: Duration

    /// The camera that took it.
    public let device: CaptureDevice.ID

    /// Creates the record of a photo.
    public init(
        url: URL,
        width: Int,
        height: Int,
        bytes: Int,
        presentationTime: Double,
        latency: Duration,
        device: CaptureDevice.ID
    ) {
        self.url = url
        self.width = width
        self.height = height
        self.bytes = bytes
        self.presentationTime = presentationTime
        self.latency = latency
        self.device = device
    }
}

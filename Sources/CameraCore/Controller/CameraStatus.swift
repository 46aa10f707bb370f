/// Everything about a camera at one moment.
public struct CameraStatus: Equatable, Sendable {
    /// What the controller is doing.
    public let state: State

    /// What was asked of the camera.
    public let configuration: CaptureConfiguration

    /// The camera in use, or `nil` before one was chosen.
    public let device: CaptureDevice?

    /// The negotiated format; before the start and after the stop the one that is planned, or `nil` where it cannot be
    /// known.
    public let format: ActiveFormat?

    /// The zoom factor.
    public let zoom: Double

    /// The zoom factors that the format allows; ``ZoomRange/full`` while its size is not known.
    public let zoomRange: ZoomRange

    /// The part of the camera's frame that is shown, or `nil` while its size is not known.
    public let crop: CropRectangle?

    /// Frames per second that came lately; 0 while none do.
    public let measuredFrameRate: Double

    /// Frames that came from the camera, whole and in order.
    public let delivered: Int

    /// Frames that no preview got.
    public let dropped: Drops

    /// Frames that came from the camera cut short or garbled, and were left out.
    public let damaged: Int

    /// Photos saved.
    public let photos: Int

    /// The output branches in the graph.
    public let outputs: [OutputStatus]

    /// How long the camera has been running without a break; zero while it is not.
    public let uptime: Duration

    /// Creates a status; by default that of a camera that was never started.
    public init(
        state: State = .stopped,
        configuration: CaptureConfiguration = CaptureConfiguration(),
        device: CaptureDevice? = nil,
        format: ActiveFormat? = nil,
        zoom: Double = 1,
        zoomRange: ZoomRange = .full,
        crop: CropRectangle? = nil,
        measuredFrameRate: Double = 0,
        delivered: Int = 0,
        dropped: Drops = Drops(),
        damaged: Int = 0,
        photos: Int = 0,
        outputs: [OutputStatus] = [],
        uptime: Duration = .zero
    ) {
        self.state = state
        self.configuration = configuration
        self.device = device
        self.format = format
        self.zoom = zoom
        self.zoomRange = zoomRange
        self.crop = crop
        self.measuredFrameRate = measuredFrameRate
        self.delivered = delivered
        self.dropped = dropped
        self.damaged = damaged
        self.photos = photos
        self.outputs = outputs
        self.uptime = uptime
    }
}

extension CameraStatus {
    /// What a controller is doing.
    public enum State: Hashable, Sendable, CustomStringConvertible {
        /// It captures nothing, because it was not started or was stopped.
        case stopped

        /// It captures.
        case running

        /// It would capture and cannot for this reason; ``CameraController/start()`` tries again.
        case interrupted(CameraError)

        /// It is closed for good.
        case closed

        /// The name of the state, without its reason.
        public var description: String {
            switch self {
            case .stopped: "stopped"
            case .running: "running"
            case .interrupted: "interrupted"
            case .closed: "closed"
            }
        }

        /// Whether the camera would capture and cannot.
        public var isInterrupted: Bool { if case .interrupted = self { true } else { false } }

        /// Why the controller is interrupted.
        public var error: CameraError? {
            switch self {
            case .interrupted(let error): error
            case .stopped, .running, .closed: nil
            }
        }
    }

    /// Frames that no preview got, by reason.
    public struct Drops: Hashable, Sendable {
        /// The consumer still had the frame before.
        public var late: Int

        /// The camera had no free buffer to capture into.
        public var outOfBuffers: Int

        /// The camera skipped ahead.
        public var discontinuity: Int

        /// Creates counts, by default none.
        public init(late: Int = 0, outOfBuffers: Int = 0, discontinuity: Int = 0) {
            self.late = late
            self.outOfBuffers = outOfBuffers
            self.discontinuity = discontinuity
        }

        /// All of them together.
        public var total: Int { late + outOfBuffers + discontinuity }
    }
}

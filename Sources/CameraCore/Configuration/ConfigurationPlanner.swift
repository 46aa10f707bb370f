/// What the graph runs, or is to run, as far as planning goes.
struct PlannedState: Hashable, Sendable {
    /// The camera.
    var device: CaptureDevice.ID

    /// The format that its source is held to, or `nil` for whatever it gives. What was asked of the source
    /// and not what it negotiated: else a camera left free would be renegotiated for nothing.
    var format: ActiveFormat?

    /// The zoom.
    var zoom: Zoom

    /// Creates a state.
    init(device: CaptureDevice.ID, format: ActiveFormat?, zoom: Zoom = Zoom()) {
        self.device = device
        self.format = format
        self.zoom = zoom
    }
}

/// Plans the smallest step from what runs to what is wanted. Pure: the graph executes it.
enum ConfigurationPlanner {
    /// One change to the graph.
    enum Step: Hashable, Sendable {
        /// Move the crop. The zoom and not a rectangle, because a camera left free tells its size only once
        /// it runs, and the rectangle belongs to the negotiated size.
        case setZoom(Zoom)

        /// Take the source through READY into another format. The zoom is there before its first frame.
        case renegotiate(ActiveFormat, Zoom)

        /// Put another source branch in the place of the present one, if any, and the zoom before its first frame.
        case swapSource(CaptureDevice.ID, ActiveFormat?, Zoom)
    }

    /// The step; `nil` when everything is as wanted.
    ///
    /// - Parameters:
    ///   - current: What runs, or `nil` when nothing does.
    ///   - wanted: What is to run.
    static func step(from current: PlannedState?, to wanted: PlannedState) -> Step? {
        guard let current, current.device == wanted.device, current.hasSameBranch(as: wanted) else {
            return .swapSource(wanted.device, wanted.format, wanted.zoom)
        }
        if let format = wanted.format, format != current.format {
            return .renegotiate(format, wanted.zoom)
        }
        return current.showsSame(as: wanted) ? nil : .setZoom(wanted.zoom)
    }
}

extension PlannedState {
    /// Whether the source branch is built alike: a compressed stream needs a decoder in it, and a branch that
    /// was laid out for whatever comes may hold one or not.
    fileprivate func hasSameBranch(as other: PlannedState) -> Bool {
        format?.pixelFormat.isCompressed == other.format?.pixelFormat.isCompressed
    }

    /// Whether two zooms of one format come to the same picture: the centre means nothing at factor 1, and
    /// small differences vanish in whole pixels.
    fileprivate func showsSame(as other: PlannedState) -> Bool {
        if zoom == other.zoom || (zoom.factor == 1 && other.zoom.factor == 1) { return true }
        guard let size = format?.dimensions else { return false }
        return CropRectangle(zoom, in: size) == CropRectangle(other.zoom, in: size)
    }
}

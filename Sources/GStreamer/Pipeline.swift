import CGStreamer

// Sendable unchecked: as Element is, and a GstClock may be asked from any thread.
/// The outermost bin, with a clock and a bus: `GstPipeline`. It runs on the system's monotonic clock.
@safe
public final class Pipeline: Bin, @unchecked Sendable {
    private let clock: UnsafeMutablePointer<GstClock>

    /// An empty pipeline.
    ///
    /// - Throws: ``GStreamerError`` when GStreamer gives none, as before it is initialised.
    public init(name: String) throws(GStreamerError) {
        guard let made = unsafe gst_pipeline_new(name), let clock = unsafe gst_system_clock_obtain() else {
            throw GStreamerError(.other, "GStreamer gave no pipeline")
        }
        // Sources come and go; with a fixed clock their going does not change what time it is.
        unsafe gst_pipeline_use_clock(cast(made), clock)
        unsafe self.clock = clock
        unsafe super.init(sinking: made)
    }

    deinit { unsafe gst_object_unref(clock) }

    /// The time that the clock shows now.
    public var clockTime: ClockTime { unsafe ClockTime(gst_clock_get_time(clock)) ?? .zero }

    /// The running time: how long ago the pipeline's base time was.
    public var runningTime: ClockTime {
        let (now, base) = (clockTime.nanoseconds, baseTime.nanoseconds)
        return ClockTime(nanoseconds: now > base ? now - base : 0)
    }

    /// The pipeline's bus.
    public var bus: Bus { unsafe Bus(adopting: gst_element_get_bus(element)) }
}

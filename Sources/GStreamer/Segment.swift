import CGStreamer

/// How a stream's timestamps map to running time: `GstSegment`.
public struct Segment: Sendable {
    // Plain numbers: a copy is all that ownership takes.
    nonisolated(unsafe) let raw: GstSegment

    /// The running time of a timestamp; `nil` outside the segment, or when the segment does not count time.
    public func runningTime(_ timestamp: ClockTime) -> ClockTime? {
        guard unsafe raw.format == GST_FORMAT_TIME else { return nil }
        return unsafe withUnsafePointer(to: raw) {
            unsafe ClockTime(gst_segment_to_running_time($0, GST_FORMAT_TIME, guint64(timestamp.nanoseconds)))
        }
    }
}

import CGStreamer

/// How a stream's timestamps map to running time: `GstSegment`.
public struct Segment: Sendable {
    // Plain numbers: a copy is all that ownership takes.
    nonisolated(unsafe) let raw: GstSegment

    /// The running time of a timestamp; `nil` outside the segment, or when the segment does not count time.
    public func runningTime(_ timestamp: ClockTime) -> ClockTime? {
        unsafe withUnsafePointer(to: raw) { unsafe Self.runningTime(timestamp, in: $0) }
    }

    static func runningTime(_ timestamp: ClockTime, in segment: UnsafePointer<GstSegment>) -> ClockTime? {
        guard unsafe segment.pointee.format == GST_FORMAT_TIME else { return nil }
        return unsafe ClockTime(gst_segment_to_running_time(segment, GST_FORMAT_TIME, timestamp.raw))
    }
}

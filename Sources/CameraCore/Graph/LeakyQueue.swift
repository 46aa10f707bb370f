import GStreamer

extension Element {
    /// A queue that holds one frame, the newest: what is behind it can be slow without holding up what is before.
    static func leakyQueue() throws(GStreamerError) -> Element {
        let queue = try Element("queue", name: "newest")
        try queue.set("leaky", .string("downstream"))
        try queue.set("max-size-buffers", .uint(1))
        // The default byte limit is less than two 4K frames, and the default time limit less than one slow one.
        try queue.set("max-size-bytes", .uint(0))
        try queue.set("max-size-time", .uint(0))
        // Signals that nobody hears cost a thousand instructions a frame.
        try queue.set("silent", .bool(true))
        return queue
    }
}

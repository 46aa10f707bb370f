import GStreamer

/// The floor of every change: the plainest live pipeline, made and started until its first frame is there.
enum BareStart {
    private static let source = """
        videotestsrc is-live=true pattern=smpte \
        ! video/x-raw,format=I420,width=1280,height=720,framerate=30/1
        """

    static func measure(_ count: Int) throws -> Samples {
        try GStreamer.initialize()
        _ = try start()  // loads the plugins
        return Samples(milliseconds: try (0..<count).map { _ in try start() })
    }

    private static func start() throws -> Double {
        let began = ContinuousClock.now
        let pipeline = try Pipeline(name: "bare")
        let bin = try Bin(description: source)
        let sink = try AppSink()
        try pipeline.add(bin, sink)
        try bin.link(to: sink)
        try pipeline.setState(.playing)
        let frame = sink.pull(timeout: ClockTime(seconds: 5))
        let took = ContinuousClock.now - began
        try pipeline.setState(.null)
        guard frame != nil else { throw BenchError(description: "The bare pipeline gave no frame in 5 s") }
        return took.milliseconds
    }
}

import GStreamer

/// The floor of every change: the plainest live pipeline, made and started until its first frame is there.
enum BareStart {
    /// - Parameter patterns: what is painted, in turns: a ball takes several times as long as bars.
    static func measure(_ count: Int, _ patterns: [String]) async throws -> Samples {
        try GStreamer.initialize()
        for pattern in patterns { _ = try start(pattern) }  // loads the plugins
        var samples: [Double] = []
        for index in 0..<count {
            // As long as a change waits for its moment: right after the last one, the processor would still be awake.
            try await Task.sleep(for: .milliseconds(Double.random(in: 67..<100)))
            samples.append(try start(patterns[index % patterns.count]))
        }
        return Samples(milliseconds: samples)
    }

    private static func start(_ pattern: String) throws -> Double {
        let began = ContinuousClock.now
        let pipeline = try Pipeline(name: "bare")
        let bin = try Bin(
            description: """
                videotestsrc is-live=true pattern=\(pattern) \
                ! video/x-raw,format=I420,width=1280,height=720,framerate=30/1
                """)
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

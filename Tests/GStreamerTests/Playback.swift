import Testing

@testable import GStreamer

/// A pipeline that plays a description to its end, with the messages of its bus.
final class Playback: Sendable {
    let pipeline: Pipeline
    let bin: Bin
    private let messages: AsyncStream<Message>

    init(_ description: String, into sink: Element? = nil) throws {
        try initialize()
        pipeline = try Pipeline(name: "test")
        bin = try Bin(description: description, name: "described")
        try pipeline.add(bin)
        if let sink {
            try pipeline.add(sink)
            try bin.link(to: sink)
        }
        let (messages, continuation) = AsyncStream.makeStream(of: Message.self)
        self.messages = messages
        pipeline.bus.setHandler { continuation.yield($0) }
    }

    func element(_ name: String) throws -> Element {
        try #require(bin.descendants.first { $0.name == name }, "there is an element '\(name)'")
    }

    func pad(_ name: String, of element: String) throws -> Pad {
        try #require(try self.element(element).staticPad(name), "'\(element)' has a pad '\(name)'")
    }

    /// The messages up to the end of the stream or the first error, which is the last of them.
    func messagesToEnd() async -> [Message] {
        var seen: [Message] = []
        for await message in messages {
            seen.append(message)
            switch message.payload {
            case .error, .endOfStream: return seen
            default: continue
            }
        }
        return seen
    }

    /// Plays to the end of the stream, or throws the error that came instead.
    func playToEnd() async throws {
        try pipeline.setState(.playing)
        if case .error(let error) = await messagesToEnd().last?.payload { throw error }
    }
}

/// Makes a pipeline, and stops it however `body` ends.
func withPlayback<Result>(
    _ description: String, into sink: Element? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: (Playback) async throws -> Result
) async throws -> Result {
    let playback = try Playback(description, into: sink)
    do {
        let result = try await body(playback)
        try playback.pipeline.setState(.null)
        return result
    } catch {
        try playback.pipeline.setState(.null)
        throw error
    }
}

/// The samples of a source, all of them.
func samples(_ source: String) async throws -> [Sample] {
    try initialize()
    let sink = try AppSink()
    let found = Recorder<Sample>()
    sink.setHandler { found.add($0) }
    try await withPlayback(source, into: sink) { try await $0.playToEnd() }
    return found.all
}

/// The first sample of a source.
func sample(_ source: String) async throws -> Sample { try #require(try await samples(source).first) }

/// The GStreamer error that `body` throws.
func gstreamerError<Value>(_ body: () throws -> Value) throws -> GStreamerError {
    try #require(#expect(throws: GStreamerError.self) { try body() })
}

import Foundation
import Testing

@testable import GStreamer

@Suite(.timeLimit(.minutes(1))) struct BusTests {
    @Test func tellsTheEndOfTheStream() async throws {
        try await withPlayback("videotestsrc num-buffers=2 ! fakesink") { playback in
            try playback.pipeline.setState(.playing)
            let messages = await playback.messagesToEnd()
            guard case .endOfStream = messages.last?.payload else {
                Issue.record("\(messages)")
                return
            }
            #expect(messages.last?.source == "test")
            #expect(messages.last?.sourcePath == "/GstPipeline:test")
        }
    }

    @Test func tellsTheEndOfAPartThatABinForwards() async throws {
        let description = "fakesrc num-buffers=1 ! fakesink  fakesrc num-buffers=2 ! fakesink"
        try await withPlayback(description) { playback in
            try playback.pipeline.set("message-forward", .bool(true))
            try playback.pipeline.setState(.playing)
            let end = try #require(await playback.messagesToEnd().last)
            guard case .endOfStream = end.payload else {
                Issue.record("\(end)")
                return
            }
            #expect(end.sourcePath == "/GstPipeline:test/GstBin:described")
        }
    }

    @Test func tellsStateChanges() async throws {
        try await withPlayback("videotestsrc num-buffers=2 name=bars ! fakesink") { playback in
            try playback.pipeline.setState(.playing)
            let changes = await playback.messagesToEnd().compactMap { message in
                if case .stateChanged(let old, let new) = message.payload, message.source == "bars" {
                    [old, new]
                } else {
                    nil
                }
            }
            #expect(changes.prefix(2) == [[.null, .ready], [.ready, .paused]])
        }
    }

    @Test func tellsAnErrorWithDomainCodeAndDebugText() async throws {
        try await withPlayback("filesrc name=reader location=/nonexistent/film ! fakesink") { playback in
            #expect(try gstreamerError { try playback.pipeline.setState(.playing) }.kind == .stateChange)
            let message = try #require(await playback.messagesToEnd().last)
            guard case .error(let error) = message.payload else {
                Issue.record("\(message)")
                return
            }
            #expect(message.source == "reader")
            #expect(message.sourcePath == "/GstPipeline:test/GstBin:described/GstFileSrc:reader")
            #expect(error.kind == .notFound)
            #expect(error.domain == "gst-resource-error-quark")
            #expect(error.code == 3)
            #expect(!error.message.isEmpty)
            #expect(error.debug?.contains("/nonexistent/film") == true)
            #expect(error.reason == "No such file \"/nonexistent/film\"")
            #expect(error.description == "\(error.message) (gst-resource-error-quark 3)")
        }
    }

    @Test func tellsAnErrorThatComesWhileItPlays() async throws {
        try await withPlayback("videotestsrc ! identity error-after=3 ! fakesink") { playback in
            let error = await #expect(throws: GStreamerError.self) { try await playback.playToEnd() }
            #expect(error?.domain == "gst-core-error-quark")
            #expect(error?.kind == .other)
        }
    }

    /// The source's error has the code "stream failed"; only its details say that nobody took the format.
    @Test func tellsThatAFormatWasRefused() async throws {
        let description =
            "videotestsrc num-buffers=3 ! video/x-raw ! identity name=i ! capsfilter caps=video/x-raw ! fakesink"
        try await withPlayback(description) { playback in
            let refused = Caps(Caps.Structure("image/jpeg"))
            try playback.pad("src", of: "i").addProbe(.eventDownstream) { info in
                if case .event(.caps) = info.item { info.replaceCaps(refused) }
                return .pass
            }
            let error = await #expect(throws: GStreamerError.self) { try await playback.playToEnd() }
            #expect(error?.kind == .notNegotiated)
            #expect(error?.domain == "gst-stream-error-quark")
        }
    }

    @Test func tellsAnElementsOwnMessage() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let path = folder.appending(path: "frame%d").path
        let description = "videotestsrc num-buffers=1 ! multifilesink post-messages=true location=\(path)"
        try await withPlayback(description) { playback in
            try playback.pipeline.setState(.playing)
            let fields = await playback.messagesToEnd().compactMap { message -> [String: Value]? in
                if case .element("GstMultiFileSink", let fields) = message.payload { fields } else { nil }
            }
            #expect(fields.count == 1)
            #expect(fields.first?["filename"] == .string(folder.appending(path: "frame0").path))
            #expect(fields.first?["index"] == .int(0))
        }
    }

    @Test func asksOnlyTheLastHandler() async throws {
        let seen = Recorder<String>()
        try await withPlayback("fakesrc num-buffers=1 ! fakesink") { playback in
            let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
            playback.pipeline.bus.setHandler { _ in seen.add("first") }
            playback.pipeline.bus.setHandler { message in
                seen.add("second")
                if case .endOfStream = message.payload { continuation.finish() }
            }
            try playback.pipeline.setState(.playing)
            for await _ in ends {}
            playback.pipeline.bus.setHandler(nil)
        }
        #expect(Set(seen.all) == ["second"])
    }
}

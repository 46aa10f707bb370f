import Foundation
import Testing

@testable import GStreamer

@Suite(.timeLimit(.minutes(1))) struct PushPadTests {
    private let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).jpg")

    private func writer(_ path: String) -> String {
        "videoconvert ! jpegenc ! filesink location=\(path) buffer-mode=unbuffered async=false sync=false"
    }

    @Test func returnsWhenTheFileIsWritten() async throws {
        let sample = try await sample(
            "videotestsrc num-buffers=1 ! video/x-raw,format=BGRx,width=320,height=240")
        try await withPlayback(writer(file.path)) { [file] playback in
            let sink = try #require(playback.bin.staticPad("sink"))
            let pad = try PushPad(linkedTo: sink)
            try playback.pipeline.setState(.playing)
            #expect(pad.push(sample))
            // Nothing was stopped or awaited in between.
            let data = try Data(contentsOf: file)
            #expect(data.prefix(2) == Data([0xFF, 0xD8]))
            #expect(data.suffix(2) == Data([0xFF, 0xD9]))
            pad.close()
            #expect(!pad.push(sample))
        }
        try FileManager.default.removeItem(at: file)
    }

    @Test func pushesSamplesOfAnotherSize() async throws {
        let sizes = Recorder<Value?>()
        let (small, large) = (
            try await sample("videotestsrc num-buffers=1 ! video/x-raw,width=320,height=240"),
            try await sample("videotestsrc num-buffers=1 ! video/x-raw,width=640,height=480")
        )
        try await withPlayback("identity ! fakesink async=false sync=false") { playback in
            let sink = try #require(playback.bin.staticPad("sink"))
            sink.addProbe(.eventDownstream) { info in
                if let caps = info.caps { sizes.add(caps.structures.first?.fields["width"]) }
                return .pass
            }
            let pad = try PushPad(linkedTo: sink)
            try playback.pipeline.setState(.playing)
            #expect(pad.push(small) && pad.push(small) && pad.push(large))
            pad.close()
        }
        #expect(sizes.all == [.int(320), .int(640)])
    }

    @Test func failsWhenNothingCanBeWritten() async throws {
        let sample = try await sample("videotestsrc num-buffers=1 ! video/x-raw,width=320,height=240")
        try await withPlayback(writer("/dev/full")) { playback in
            let sink = try #require(playback.bin.staticPad("sink"))
            let pad = try PushPad(linkedTo: sink)
            try playback.pipeline.setState(.playing)
            #expect(!pad.push(sample))
            let last = try #require(await playback.messagesToEnd().last)
            guard case .error(let error) = last.payload else {
                Issue.record("\(last)")
                return
            }
            #expect(error.kind == .noSpaceLeft)
            pad.close()
        }
    }

    @Test func leavesBehindWhatAPushCameTo() async throws {
        let sample = try await sample("videotestsrc num-buffers=1")
        let description = "identity name=before ! identity error-after=2 ! fakesink async=false sync=false"
        try await withPlayback(description) { playback in
            let sink = try #require(playback.bin.staticPad("sink"))
            let pad = try PushPad(linkedTo: sink)
            let source = try playback.pad("src", of: "before")
            try playback.pipeline.setState(.playing)
            #expect(pad.push(sample))
            #expect(source.lastFlow == .taken)
            #expect(!pad.push(sample))
            #expect(source.lastFlow == .failed)
            pad.close()
        }
    }

    @Test func leavesBehindThatNobodyWantsMore() async throws {
        let sample = try await sample("videotestsrc num-buffers=1")
        let description = "identity name=before ! fakesink num-buffers=1 async=false sync=false"
        try await withPlayback(description) { playback in
            let pad = try PushPad(linkedTo: try #require(playback.bin.staticPad("sink")))
            let source = try playback.pad("src", of: "before")
            try playback.pipeline.setState(.playing)
            _ = pad.push(sample)
            _ = pad.push(sample)
            #expect(source.lastFlow == .ended)
            pad.close()
        }
    }

    @Test func takesOnlyAFreePad() throws {
        try initialize()
        let sink = try #require(try Element("fakesink").staticPad("sink"))
        let first = try PushPad(linkedTo: sink)
        #expect(try gstreamerError { try PushPad(linkedTo: sink) }.kind == .link)
        first.close()
        try PushPad(linkedTo: sink).close()
    }
}

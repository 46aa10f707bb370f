import CGStreamer
import Testing

@testable import GStreamer

@Suite(.timeLimit(.minutes(1))) struct ErrorTests {
    init() throws { try initialize() }

    @Test(
        arguments: [
            (GST_RESOURCE_ERROR_NOT_FOUND, .notFound),
            (GST_RESOURCE_ERROR_BUSY, .busy),
            (GST_RESOURCE_ERROR_OPEN_READ, .openRead),
            (GST_RESOURCE_ERROR_OPEN_WRITE, .openWrite),
            (GST_RESOURCE_ERROR_OPEN_READ_WRITE, .openRead),
            (GST_RESOURCE_ERROR_READ, .read),
            (GST_RESOURCE_ERROR_WRITE, .write),
            (GST_RESOURCE_ERROR_SETTINGS, .settings),
            (GST_RESOURCE_ERROR_NO_SPACE_LEFT, .noSpaceLeft),
            (GST_RESOURCE_ERROR_NOT_AUTHORIZED, .notAuthorized),
            (GST_RESOURCE_ERROR_FAILED, .other),
        ] as [(GstResourceError, GStreamerError.Kind)])
    func sortsResourceErrors(_ code: GstResourceError, kind: GStreamerError.Kind) {
        check(gst_resource_error_quark(), code.rawValue, kind)
    }

    @Test func sortsOtherErrors() {
        check(gst_parse_error_quark(), GST_PARSE_ERROR_NO_SUCH_ELEMENT.rawValue, .missingElement)
        check(gst_parse_error_quark(), GST_PARSE_ERROR_SYNTAX.rawValue, .parse)
        check(gst_core_error_quark(), GST_CORE_ERROR_MISSING_PLUGIN.rawValue, .missingElement)
        check(gst_core_error_quark(), GST_CORE_ERROR_NEGOTIATION.rawValue, .notNegotiated)
        check(gst_stream_error_quark(), GST_STREAM_ERROR_FORMAT.rawValue, .notNegotiated)
        check(gst_stream_error_quark(), GST_STREAM_ERROR_FAILED.rawValue, .other)
        check(gst_library_error_quark(), GST_LIBRARY_ERROR_INIT.rawValue, .other)
    }

    private func check(
        _ domain: GQuark, _ code: UInt32, _ kind: GStreamerError.Kind,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let raw = unsafe g_error_new_literal(domain, gint(code), "Words")
        let error = unsafe GStreamerError(adopting: raw, debug: "file.c")
        #expect(error.kind == kind, sourceLocation: sourceLocation)
        #expect(error.code == Int(code), sourceLocation: sourceLocation)
        #expect(error.message == "Words", sourceLocation: sourceLocation)
        #expect(error.debug == "file.c", sourceLocation: sourceLocation)
        #expect(error.domain.hasPrefix("gst"), sourceLocation: sourceLocation)
    }

    /// What an element posts comes from the bus as it was, as far as GStreamer has a code for it.
    @Test(
        arguments: [
            (.notFound, .notFound), (.busy, .busy), (.notAuthorized, .notAuthorized),
            (.noSpaceLeft, .noSpaceLeft), (.openRead, .openRead), (.openWrite, .openWrite), (.read, .read),
            (.write, .write), (.settings, .settings), (.parse, .other), (.other, .other),
        ] as [(GStreamerError.Kind, GStreamerError.Kind)])
    func goesOverTheBus(_ kind: GStreamerError.Kind, becomes known: GStreamerError.Kind) throws {
        let (pipeline, element) = (try Pipeline(name: "line"), try Element("identity"))
        try pipeline.add(element)
        let heard = Recorder<GStreamerError>()
        pipeline.bus.setHandler { message in
            if case .error(let error) = message.payload { heard.add(error) }
        }
        let error = GStreamerError.device(kind, "Words", debug: "file.c")
        element.post(error)
        #expect(error.kind == known)
        #expect(heard.all == [error])
    }

    @Test func saysSomethingEvenWithoutAReason() {
        let error = unsafe GStreamerError(adopting: nil)
        #expect(error.kind == .other)
        #expect(!error.message.isEmpty)
    }

    @Test func namesItsThing() throws {
        let sink = try Element("fakesink", name: "end")
        #expect(GStreamerError.missingPad("src", of: sink).message.contains("'end'"))
        #expect(GStreamerError.refused(by: sink).message.contains("'end'"))
        #expect(GStreamerError.unusable("No reason").kind == .parse)
    }

    @Test(
        arguments: [
            ("videotestsrc num-buffers=1 ! filesink location=/nonexistent/folder/file", .openWrite),
            ("filesrc location=/ ! fakesink", .openRead),
            ("v4l2src device=/dev/nonexistent ! fakesink", .notFound),
        ] as [(String, GStreamerError.Kind)])
    func comesFromElements(_ description: String, kind: GStreamerError.Kind) async throws {
        try await withPlayback(description) { playback in
            #expect(throws: GStreamerError.self) { try playback.pipeline.setState(.playing) }
            let last = try #require(await playback.messagesToEnd().last)
            guard case .error(let error) = last.payload else {
                Issue.record("\(last)")
                return
            }
            #expect(error.kind == kind, "\(error)")
        }
    }

    @Test func versionIsThatOfGStreamer() { #expect(version.hasPrefix("1.")) }
}

import GStreamer

/// The pipeline of the photo encoder. Only its sink stops between photos, and takes another file.
///
/// Used on the encoder's queue.
final class PhotoChain: Sendable {
    private let pipeline: Pipeline
    private let middle: Element
    private let encoder: Element
    /// What is to be told of the photo that is encoded.
    private let exif = Guarded<ExifSegment?>(nil)
    private let input: PushPad
    private let output: Pad
    private let drain: Pad
    private let failure = FirstFailure()
    private let sink: Element
    /// The caps of the frame before, which ``middle`` is set for.
    private let converted = Guarded<Caps?>(nil)

    /// Full range, BT.601: what the JPEG file format lays down.
    private static let jpegColorimetry = "1:4:0:0"

    /// Pixels across a block whose colour is halved.
    private static let blockWidth = 16

    init() throws(GStreamerError) {
        pipeline = try Pipeline(name: "photo")
        let convert = try Element("videoconvert")
        middle = try Element("capsfilter")
        let subsample = try Element("videoconvert")
        let format = try Element("capsfilter")
        encoder = try Element("jpegenc")
        sink = try Element("filesink")
        // From BGRx the encoder would write RGB components: 2.6 times the bytes, which half of all programs misread. And
        // a JPEG means BT.601 in the full range; the encoder changes neither, and white would be grey.
        try format.set(
            "caps",
            .caps(
                Caps(
                    Caps.Structure(
                        "video/x-raw",
                        ["format": .string("I420"), "colorimetry": .string(Self.jpegColorimetry)]))))
        // Somebody waits for a photo, so all processors convert it.
        for converter in [convert, subsample] { try converter.set("n-threads", .uint(0)) }
        // The accurate transform is the faster one in libjpeg-turbo's vector code.
        try encoder.set("idct-method", .string("islow"))
        // What is buffered is written at the close, when nobody hears of an error any more.
        try sink.set("buffer-mode", .string("unbuffered"))
        try sink.set("async", .bool(false))
        try sink.set("sync", .bool(false))
        sink.setLockedState(true)
        try pipeline.add(convert, middle, subsample, format, encoder, sink)
        try convert.link(to: middle)
        try middle.link(to: subsample)
        try subsample.link(to: format)
        try format.link(to: encoder)
        try encoder.link(to: sink)
        guard let entry = convert.staticPad("sink"), let drain = sink.staticPad("sink") else {
            throw GStreamerError.missingPad("sink", of: convert)
        }
        guard let blocks = encoder.staticPad("sink"), let output = encoder.staticPad("src") else {
            throw GStreamerError.missingPad("sink", of: encoder)
        }
        // jpegenc 1.22 fills the last block of a line with what follows in memory: the line after it.
        let layout = Guarded<VideoInfo?>(nil)
        blocks.addProbe([.buffer, .eventDownstream]) { info in
            if let caps = info.caps { layout.withLock { $0 = VideoInfo(caps) } }
            if let layout = layout.withLock({ $0 }), !layout.width.isMultiple(of: Self.blockWidth) {
                info.continueLines(of: layout, toMultipleOf: Self.blockWidth)
            }
            return .pass
        }
        let failure = failure
        pipeline.bus.setHandler(for: .errors) { message in
            if case .error(let error) = message.payload { failure.note(error) }
        }
        (self.output, self.drain) = (output, drain)
        input = try PushPad(linkedTo: entry)
        // jifmux writes the same, and XMP besides; it looks through the whole picture for that, and belongs to
        // GStreamer's `bad` set.
        output.addProbe(.buffer) { [weak self] info in
            if let segment = self?.exif.withLock({ $0 }) { info.insert(segment) }
            return .pass
        }
        try pipeline.setState(.playing)
    }

    /// Opens the file of a photo, which ``encode(_:_:)`` fills.
    func open(_ path: String, quality: Int) throws(GStreamerError) {
        failure.clear()
        do throws(GStreamerError) {
            try sink.set("location", .string(path))
            try encoder.set("quality", .int(quality))
            try sink.syncStateWithParent()
        } catch {
            throw failure.first ?? error
        }
    }

    /// Brings a frame into the file; when this returns it is there, but not yet durable.
    func encode(_ frame: Sample, _ tags: [Tag]) throws(GStreamerError) {
        try setConversion(of: frame)
        let segment = try ExifSegment(tags)
        exif.withLock { $0 = segment }
        guard input.push(frame) else { throw failure.first ?? GStreamerError.refused(by: encoder) }
        if let error = failure.first { throw error }
    }

    /// Between two ranges of brightness videoconvert 1.22 copies the values as they are, and between two matrices it is off
    /// by up to 20 levels; by way of RGB it is right. What comes from a JPEG needs none of it.
    private func setConversion(of frame: Sample) throws(GStreamerError) {
        guard let caps = frame.caps else { return }
        try converted.withLock { known throws(GStreamerError) in
            if let known, frame.hasCaps(known) { return }
            let isFromJPEG = VideoInfo(caps)?.colorimetry == Self.jpegColorimetry
            let wanted = Caps(Caps.Structure("video/x-raw", isFromJPEG ? [:] : ["format": .string("BGRx")]))
            // Set again, even the same would be negotiated anew; so would the chain with each new sink.
            if middle.get("caps") != .caps(wanted) { try middle.set("caps", .caps(wanted)) }
            known = caps
        }
    }

    /// Closes the file, and makes ready for the next.
    func finish() throws(GStreamerError) {
        try sink.setState(.null)
        // A pad that has stopped forgets the stream's events, and only a new link brings them again.
        output.unlink(from: drain)
        try output.link(to: drain, isChecked: false, renegotiates: false)
    }

    func close() {
        input.close()
        pipeline.bus.setHandler(nil)
        do throws(GStreamerError) {
            try sink.setState(.null)
            try pipeline.setState(.null)
        } catch {
            // On the way down an element only frees what it holds; nobody depends on this pipeline any more.
        }
    }
}

/// The first error since the last clearing; later ones follow from it.
private final class FirstFailure: Sendable {
    private let error = Guarded<GStreamerError?>(nil)

    var first: GStreamerError? { error.withLock { $0 } }
    func note(_ new: GStreamerError) { error.withLock { $0 = $0 ?? new } }
    func clear() { error.withLock { $0 = nil } }
}

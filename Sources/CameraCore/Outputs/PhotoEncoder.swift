import Dispatch
import FoundationEssentials
import GStreamer
import Glibc

/// Turns a frame into a JPEG file, in a pipeline of its own that is kept warm.
///
///     [frame] ─ videoconvert ─ BGRx ─ videoconvert ─ I420 ─ jpegenc ─ jifmux ─ filesink (a fresh one a shot)
///
/// `jifmux` writes what there is to tell of the photo as EXIF. Without that element photos tell nothing.
/// The frame is pushed in by the encoder's own thread, and the push returns when the file is written or has failed.
/// Nothing of this hangs on the camera's tee, so a full disk or a slow one cannot reach the preview.
final class PhotoEncoder: Sendable {
    private let queue = DispatchQueue(label: "camera.photo", qos: .userInitiated)
    private let chain = Guarded<Chain?>(nil)
    private let isClosed = Guarded(false)
    private let muxer: String

    /// An encoder whose pipeline is made by ``prepare()`` or at the first photo.
    ///
    /// - Parameter muxer: the element that writes EXIF. It belongs to GStreamer's `bad` set, which not all have.
    init(muxer: String = "jifmux") { self.muxer = muxer }

    /// Has the pipeline made for a photo that comes soon; returns at once.
    func prepare() {
        queue.async {
            guard !self.isClosed.withLock({ $0 }) else { return }
            // The photo tries again, and tells what failed.
            do throws(GStreamerError) { _ = try self.warmChain() } catch _ {}
        }
    }

    /// Encodes and writes; returns when the file is durable under its name.
    ///
    /// - Parameter date: when the frame was captured.
    func write(
        _ frame: Sample, takenAt date: Date, to file: DurableFile, quality: Int
    ) async throws(CameraError) -> Int {
        let result: Result<Int, CameraError> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(CameraError) {
                    try self.encode(frame, Self.tags(date), to: file, quality: quality)
                    continuation.resume(returning: .success(try file.commit()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Stops the pipeline, after a photo that is being written.
    ///
    /// Waits at most `deadline` for one whose disk does not answer.
    func close(deadline: Duration = .seconds(5)) {
        isClosed.withLock { $0 = true }
        _ = withDeadline(deadline) { self.queue.sync { self.closeChain() } }
    }

    /// What is told of a photo. The picture is upright as it is, whatever the camera's position.
    private static func tags(_ date: Date) -> [Tag] {
        [
            .dateTime(microseconds: Int64(date.timeIntervalSince1970 * 1e6)),
            .imageOrientation("rotate-0"),
            .applicationName("camera \(Release.version)"),
        ]
    }

    private func encode(
        _ frame: Sample, _ tags: [Tag], to file: DurableFile, quality: Int
    ) throws(CameraError) {
        guard !isClosed.withLock({ $0 }) else {
            file.discard()
            throw CameraError(.notRunning, "the camera was closed before the photo was taken")
        }
        do throws(GStreamerError) {
            try warmChain().encode(frame, tags, to: file.temporary, quality: quality)
        } catch {
            // Elements that failed keep their error; the next photo gets new ones.
            closeChain()
            file.discard()
            throw Self.error(error, file)
        }
        try check(file)
    }

    private func warmChain() throws(GStreamerError) -> Chain {
        if let warm = chain.withLock({ $0 }) { return warm }
        let made = try Chain(muxer: muxer)
        chain.withLock { $0 = made }
        return made
    }

    private func closeChain() {
        chain.withLock { chain in
            chain?.close()
            chain = nil
        }
    }

    private static func error(_ error: GStreamerError, _ file: DurableFile) -> CameraError {
        let underlying = CameraError.Underlying(error)
        let path = file.destination.path
        let reason = file.spoken(error.message.sentenceBody)
        switch error.kind {
        case .noSpaceLeft:
            return CameraError(
                .diskFull, "no room for \(path); make room or choose another folder", underlying: underlying)
        case .openWrite, .notFound, .notAuthorized:
            return CameraError(
                .directoryUnwritable,
                "nothing can be written in \(file.destination.deletingLastPathComponent().path): \(reason); "
                    + "choose another folder", underlying: underlying)
        case .missingElement: return CameraError(error, in: "photos", otherwise: .missingPlugin)
        default:
            // filesink reports some full disks as a plain write error, with the system's words in the debug text.
            if error.debug?.contains("No space left") ?? false {
                return CameraError(
                    .diskFull, "no room for \(path); make room or choose another folder",
                    underlying: underlying)
            }
            return CameraError(
                .writeFailed, "\(path) could not be written: \(reason)", underlying: underlying)
        }
    }

    /// Looks at the file itself: a JPEG begins with SOI and ends with EOI.
    private func check(_ file: DurableFile) throws(CameraError) {
        let content = open(file.temporary.path, O_RDONLY | O_CLOEXEC)
        guard content >= 0 else { throw file.unreadable(errno) }
        defer { Glibc.close(content) }
        let size = lseek(content, 0, SEEK_END)
        var (start, end): ([UInt8], [UInt8]) = ([0, 0], [0, 0])
        guard size < 4 || pread(content, &start, 2, 0) == 2 && pread(content, &end, 2, size - 2) == 2 else {
            throw file.unreadable(errno)
        }
        guard start == [0xFF, 0xD8], end == [0xFF, 0xD9] else {
            file.discard()
            throw CameraError(
                .writeFailed, "\(file.destination.path) did not become a whole JPEG; try again")
        }
    }
}

extension DurableFile {
    fileprivate func unreadable(_ code: Int32) -> CameraError {
        discard()
        return CameraError(
            .writeFailed, "\(destination.path) cannot be read back: \(FileFailure.text(code))")
    }
}

/// The encoder's pipeline.
private final class Chain: Sendable {
    private let pipeline: Pipeline
    private let middle: Element
    private let encoder: Element
    /// Writes the tags; `nil` when the element is not installed.
    private let muxer: Element?
    private let input: PushPad
    private let failure = FirstFailure()

    /// Full range, BT.601: what the JPEG file format lays down.
    private static let jpegColorimetry = "1:4:0:0"

    /// Pixels across a block whose colour is halved.
    private static let blockWidth = 16

    init(muxer name: String) throws(GStreamerError) {
        pipeline = try Pipeline(name: "photo")
        let convert = try Element("videoconvert")
        middle = try Element("capsfilter")
        let subsample = try Element("videoconvert")
        let format = try Element("capsfilter")
        encoder = try Element("jpegenc")
        if Element.isAvailable(name) { muxer = try Element(name) } else { muxer = nil }
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
        try pipeline.add(convert, middle, subsample, format, encoder)
        try convert.link(to: middle)
        try middle.link(to: subsample)
        try subsample.link(to: format)
        try format.link(to: encoder)
        if let muxer {
            try pipeline.add(muxer)
            try encoder.link(to: muxer)
        }
        guard let sink = convert.staticPad("sink") else {
            throw GStreamerError.missingPad("sink", of: convert)
        }
        guard let blocks = encoder.staticPad("sink") else {
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
        pipeline.bus.setHandler { message in
            if case .error(let error) = message.payload { failure.note(error) }
        }
        input = try PushPad(linkedTo: sink)
        try pipeline.setState(.playing)
    }

    func encode(_ frame: Sample, _ tags: [Tag], to file: URL, quality: Int) throws(GStreamerError) {
        failure.clear()
        // Between two ranges of brightness videoconvert 1.22 copies the values as they are, and between two matrices
        // it is off by up to 20 levels; by way of RGB it is right. What comes from a JPEG needs none of it.
        let isFromJPEG = frame.caps.flatMap { VideoInfo($0) }?.colorimetry == Self.jpegColorimetry
        let wanted = Caps(Caps.Structure("video/x-raw", isFromJPEG ? [:] : ["format": .string("BGRx")]))
        // Set again, even the same would be negotiated anew; so would the chain with each new sink.
        if middle.get("caps") != .caps(wanted) { try middle.set("caps", .caps(wanted)) }
        let sink = try Element("filesink")
        try sink.set("location", .string(file.path))
        // What is buffered is written at the close, when nobody hears of an error any more.
        try sink.set("buffer-mode", .string("unbuffered"))
        try sink.set("async", .bool(false))
        try sink.set("sync", .bool(false))
        try encoder.set("quality", .int(quality))
        try muxer?.setTags(tags)
        try pipeline.add(sink)
        do throws(GStreamerError) {
            let last = muxer ?? encoder
            guard let output = last.staticPad("src"), let input = sink.staticPad("sink") else {
                throw GStreamerError.missingPad("src", of: last)
            }
            try output.link(to: input, isChecked: false, renegotiates: false)
            try sink.syncStateWithParent()
            guard self.input.push(frame) else {
                throw failure.first ?? GStreamerError.refused(by: encoder)
            }
        } catch {
            try remove(sink)
            throw failure.first ?? error
        }
        try remove(sink)
        if let error = failure.first { throw error }
    }

    private func remove(_ sink: Element) throws(GStreamerError) {
        try sink.setState(.null)
        try pipeline.remove(sink)
    }

    func close() {
        input.close()
        pipeline.bus.setHandler(nil)
        do throws(GStreamerError) {
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

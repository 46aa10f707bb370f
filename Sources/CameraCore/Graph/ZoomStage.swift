import GStreamer
import Synchronization

/// Where sources enter the graph, and the crop and the scaler behind that which are there while they have something to do.
/// What comes out has a constant size and square pixels.
///
///     source ─ entry ┬┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┬ tee      the whole picture, of a steady source
///                    └ videocrop ─ videoscale ─ capsfilter ┘   a part of it, or a source whose frames can change
///
/// Belongs to the controller, which uses it on its queue.
final class ZoomStage {
    /// Has a frame's or a query's probe called where it leaves the stage.
    typealias Exit = @Sendable (borrowing ProbeInfo) -> ProbeResult

    /// Where sources are linked, and where the ``Intake`` watches.
    let sinkPad: Pad
    private let entry: Pad
    private let pipeline: Pipeline
    private let end: Pad
    private let onExit: Exit
    private var part: Part?
    /// Whether frames go through the crop. Changes only while none is on its way.
    private let isCropping = Flag()

    /// - Parameters:
    ///   - end: the sink pad of what follows.
    ///   - onExit: called for each frame and each query that leaves the stage.
    init(in pipeline: Pipeline, to end: Pad, onExit: @escaping Exit) throws(GStreamerError) {
        self.pipeline = pipeline
        self.end = end
        self.onExit = onExit
        let element = try Element("identity", name: "entry")
        try element.set("signal-handoffs", .bool(false))
        try pipeline.add(element)
        guard let sinkPad = element.staticPad("sink"), let entry = element.staticPad("src") else {
            throw GStreamerError.missingPad("sink", of: element)
        }
        self.sinkPad = sinkPad
        self.entry = entry
        let isCropping = isCropping
        entry.addProbe(Self.watched) { info in
            isCropping.isSet ? .pass : Self.leave(info, to: end, onExit)
        }
        try entry.link(to: end, isChecked: false)
    }

    private static let watched: Pad.ProbeMask = [.buffer, .eventDownstream, .queryDownstream]

    /// - Parameter end: the pad that the item is about to come to.
    private static func leave(_ info: borrowing ProbeInfo, to end: Pad, _ onExit: Exit) -> ProbeResult {
        guard case .event = info.item else { return onExit(info) }
        // A new link brings all events once more; told again, a branch would begin anew.
        return info.repeatsEvent(on: end) ? .handled : .pass
    }

    /// Makes what a source will need, while another may still run.
    ///
    /// - Parameter isSteady: whether all frames have the size and the shape of pixels that the first one has.
    func prepare(for rectangle: CropRectangle, of frame: Dimensions, isSteady: Bool) throws(GStreamerError) {
        if !isSteady || !rectangle.isFull(in: frame) { _ = try madePart() }
    }

    /// Sets the size of all frames, and what is shown of them. No data may flow meanwhile.
    func setSize(
        _ frame: Dimensions, isSteady: Bool, showing rectangle: CropRectangle
    ) throws(GStreamerError) {
        if isSteady, rectangle.isFull(in: frame) {
            try leaveOut()
            return
        }
        let part = try madePart()
        try part.setMargins(rectangle, in: frame)
        try part.setSize(frame)
        try bringIn(part)
    }

    /// Crops, as one step between two frames; `mark` runs in the same step.
    func setCrop(
        _ rectangle: CropRectangle, in frame: Dimensions, isSteady: Bool, mark: () -> Void
    ) throws(GStreamerError) {
        // What takes its time is made before frames wait for it.
        try prepare(for: rectangle, of: frame, isSteady: isSteady)
        // videocrop 1.22 crashes when its properties change while a frame is in it; the stream lock keeps it out.
        try sinkPad.withStreamLock { () throws(GStreamerError) in
            try setSize(frame, isSteady: isSteady, showing: rectangle)
            mark()
        }
    }

    private func madePart() throws(GStreamerError) -> Part {
        if let part { return part }
        let made = try Part(in: pipeline)
        let (end, onExit) = (end, onExit)
        made.source.addProbe(Self.watched) { Self.leave($0, to: end, onExit) }
        part = made
        return made
    }

    private func bringIn(_ part: Part) throws(GStreamerError) {
        guard !isCropping.isSet else { return }
        entry.unlink(from: end)
        try part.source.link(to: end, isChecked: false)
        try entry.link(to: part.sink, isChecked: false)
        isCropping.set(true)
    }

    private func leaveOut() throws(GStreamerError) {
        guard isCropping.isSet, let part else { return }
        entry.unlink(from: part.sink)
        part.source.unlink(from: end)
        try entry.link(to: end, isChecked: false)
        isCropping.set(false)
    }
}

/// What crops and scales back.
private struct Part {
    private let crop: Element
    private let size: Element
    let sink: Pad
    let source: Pad

    init(in pipeline: Pipeline) throws(GStreamerError) {
        crop = try Element("videocrop", name: "crop")
        let scale = try Element("videoscale", name: "scale")
        size = try Element("capsfilter", name: "size")
        // A border would make the picture smaller than asked for when the crop's shape is a pixel off.
        try scale.set("add-borders", .bool(false))
        guard let sink = crop.staticPad("sink"), let source = size.staticPad("src") else {
            throw GStreamerError.missingPad("sink", of: crop)
        }
        self.sink = sink
        self.source = source
        let elements = [size, scale, crop]
        do throws(GStreamerError) {
            for element in elements { try pipeline.add(element) }
            // Comparing the hundreds of formats that these take would take longer than all else.
            try crop.link(to: scale, isChecked: false)
            try scale.link(to: size, isChecked: false)
            for element in elements { try element.syncStateWithParent() }
        } catch {
            // Their names are free for another try; why this one failed is what tells something.
            for element in elements { do throws(GStreamerError) { try pipeline.remove(element) } catch _ {} }
            throw error
        }
    }

    func setMargins(_ rectangle: CropRectangle, in frame: Dimensions) throws(GStreamerError) {
        try crop.set("left", .int(rectangle.x))
        try crop.set("right", .int(rectangle.right(in: frame)))
        try crop.set("top", .int(rectangle.y))
        try crop.set("bottom", .int(rectangle.bottom(in: frame)))
    }

    func setSize(_ frame: Dimensions) throws(GStreamerError) {
        // A source with pixels that are not square keeps them in the crop; the picture's size is in square ones.
        let fields: [String: Value] = [
            "width": .int(frame.width), "height": .int(frame.height), "pixel-aspect-ratio": .fraction(1, 1),
        ]
        let caps = Caps(Caps.Structure("video/x-raw", fields))
        // Set again, even the same would be negotiated anew.
        if case .caps(caps)? = size.get("caps") { return }
        try size.set("caps", .caps(caps))
    }
}

/// A truth that threads share.
private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set(_ new: Bool) { value.store(new, ordering: .releasing) }
}

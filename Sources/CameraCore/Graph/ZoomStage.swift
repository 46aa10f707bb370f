import GStreamer

/// Crops and scales back, so that everything after it sees the zoom and a constant size.
struct ZoomStage {
    private let crop: Element
    private let scale: Element
    private let size: Element
    /// Where sources are linked, and where the ``Intake`` watches.
    let sinkPad: Pad
    /// Where frames of one size come out.
    let sourcePad: Pad

    init() throws(GStreamerError) {
        crop = try Element("videocrop", name: "crop")
        scale = try Element("videoscale", name: "scale")
        size = try Element("capsfilter", name: "size")
        // A border would make the picture smaller than asked for when the crop's shape is a pixel off.
        try scale.set("add-borders", .bool(false))
        guard let sinkPad = crop.staticPad("sink"), let sourcePad = size.staticPad("src") else {
            throw GStreamerError.missingPad("sink", of: crop)
        }
        self.sinkPad = sinkPad
        self.sourcePad = sourcePad
    }

    /// Puts the stage into the pipeline, before `next`.
    func add(to pipeline: Pipeline, before next: Element) throws(GStreamerError) {
        try pipeline.add(crop, scale, size)
        // Comparing the hundreds of formats that these take would be a third of the time a start takes.
        try crop.link(to: scale, isChecked: false)
        try scale.link(to: size, isChecked: false)
        try size.link(to: next, isChecked: false)
    }

    /// Sets the size of all frames, and what is shown of them. No data may flow meanwhile.
    func setSize(_ frame: Dimensions, showing crop: CropRectangle) throws(GStreamerError) {
        try setMargins(crop, in: frame)
        // A source with pixels that are not square keeps them in the crop; the picture's size is in square ones.
        try size.set(
            "caps",
            .caps(
                Caps(
                    Caps.Structure(
                        "video/x-raw",
                        [
                            "width": .int(frame.width), "height": .int(frame.height),
                            "pixel-aspect-ratio": .fraction(1, 1),
                        ]))))
    }

    /// Takes the crop away, whatever size comes next.
    func showAll() throws(GStreamerError) {
        try sinkPad.withStreamLock { () throws(GStreamerError) in
            for margin in ["left", "right", "top", "bottom"] { try crop.set(margin, .int(0)) }
        }
    }

    /// Crops, as one step between two frames; `mark` runs in the same step.
    func setCrop<Mark>(
        _ rectangle: CropRectangle, in frame: Dimensions, mark: () -> Mark
    ) throws(GStreamerError) -> Mark {
        // videocrop 1.22 crashes when its properties change while a frame is in it; the stream lock keeps it out.
        try sinkPad.withStreamLock { () throws(GStreamerError) in
            try setMargins(rectangle, in: frame)
            return mark()
        }
    }

    private func setMargins(_ rectangle: CropRectangle, in frame: Dimensions) throws(GStreamerError) {
        try crop.set("left", .int(rectangle.x))
        try crop.set("right", .int(rectangle.right(in: frame)))
        try crop.set("top", .int(rectangle.y))
        try crop.set("bottom", .int(rectangle.bottom(in: frame)))
    }
}

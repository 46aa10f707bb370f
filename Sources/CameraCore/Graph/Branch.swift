import GStreamer

/// Something that hangs on the tee: its bin, its way on and its way off, and the wall that keeps its failures its own.
///
/// Serves preview, photo and the outputs of `pipelines/outputs`. Used on the controller's queue.
final class Branch: Sendable {
    let name: String
    let bin: Bin
    private let queueOutput: Pad?
    private struct State {
        var teePad: Pad?
        var frames = 0
        var failure: GStreamerError?
    }
    private let state = Guarded(State())

    /// A branch of elements that link in a row.
    ///
    /// - Parameter isQueued: whether the branch works on a thread of its own behind a leaky queue, which keeps the
    ///   newest frame. Only a branch that never takes long may do without.
    init(name: String, elements: [Element], isQueued: Bool) throws(GStreamerError) {
        self.name = name
        bin = try Bin(name: name)
        var row = elements
        if isQueued {
            let queue = try Element.leakyQueue()
            queueOutput = queue.staticPad("src")
            row.insert(queue, at: 0)
        } else {
            queueOutput = nil
        }
        for element in row { try bin.add(element) }
        for (element, next) in zip(row, row.dropFirst()) { try element.link(to: next) }
        guard let first = row.first, let sink = first.staticPad("sink") else {
            throw GStreamerError.missingPad("sink", of: bin)
        }
        try bin.addGhostPad("sink", for: sink)
    }

    /// How many frames came to the branch.
    var frames: Int { state.withLock { $0.frames } }
    /// The error that ended the branch's work.
    var failure: GStreamerError? { state.withLock { $0.failure } }

    /// Notes the first error; later ones follow from it.
    func fail(_ error: GStreamerError) -> Bool {
        state.withLock { state in
            guard state.failure == nil else { return false }
            state.failure = error
            return true
        }
    }

    /// Starts the branch and hangs it on the tee of a running graph.
    ///
    /// **Blocks**, at most `deadline`: an output may open files and connections.
    func attach(to tee: Element, in pipeline: Pipeline, deadline: Duration) throws(GStreamerError) {
        let bin = bin
        try pipeline.add(bin)
        do throws(GStreamerError) {
            guard
                let change = attempt(
                    within: deadline,
                    { () throws(GStreamerError) in
                        try bin.syncStateWithParent()
                    })
            else { throw GStreamerError.noAnswer(from: bin, to: "starting", seconds: deadline.seconds) }
            try change.get()
            guard let input = tee.staticPad("sink"), let sink = bin.staticPad("sink") else {
                throw GStreamerError.missingPad("sink", of: tee)
            }
            // A new pad gets copies of the events that the tee has had. One that is just passing is neither among those
            // nor sent to the new pad, and a branch without caps never shows a frame: the stream lock keeps it out.
            try input.withStreamLock { () throws(GStreamerError) in
                guard let pad = tee.requestPad("src_%u") else {
                    throw GStreamerError.missingPad("src", of: tee)
                }
                state.withLock { $0.teePad = pad }
                if let queueOutput { wall(pad, queueOutput) }
                // A check of caps would ask the elements around the tee from this thread, while they run.
                try pad.link(to: sink, isChecked: false)
            }
        } catch {
            try removeFrom(pipeline, tee: tee, deadline: deadline)
            throw error
        }
    }

    /// Keeps the failure of what is behind the queue from the tee: it would stop the source, and everybody with it.
    private func wall(_ pad: Pad, _ output: Pad) {
        pad.addProbe([.buffer, .eventDownstream]) { [weak self] info in
            guard output.lastFlow >= 0 else { return .drop }
            if case .buffer = info.item { self?.state.withLock { $0.frames += 1 } }
            return .pass
        }
    }

    /// Takes the branch off the tee and stops it.
    ///
    /// - Parameter drains: whether it is told of the end first and may write what it holds, up to `deadline`.
    func detach(
        from tee: Element, in pipeline: Pipeline, drains: Bool, deadline: Duration
    ) throws(GStreamerError) {
        if let pad = state.withLock({ $0.teePad }), let sink = bin.staticPad("sink") {
            let unlinked = Latch<Void>()
            pad.addProbe(.idle) { _ in
                pad.unlink(from: sink)
                unlinked.deliver(())
                return .remove
            }
            _ = unlinked.wait(for: deadline)
            if drains, failure == nil { drain(sink, deadline) }
        }
        try removeFrom(pipeline, tee: tee, deadline: deadline)
    }

    private func drain(_ sink: Pad, _ deadline: Duration) {
        let ended = Latch<Void>()
        let sinks = bin.descendants.filter(\.isSink)
        let remaining = Guarded(sinks.count)
        for pad in sinks.compactMap({ $0.staticPad("sink") }) {
            pad.addProbe(.eventDownstream) { info in
                guard case .event(.endOfStream) = info.item else { return .pass }
                let isLast = remaining.withLock { count in
                    count -= 1
                    return count == 0
                }
                if isLast { ended.deliver(()) }
                return .pass
            }
        }
        _ = withDeadline(deadline) { sink.sendEndOfStream() }
        _ = ended.wait(for: deadline)
    }

    private func removeFrom(
        _ pipeline: Pipeline, tee: Element, deadline: Duration
    ) throws(GStreamerError) {
        if let pad = state.withLock({ state in
            defer { state.teePad = nil }
            return state.teePad
        }) {
            tee.releaseRequestPad(pad)
        }
        let bin = bin
        // A sink that is stuck in a write does not stop; its bin stays then, off the tee, and hurts nobody.
        guard let change = attempt(within: deadline, { () throws(GStreamerError) in try bin.setState(.null) })
        else {
            throw GStreamerError.noAnswer(from: bin, to: "stopping", seconds: deadline.seconds)
        }
        try change.get()
        try pipeline.remove(bin)
    }
}

import GStreamer

/// Something that hangs on the tee: its elements, its way on and its way off, and the wall that keeps its failures its own.
///
/// Serves preview, photo and the outputs of `pipelines/outputs`. Used on the controller's queue.
final class Branch: Sendable {
    let name: String
    /// What is put into the pipeline: a bin, or the one element. Its name is the branch's.
    let part: Element
    private let queueOutput: Pad?
    private let numbers: FrameNumbers<ClockTime?>?

    /// What a branch's elements say of it.
    enum News: Sendable {
        /// It cannot go on.
        case failed(GStreamerError)
        /// All its sinks have had the end of the stream, and have written what they held.
        case ended
    }

    private struct State {
        var teePad: Pad?
        var frames = 0
        var failure: GStreamerError?
        var hasEnded = false
        /// Whether the end of the stream was sent into it.
        var hasSentEnd = false
        /// Whether it is being taken off, and so comes to an end that is no news.
        var isLeaving = false
        var onNews: (@Sendable (News) -> Void)?
    }
    private let state = Guarded(State())
    /// Delivered when there is nothing more to come of the branch.
    private let over = Latch<Void>()

    /// A branch of elements that link in a row.
    ///
    /// - Parameters:
    ///   - name: the name of the bin; an element that is the whole branch must have it.
    ///   - isQueued: whether the branch works on a thread of its own behind a leaky queue, which keeps the newest frame.
    ///     Only a branch that never takes long may do without.
    ///   - numbers: what numbers the frames of a branch that is queued.
    init(
        name: String, elements: [Element], isQueued: Bool, numbers: FrameNumbers<ClockTime?>? = nil
    ) throws(GStreamerError) {
        self.name = name
        self.numbers = numbers
        var row = elements
        if isQueued {
            let queue = try Element.leakyQueue()
            queueOutput = queue.staticPad("src")
            // What a branch cannot take is its own trouble: asked here, it would decide what everybody's frames may be,
            // and refused here, they would stop the source.
            let acceptable = Caps(Caps.Structure("video/x-raw"))
            queue.staticPad("sink")?.addProbe(.queryDownstream) { info in
                info.answerCaps(acceptable) ? .handled : .pass
            }
            row.insert(queue, at: 0)
        } else {
            queueOutput = nil
        }
        if row.count == 1 {
            part = row[0]
            return
        }
        let bin = try Bin(name: name)
        part = bin
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

    /// Whether it came to its end, by itself or because it was told to.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Takes in what an element of the branch says, from any thread.
    ///
    /// Only the first failure counts, since later ones follow from it. Both are told to who attached the branch, except
    /// what happens before ``attach(to:in:deadline:onNews:)`` returns, which throws it, and an end that was asked for.
    func take(_ news: News) {
        let onNews = state.withLock { state -> (@Sendable (News) -> Void)? in
            guard state.failure == nil else { return nil }
            switch news {
            case .failed(let error): state.failure = error
            case .ended:
                guard !state.hasEnded else { return nil }
                state.hasEnded = true
                if state.isLeaving { return nil }
            }
            return state.onNews
        }
        over.deliver(())
        onNews?(news)
    }

    /// Starts the branch and hangs it on the tee of a running graph.
    ///
    /// **Blocks**, at most `deadline`, and as long again when it does not start: an output may open files and connections.
    /// - Parameter onNews: told what becomes of the branch from now on, on the thread that met it.
    func attach(
        to tee: Element, in pipeline: Pipeline, deadline: Duration,
        onNews: @escaping @Sendable (News) -> Void
    ) throws(GStreamerError) {
        let part = part
        try pipeline.add(part)
        do throws(GStreamerError) {
            guard
                let change = attempt(
                    within: deadline,
                    { () throws(GStreamerError) in
                        try part.syncStateWithParent()
                    })
            else { throw GStreamerError.noAnswer(from: part, to: "starting", seconds: deadline.seconds) }
            try change.get()
            // Some elements start all the same, and only say on the bus that they did not.
            if let failure { throw failure }
            guard let input = tee.staticPad("sink"), let sink = part.staticPad("sink") else {
                throw GStreamerError.missingPad("sink", of: tee)
            }
            // A new pad gets copies of the events that the tee has had. One that is just passing is neither among those
            // nor sent to the new pad, and a branch without caps never shows a frame: the stream lock keeps it out.
            try input.withStreamLock { () throws(GStreamerError) in
                guard let pad = tee.requestPad("src_%u") else {
                    throw GStreamerError.missingPad("src", of: tee)
                }
                state.withLock { $0.teePad = pad }
                if let queueOutput { wall(pad, queueOutput, sink) }
                // A check of caps would ask the elements around the tee from this thread, while they run.
                try pad.link(to: sink, isChecked: false)
            }
            // What was said so far had nobody to be told to.
            let (failure, hasEnded) = state.withLock { state in
                state.onNews = onNews
                return (state.failure, state.hasEnded)
            }
            if let failure { throw failure }
            if hasEnded { onNews(.ended) }
        } catch {
            // Why it did not start is what the caller can act on; that it does not stop either follows from it.
            do throws(GStreamerError) {
                try detach(from: tee, in: pipeline, drains: false, deadline: deadline)
            } catch _ {}
            throw error
        }
    }

    /// Keeps the failure of what is behind the queue from the tee: it would stop the source, and everybody with it.
    private func wall(_ pad: Pad, _ output: Pad, _ sink: Pad) {
        pad.addProbe([.buffer, .eventDownstream]) { [weak self] info in
            guard output.lastFlow == .taken else {
                // As a source does whose frames nobody wants any more, or can take. What is under way is finished, and
                // the sinks say when it is; if it cannot be, the queue says why, which it leaves to a source before.
                self?.end(sink)
                return .drop
            }
            if case .buffer = info.item, let self {
                state.withLock { $0.frames += 1 }
                numbers?.arrive(info.timestamp)
            }
            return .pass
        }
    }

    /// Sends the end of the stream after the frames, once.
    private func end(_ sink: Pad) {
        let isFirst = state.withLock { state in
            defer { state.hasSentEnd = true }
            return !state.hasSentEnd
        }
        if isFirst { sink.sendEndOfStream() }
    }

    /// Takes the branch off the tee and stops it.
    ///
    /// **Blocks**, at most `deadline` for each of the three steps.
    /// - Parameter drains: whether it is told of the end first and may write what it holds, up to `deadline`. One that
    ///   does not come to its end by then has failed.
    func detach(
        from tee: Element, in pipeline: Pipeline, drains: Bool, deadline: Duration
    ) throws(GStreamerError) {
        if let pad = state.withLock({ $0.teePad }), let sink = part.staticPad("sink") {
            let unlinked = Latch<Void>()
            pad.addProbe(.idle) { _ in
                pad.unlink(from: sink)
                unlinked.deliver(())
                return .remove
            }
            _ = unlinked.wait(for: deadline)
            if drains { drain(sink, deadline) }
        }
        try removeFrom(pipeline, tee: tee, deadline: deadline)
    }

    private func drain(_ sink: Pad, _ deadline: Duration) {
        let isOver = state.withLock { state in
            state.isLeaving = true
            return state.hasEnded || state.failure != nil
        }
        if isOver { return }
        _ = withDeadline(deadline) { self.end(sink) }
        if over.wait(for: deadline) == nil {
            take(.failed(.noAnswer(from: part, to: "the end of the stream", seconds: deadline.seconds)))
        }
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
        let part = part
        // A sink that is stuck in a write does not stop; its part stays then, off the tee, and hurts nobody.
        guard
            let change = attempt(within: deadline, { () throws(GStreamerError) in try part.setState(.null) })
        else {
            throw GStreamerError.noAnswer(from: part, to: "stopping", seconds: deadline.seconds)
        }
        try change.get()
        try pipeline.remove(part)
    }
}

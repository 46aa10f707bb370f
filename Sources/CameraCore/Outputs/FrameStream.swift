import GStreamer
import Synchronization

/// The preview as a sequence of frames, bounded to the newest: who is slow misses frames and never sees old ones.
///
/// For one loop, in one task. Leaving the loop, or dropping the stream, takes its branch off the camera. After a change
/// of device, size or zoom, no frame from before the change comes. The sequence goes on when the camera stops, starts
/// or changes, and ends when the controller is closed.
public struct FrameStream: AsyncSequence, Sendable {
    /// A frame.
    public typealias Element = VideoFrame
    /// Frames come without errors; what happens to the camera comes through ``CameraController/events()``.
    public typealias Failure = Never

    let subscription: FrameSubscription
    let reader: FrameReader

    /// Starts the loop.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription, reader: reader) }

    /// Frames that came and were replaced by newer ones before the loop took them.
    public var droppedCount: Int { reader.dropped }

    /// Takes one frame after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let end: LoopEnd
        private let reader: FrameReader

        init(subscription: FrameSubscription, reader: FrameReader) {
            end = LoopEnd(subscription)
            self.reader = reader
        }

        /// The newest frame that was not yet taken, or the next; `nil` at the end or when the task is cancelled.
        public mutating func next() async -> VideoFrame? { await next(isolation: nil) }

        /// As ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> VideoFrame? {
            // The subscription ends with the iterator, and must not end while a frame is waited for.
            defer { withExtendedLifetime(end) {} }
            return await reader.next(isolation: actor)
        }
    }
}

/// Ends a subscription when the loop that reads it is left.
private final class LoopEnd: Sendable {
    private let subscription: FrameSubscription

    init(_ subscription: FrameSubscription) { self.subscription = subscription }

    deinit { subscription.cancel() }
}

/// Frames on their way to somebody; the camera stops handing them out on ``cancel()`` or when this object goes.
public final class FrameSubscription: Sendable {
    private let onCancel: Guarded<(@Sendable () -> Void)?>

    init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = Guarded(onCancel) }

    /// Ends the subscription. Returns at once; a callback that runs at this moment finishes, and none follows it. May be
    /// called from anywhere, the callback too, and more than once.
    public func cancel() {
        let action = onCancel.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }

    deinit { cancel() }
}

/// Turns samples into frames: re-reads the caps whenever they change, and leaves out what a change made outdated.
final class FrameReader: Sendable {
    let mailbox: SampleMailbox
    /// How many frames were left out before they came to the mailbox.
    private let missed: @Sendable () -> Int
    private let mark: ChangeMark
    private let demand: FrameDemand
    /// How many frames had not been decoded when the last one came.
    private let skipped: Atomic<Int>
    private let known = Guarded<(caps: Caps, info: VideoInfo)?>(nil)

    init(mark: ChangeMark, demand: FrameDemand, missed: @escaping @Sendable () -> Int = { 0 }) {
        self.mark = mark
        self.demand = demand
        self.missed = missed
        mailbox = SampleMailbox { demand.ask(hasFrame: $0) }
        skipped = Atomic(demand.skipped)
    }

    /// Takes a frame in from the thread that decodes.
    func put(_ sample: Sample) {
        let skipped = demand.skipped
        mailbox.put(sample, skipped: skipped - self.skipped.exchange(skipped, ordering: .relaxed))
    }

    /// Frames that came and were replaced by newer ones.
    var dropped: Int { mailbox.counts.dropped + missed() }

    func next(isolation: isolated (any Actor)?) async -> VideoFrame? {
        while let entry = await mailbox.next(isolation: isolation) {
            if let frame = frame(entry.sample, number: entry.number) { return frame }
        }
        return nil
    }

    /// Hands each frame to `handler`, on a thread of its own, until the mailbox is closed.
    ///
    /// - Returns: what tells that the last call is over.
    func read(_ handler: @escaping @Sendable (VideoFrame) -> Void) -> Latch<Void> {
        let end = Latch<Void>()
        SystemThread.start("camera-frames") { [self] in
            while let entry = mailbox.wait() {
                guard !mailbox.isClosed, let frame = frame(entry.sample, number: entry.number) else {
                    continue
                }
                handler(frame)
            }
            end.deliver(())
        }
        return end
    }

    /// The frame of a sample; `nil` when it is from before the last change.
    func frame(_ sample: Sample, number: Int) -> VideoFrame? {
        let time = sample.runningTime
        if let time, !mark.precedes(time) { return nil }
        guard let info = info(of: sample) else { return nil }
        return VideoFrame(sample, info: info, sequence: number, presentationTime: time?.seconds ?? 0)
    }

    private func info(of sample: Sample) -> VideoInfo? {
        known.withLock { known in
            if let known, sample.hasCaps(known.caps) { return known.info }
            guard let caps = sample.caps, let info = VideoInfo(caps) else { return nil }
            known = (caps, info)
            return info
        }
    }
}

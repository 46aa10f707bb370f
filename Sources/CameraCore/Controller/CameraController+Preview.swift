import GStreamer
import Synchronization

extension CameraController {
    /// The preview as a sequence of frames. Starts the camera.
    ///
    /// - Parameters:
    ///   - format: the pixel format wanted; `nil` for the camera's own, which costs no conversion and no copy.
    ///   - size: the size wanted; `nil` for the camera's own. Where its shape differs, black bars fill it up.
    /// - Throws: ``CameraError``: as ``start()``, and `format-unsupported` for a pixel format that nobody knows.
    public func frames(
        format: PixelFormat? = nil, size: Dimensions? = nil
    ) async throws(CameraError) -> FrameStream {
        let reader = FrameReader(mark: capture.mark)
        // A mailbox takes no time, so frames that need no conversion come on the source's thread.
        let id = try await subscribe(format, size, reader, isQueued: format != nil || size != nil) { sample in
            reader.mailbox.put(sample)
        }
        return FrameStream(subscription: subscription(id), reader: reader)
    }

    /// The preview as a callback, on a thread of its own.
    ///
    /// - Parameters:
    ///   - format: as in ``frames(format:size:)``.
    ///   - size: as in ``frames(format:size:)``.
    ///   - handler: called for each frame, never twice at once. While it works, newer frames replace each other; it must
    ///     not wait for the controller, but may ask it for something in a task.
    /// - Returns: the subscription; frames come until it is cancelled or dropped.
    /// - Throws: as ``frames(format:size:)``.
    public func onFrame(
        format: PixelFormat? = nil, size: Dimensions? = nil,
        _ handler: @escaping @Sendable (VideoFrame) -> Void
    ) async throws(CameraError) -> FrameSubscription {
        let reader = FrameReader(mark: capture.mark)
        let counter = FrameCounter()
        let id = try await subscribe(format, size, reader, isQueued: true) { sample in
            if let frame = reader.frame(sample, number: counter.next()) { handler(frame) }
        }
        return subscription(id)
    }

    private func subscription(_ id: Int) -> FrameSubscription {
        FrameSubscription { [weak self] in
            Task { await self?.removeSubscription(id) }
        }
    }

    private func subscribe(
        _ format: PixelFormat?, _ size: Dimensions?, _ reader: FrameReader, isQueued: Bool,
        _ take: @escaping @Sendable (Sample) -> Void
    ) async throws(CameraError) -> Int {
        if let format, !VideoFormats.contains(format.rawValue) {
            throw CameraError(
                .formatUnsupported,
                "GStreamer has no pixel format '\(format)' for raw frames; I420, NV12, YUY2, BGRx, RGB and GRAY8 are "
                    + "usual")
        }
        try await start()
        try checkOpen()
        let branch: Branch
        do throws(GStreamerError) {
            let sink = try AppSink(name: "frames", caps: Self.caps(format, size))
            sink.setHandler(take)
            var elements: [Element] = []
            if format != nil || size != nil { elements.append(try Element("videoconvert")) }
            if size != nil { elements.append(try Element("videoscale")) }
            branch = try Branch(
                name: capture.branchName("preview"), elements: elements + [sink], isQueued: isQueued)
            let hub = hub
            try capture.attach(branch) { news in
                guard case .failed(let error) = news else { return }
                // Nothing will come any more; who waits is told by the end of the stream.
                reader.mailbox.close()
                hub.send(.error(CameraError(error, in: "a preview", otherwise: .formatUnsupported)))
            }
        } catch {
            throw CameraError(error, in: "the preview", otherwise: .internal)
        }
        nextSubscription += 1
        let id = nextSubscription
        subscriptions[id] = Subscription(branch: branch, reader: reader)
        board.update { $0.readers[id] = reader }
        return id
    }

    private static func caps(_ format: PixelFormat?, _ size: Dimensions?) -> Caps? {
        guard format != nil || size != nil else { return nil }
        var fields: [String: Value] = [:]
        if let format { fields["format"] = .string(format.rawValue) }
        if let size {
            fields["width"] = .int(size.width)
            fields["height"] = .int(size.height)
            fields["pixel-aspect-ratio"] = .fraction(1, 1)
        }
        return Caps(Caps.Structure("video/x-raw", fields))
    }

    func removeSubscription(_ id: Int) {
        guard let subscription = subscriptions.removeValue(forKey: id) else { return }
        subscription.reader.mailbox.close()
        board.update { facts in
            facts.readers[id] = nil
            facts.endedDrops += subscription.reader.mailbox.counts.dropped
        }
        remove(subscription.branch, drains: false)
    }

    func remove(_ branch: Branch, drains: Bool) {
        do throws(GStreamerError) {
            try capture.detach(branch, drains: drains)
        } catch {
            hub.send(
                .error(
                    CameraError(error, in: "the branch '\(branch.name)' did not stop", otherwise: .internal)))
        }
    }
}

/// Numbers frames, from one thread.
private final class FrameCounter: Sendable {
    private let count = Atomic<Int>(0)

    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

import GStreamer

extension CameraController {
    /// The preview as a sequence of frames. Starts the camera.
    ///
    /// - Parameters:
    ///   - format: the pixel format wanted; `nil` for the camera's own, which costs no conversion and no copy.
    ///   - size: the size wanted; `nil` for the camera's own. Where its shape differs, black bars fill it up.
    /// - Throws: ``CameraError``: as ``start()``, and `format-unsupported` for a pixel format that nobody knows, or
    ///   a size that no frame can have.
    public func frames(
        format: PixelFormat? = nil, size: Dimensions? = nil
    ) async throws(CameraError) -> FrameStream {
        let (reader, id) = try await subscribe(format, size)
        return FrameStream(subscription: subscription(id, reader), reader: reader)
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
        let (reader, id) = try await subscribe(format, size, handler)
        return subscription(id, reader)
    }

    /// What videoscale makes.
    private static let sides = 1...32_767

    private func subscription(_ id: Int, _ reader: FrameReader) -> FrameSubscription {
        FrameSubscription { [weak self] in
            reader.mailbox.close()
            Task { await self?.removeSubscription(id) }
        }
    }

    /// - Parameter handler: called for each frame, on a thread of its own; without one they wait in the reader's mailbox.
    private func subscribe(
        _ format: PixelFormat?, _ size: Dimensions?, _ handler: (@Sendable (VideoFrame) -> Void)? = nil
    ) async throws(CameraError) -> (FrameReader, id: Int) {
        if let format, !VideoFormats.contains(format.rawValue) {
            throw CameraError(
                .formatUnsupported,
                "GStreamer has no pixel format '\(format)' for raw frames; I420, NV12, YUY2, BGRx, RGB and GRAY8 are "
                    + "usual")
        }
        if let size, !Self.sides.contains(size.width) || !Self.sides.contains(size.height) {
            throw CameraError(
                .formatUnsupported,
                "no preview can be \(size); choose sides from \(Self.sides.lowerBound) to \(Self.sides.upperBound)"
            )
        }
        try checkOpen()
        nextSubscription += 1
        let id = nextSubscription
        // The branch is there before a frame is let go, and so gets the first frame too.
        do throws(CameraError) {
            try await start { camera throws(CameraError) in
                _ = try camera.subscription(id, format, size, handler)
            }
            return (try subscription(id, format, size, handler).reader, id)
        } catch {
            removeSubscription(id)
            throw error
        }
    }

    /// The subscription of this number, made if need be.
    private func subscription(
        _ id: Int, _ format: PixelFormat?, _ size: Dimensions?, _ handler: (@Sendable (VideoFrame) -> Void)?
    ) throws(CameraError) -> Subscription {
        if let known = subscriptions[id] { return known }
        let subscription: Subscription
        do throws(GStreamerError) {
            if format == nil, size == nil {
                subscription = try native(handler)
            } else {
                subscription = try converted(Conversion.Wish(format: format, size: size), for: id, handler)
            }
        } catch {
            throw CameraError(error, in: "the preview", otherwise: .internal)
        }
        subscriptions[id] = subscription
        board.update { $0.readers[id] = subscription.reader }
        return subscription
    }

    /// Frames as the camera gives them. A mailbox takes no time, so they come on the source's thread.
    private func native(
        _ handler: (@Sendable (VideoFrame) -> Void)?
    ) throws(GStreamerError) -> Subscription {
        let reader = FrameReader(mark: capture.mark, demand: capture.demand)
        let name = capture.branchName("preview")
        let sink = try AppSink(name: name)
        sink.setHandler { reader.put($0) }
        let branch = try Branch(name: name, elements: [sink], isQueued: false)
        try attach(branch) { reader.mailbox.close() }
        return Subscription(branch: branch, reader: reader, calls: handler.map { reader.read($0) })
    }

    /// Frames of another format or size, converted once for all who ask for the same.
    private func converted(
        _ wish: Conversion.Wish, for id: Int, _ handler: (@Sendable (VideoFrame) -> Void)?
    ) throws(GStreamerError) -> Subscription {
        let conversion: Conversion
        let reader: FrameReader
        if let known = subscriptions.values.compactMap(\.conversion).first(where: {
            $0.wish == wish && $0.isWell
        }) {
            conversion = known
            reader = known.join(id, mark: capture.mark, isCallback: handler != nil)
        } else {
            conversion = try Conversion(wish, name: capture.branchName("preview"), demand: capture.demand)
            // First of all: once linked it may get a frame at once.
            reader = conversion.join(id, mark: capture.mark, isCallback: handler != nil)
            try attach(conversion.branch) { [weak conversion] in conversion?.closeAll() }
        }
        return Subscription(
            branch: conversion.branch, reader: reader, calls: handler.map { reader.read($0) },
            conversion: conversion)
    }

    /// - Parameter onFailure: called when nothing will come any more: who waits is told by the end of the stream.
    private func attach(
        _ branch: Branch, onFailure: @escaping @Sendable () -> Void
    ) throws(GStreamerError) {
        let hub = hub
        try capture.attach(branch) { news in
            guard case .failed(let error) = news else { return }
            onFailure()
            hub.send(.error(CameraError(error, in: "a preview", otherwise: .formatUnsupported)))
        }
    }

    func removeSubscription(_ id: Int) {
        guard let subscription = subscriptions.removeValue(forKey: id) else { return }
        subscription.reader.mailbox.close()
        board.update { facts in
            facts.readers[id] = nil
            facts.endedDrops += subscription.reader.dropped
        }
        if subscription.conversion?.leave(id) ?? true { remove(subscription.branch, drains: false) }
        endingCalls.removeAll { $0.value != nil }
        if let calls = subscription.calls { endingCalls.append(calls) }
    }

    /// Waits for callbacks that are at work yet: who closes the camera has heard its last.
    func awaitCallbacks() {
        for calls in endingCalls where calls.wait(for: capture.deadlines.drain) == nil {
            let limit = capture.deadlines.drain.seconds.plainText
            hub.send(
                .error(CameraError(.timeout, "a callback for frames has not come back for \(limit) s")))
        }
        endingCalls = []
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

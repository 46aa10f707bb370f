import GStreamer

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
        let (reader, id) = try await subscribe(format, size)
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
        let isWanted = Guarded(true)
        let (reader, id) = try await subscribe(format, size)
        reader.read { frame in
            if isWanted.withLock({ $0 }) { handler(frame) }
        }
        return subscription(id) { isWanted.withLock { $0 = false } }
    }

    private func subscription(_ id: Int, onCancel: @escaping @Sendable () -> Void = {}) -> FrameSubscription {
        FrameSubscription { [weak self] in
            onCancel()
            Task { await self?.removeSubscription(id) }
        }
    }

    private func subscribe(
        _ format: PixelFormat?, _ size: Dimensions?
    ) async throws(CameraError) -> (FrameReader, id: Int) {
        if let format, !VideoFormats.contains(format.rawValue) {
            throw CameraError(
                .formatUnsupported,
                "GStreamer has no pixel format '\(format)' for raw frames; I420, NV12, YUY2, BGRx, RGB and GRAY8 are "
                    + "usual")
        }
        try await start()
        try checkOpen()
        // A mailbox takes no time, so frames that need no conversion come on the source's thread.
        let numbers = format != nil || size != nil ? FrameNumbers() : nil
        let reader = FrameReader(mark: capture.mark, numbers: numbers)
        let branch: Branch
        do throws(GStreamerError) {
            let name = capture.branchName("preview")
            let sink = try AppSink(name: name, caps: Self.caps(format, size))
            sink.setHandler { sample in
                reader.mailbox.put(sample, number: numbers?.number(of: sample.timestamp))
            }
            var elements: [Element] = []
            if format != nil || size != nil { elements.append(try Element("videoconvert")) }
            if size != nil { elements.append(try Element("videoscale")) }
            branch = try Branch(
                name: name, elements: elements + [sink], isQueued: numbers != nil, numbers: numbers)
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
        return (reader, id)
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
            facts.endedDrops += subscription.reader.dropped
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

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
        try checkOpen()
        // A mailbox takes no time, so frames that need no conversion come on the source's thread.
        let numbers = format != nil || size != nil ? FrameNumbers() : nil
        let reader = FrameReader(mark: capture.mark, numbers: numbers)
        let branch: Branch
        do throws(GStreamerError) {
            branch = try previewBranch(format, size, reader, isCallback: handler != nil)
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
        let calls = handler.map { reader.read($0) }
        subscriptions[id] = Subscription(branch: branch, reader: reader, calls: calls)
        board.update { $0.readers[id] = reader }
        // The branch is there before the camera starts, and so gets the first frame too.
        do throws(CameraError) {
            try await start()
            try checkOpen()
        } catch {
            removeSubscription(id)
            throw error
        }
        return (reader, id)
    }

    private func previewBranch(
        _ format: PixelFormat?, _ size: Dimensions?, _ reader: FrameReader, isCallback: Bool
    ) throws(GStreamerError) -> Branch {
        let name = capture.branchName("preview")
        let sink = try AppSink(name: name, caps: Self.caps(format, size))
        guard let numbers = reader.numbers else {
            sink.setHandler { reader.mailbox.put($0) }
            return try Branch(name: name, elements: [sink], isQueued: false)
        }
        sink.setHandler { sample in
            let number = numbers.number(of: sample.timestamp)
            // While a callback works nothing is converted that would be thrown away.
            if isCallback {
                reader.mailbox.hand(sample, number: number)
            } else {
                reader.mailbox.put(sample, number: number)
            }
        }
        var elements = [try Element("videoconvert")]
        if size != nil { elements.append(try Element("videoscale")) }
        return try Branch(name: name, elements: elements + [sink], isQueued: true, numbers: numbers)
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

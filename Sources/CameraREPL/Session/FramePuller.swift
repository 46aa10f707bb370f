import CameraCore

/// Pulls preview frames, one at a time, from a branch that it keeps.
actor FramePuller {
    /// How long a camera may take for a frame. A real one needs a second or two to start; one that is silent
    /// for longer will hardly speak again, unless its frames are that rare.
    static func deadline(at rate: FrameRate?) -> Duration {
        (rate ?? .variable).stallLimit(atLeast: .seconds(10))
    }

    private var stream: FrameStream.AsyncIterator?
    private var pull: Task<VideoFrame?, Never>?
    private var failure: CameraError?

    /// Gives the newest frame that was not given before, starting the camera if need be.
    ///
    /// - Throws: The reason why the camera is interrupted or has failed; `device-stalled` when no frame comes;
    ///   `cancelled`.
    func next(from camera: CameraController) async throws(CameraError) -> VideoFrame {
        try await prepare(camera)
        failure = nil
        let pull = Task { await self.advance() }
        self.pull = pull
        let deadline = Self.deadline(at: camera.status.format?.frameRate)
        let alarm = Task {
            do {
                try await Task.sleep(for: deadline)
                self.fail(
                    CameraError(
                        .deviceStalled,
                        "no frame came for \(deadline.components.seconds) s; \(Self.remedy)"))
            } catch {
                // The frame came first.
            }
        }
        let frame = await withTaskCancellationHandler {
            await pull.value
        } onCancel: {
            pull.cancel()
        }
        alarm.cancel()
        self.pull = nil
        if let frame { return frame }
        stream = nil
        if Task.isCancelled { throw .interrupted }
        throw failure ?? camera.status.state.error
            ?? CameraError(.notRunning, "the camera stopped before a frame came; 'start' starts it again")
    }

    /// Ends a pull that waits, because the camera cannot deliver any more.
    func fail(_ error: CameraError) {
        guard let pull else { return }
        failure = error
        pull.cancel()
    }

    /// Removes the branch.
    func discard() {
        stream = nil
    }

    private static let remedy = "unplug it and plug it in again, or choose another with 'device'"

    /// An interrupted camera is started like a stopped one: if it cannot be, that says why better than we could.
    private func prepare(_ camera: CameraController) async throws(CameraError) {
        if stream == nil {
            let frames = try await abandonable { () async throws(CameraError) in try await camera.frames() }
            stream = frames.makeAsyncIterator()
        } else if camera.status.state != .running {
            try await abandonable { () async throws(CameraError) in try await camera.start() }
        }
    }

    /// The iterator is taken out for the time of the wait: an actor cannot lend a stored value to a call that
    /// suspends.
    private func advance() async -> VideoFrame? {
        guard var iterator = stream else { return nil }
        stream = nil
        let frame = await iterator.next(isolation: self)
        stream = iterator
        return frame
    }
}

import GStreamer

extension CameraController {
    /// The outputs of `pipelines/outputs`, and how those do that run.
    public func outputs() -> [OutputStatus] { board.outputStatuses }

    /// What to know of `pipelines/outputs`, one sentence each, for people: that it cannot be read, or that a line of a
    /// file's header had no effect.
    public func outputNotices() -> [String] { outputCatalog.folder.notices }

    /// Hangs an output on the running camera. Starts the camera.
    ///
    /// One that has ended or failed is removed first. The output's later failure is its own: it is told as an event and
    /// shown in ``status``, and the preview goes on.
    /// - Throws: ``CameraError``: as ``start()``, and `output-failed` when there is no such output, or it runs already, or
    ///   does not start; `pipeline-invalid` and `missing-plugin` when it cannot be built.
    @discardableResult
    public func addOutput(_ name: String) async throws(CameraError) -> OutputStatus {
        try checkOpen()
        if let old = board.update({ $0.outputs[name] }) {
            guard old.status.state != .running else {
                throw Self.runsAlready(name)
            }
            takeOff(old)
        }
        // The bin of one that did not stop may still be there under its name.
        let output = try outputCatalog.output(name, bin: capture.branchName("output-\(name)"))
        try await start()
        try checkOpen()
        // The start took its time; somebody else may have been faster.
        guard board.update({ $0.outputs[name] }) == nil else { throw Self.runsAlready(name) }
        let hub = hub
        do throws(GStreamerError) {
            try capture.attach(output.branch, wantsAll: true) { news in
                switch news {
                case .failed(let error): hub.send(.outputFailed(name: name, Output.failure(of: name, error)))
                case .ended: hub.send(.outputEnded(name: name))
                }
            }
        } catch {
            _ = output.close()
            throw CameraError(
                output.branch.failure ?? error, in: "the output '\(name)' does not start",
                otherwise: .outputFailed)
        }
        board.update { $0.outputs[name] = output }
        return output.status
    }

    private static func runsAlready(_ name: String) -> CameraError {
        CameraError(.outputFailed, "the output '\(name)' runs already; 'output remove \(name)' ends it")
    }

    /// Takes an output off. What it was writing is finished first, for up to three seconds; one that does not stop then
    /// takes as long again.
    ///
    /// - Returns: how it ended: ``OutputStatus/State/ended``, or ``OutputStatus/State/failed`` with the reason, which may
    ///   be that it did not finish in time; and the files that it left. A file that it made and that holds no
    ///   picture is not left.
    /// - Throws: ``CameraError`` with the code `output-failed` when no such output runs.
    @discardableResult
    public func removeOutput(_ name: String) throws(CameraError) -> OutputStatus {
        guard let output = board.update({ $0.outputs[name] }) else {
            throw CameraError(
                .outputFailed, "the output '\(name)' does not run; 'outputs' lists those that do")
        }
        return takeOff(output)
    }

    @discardableResult
    func takeOff(_ output: Output) -> OutputStatus {
        board.update { $0.outputs[output.name] = nil }
        do throws(GStreamerError) {
            try capture.detach(output.branch, drains: true)
        } catch {
            // It is off the tee and hurts nobody, but what it was writing is not finished.
            output.branch.take(.failed(error))
        }
        return output.close()
    }
}

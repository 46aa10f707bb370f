import GStreamer

extension CameraController {
    /// The outputs of `pipelines/outputs`, and how those do that run.
    public func outputs() -> [OutputStatus] { board.outputStatuses }

    /// Hangs an output on the running camera. Starts the camera.
    ///
    /// The output's later failure is its own: it is told as an event and shown in ``status``, and the preview goes on.
    /// - Throws: ``CameraError``: as ``start()``, and `output-failed` when there is no such output, or it runs already, or
    ///   does not start; `pipeline-invalid` and `missing-plugin` when it cannot be built.
    @discardableResult
    public func addOutput(_ name: String) async throws(CameraError) -> OutputStatus {
        try checkOpen()
        if let running = board.update({ $0.outputs[name] }) {
            guard running.failure != nil else {
                throw CameraError(
                    .outputFailed, "The output '\(name)' runs already; 'output remove \(name)' ends it")
            }
            removeOutputBranch(name)
        }
        let branch = try outputCatalog.branch(name)
        try await start()
        try checkOpen()
        let hub = hub
        do throws(GStreamerError) {
            try capture.attach(branch) { error in
                guard branch.fail(error) else { return }
                hub.send(
                    .outputFailed(
                        name: name, CameraError(error, in: "The output '\(name)'", otherwise: .outputFailed)))
            }
        } catch {
            throw CameraError(
                branch.failure ?? error, in: "The output '\(name)' does not start", otherwise: .outputFailed)
        }
        board.update { $0.outputs[name] = branch }
        return OutputStatus(name: name, state: .running, error: nil, frames: branch.frames)
    }

    /// Takes an output off. What it was writing is finished first, for up to three seconds.
    ///
    /// - Throws: ``CameraError`` with the code `output-failed` when no such output runs.
    public func removeOutput(_ name: String) throws(CameraError) {
        guard board.update({ $0.outputs[name] }) != nil else {
            throw CameraError(
                .outputFailed, "The output '\(name)' does not run; 'outputs' lists those that do")
        }
        removeOutputBranch(name)
    }

    func removeOutputBranch(_ name: String) {
        guard let branch = board.update({ $0.outputs.removeValue(forKey: name) }) else { return }
        remove(branch, drains: true)
    }
}

import FoundationEssentials
import GStreamer

/// An output in the graph: its branch, and the files that it writes.
struct Output: Sendable {
    let name: String
    let branch: Branch
    let files: OutputFiles

    /// How it is doing. Never blocks.
    var status: OutputStatus { status(files: []) }

    /// How it ended; for one that was taken off the graph. A file that it made and that holds no picture is removed,
    /// unless a sink that did not stop may still write to it.
    func close() -> OutputStatus {
        let removed: OutputFiles.Removal =
            branch.part.state != .null ? .none : branch.frames == 0 ? .all : .empty
        return status(files: files.written(removing: removed))
    }

    /// What an error of its elements means.
    static func failure(of name: String, _ error: GStreamerError) -> CameraError {
        guard error.kind == .notNegotiated else {
            return CameraError(error, in: "the output '\(name)'", otherwise: .outputFailed)
        }
        return CameraError(
            .outputFailed,
            "the output '\(name)' does not take the picture in this format; have it begin with 'videoconvert'",
            underlying: CameraError.Underlying(error))
    }

    private func status(files: [URL]) -> OutputStatus {
        let error = branch.failure.map { Self.failure(of: name, $0) }
        let state: OutputStatus.State = error != nil ? .failed : branch.hasEnded ? .ended : .running
        return OutputStatus(name: name, state: state, error: error, frames: branch.frames, files: files)
    }
}

import FoundationEssentials

/// How an output branch is doing.
public struct OutputStatus: Hashable, Sendable {
    /// Where an output is in its life.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// It can be added.
        case available
        /// It hangs in the graph and takes frames.
        case running
        /// It has come to its end and takes no more frames; what it wrote is complete.
        case ended
        /// It was cut off after an error; the others go on.
        case failed
    }

    /// The name of the output.
    public let name: String

    /// Where it is in its life.
    public let state: State

    /// Why it failed; present exactly in the state ``State/failed``.
    public let error: CameraError?

    /// Frames that went into it since it was added.
    public let frames: Int

    /// The files that it wrote; known once it is removed, of those whose place its description names.
    public let files: [URL]

    /// Creates a status.
    public init(
        name: String, state: State, error: CameraError? = nil, frames: Int = 0, files: [URL] = []
    ) {
        self.name = name
        self.state = state
        self.error = error
        self.frames = frames
        self.files = files
    }
}

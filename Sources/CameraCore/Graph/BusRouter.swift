import GStreamer

/// Takes each message of the pipeline's bus to the part of the graph that it is about.
///
/// The parts are bins and elements directly below the pipeline, with unique names; a message's path names its part.
final class BusRouter: Sendable {
    typealias Handler = @Sendable (Branch.News) -> Void

    private let routes = Guarded<[String: Handler]>([:])

    /// Has the errors of a part and its end told to `handler`, on the thread that met them.
    func route(_ part: String, to handler: Handler?) { routes.withLock { $0[part] = handler } }

    func handle(_ message: Message) {
        let news: Branch.News
        switch message.payload {
        case .error(let error): news = .failed(error)
        case .endOfStream: news = .ended
        default: return
        }
        // The end of the pipeline itself, when all sinks that it has at the moment have ended, is nobody's.
        guard let part = Self.part(in: message.sourcePath) else { return }
        routes.withLock { $0[part] }?(news)
    }

    /// "/GstPipeline:camera/GstBin:source-3/GstV4l2Src:v4l2src0" → "source-3".
    static func part(in path: String) -> String? {
        let parts = path.split(separator: "/")
        guard parts.count > 1 else { return nil }
        return parts[1].split(separator: ":", maxSplits: 1).last.map(String.init)
    }
}

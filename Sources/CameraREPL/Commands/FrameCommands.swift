import CameraCore
import FoundationEssentials

extension Command {
    static let start = Command(
        "start",
        summary: "start capturing",
        help: "Any command that needs frames starts the camera by itself."
    ) { _, engine async throws(CameraError) -> Reply in
        try await engine.perform { camera async throws(CameraError) in try await camera.start() }
        return try await engine.stateReply()
    }

    static let stop = Command(
        "stop",
        summary: "stop capturing",
        help: "The camera is released for other programs; settings stay."
    ) { _, engine async throws(CameraError) -> Reply in
        await engine.frames.discard()
        try await engine.perform { camera async throws(CameraError) in try await camera.stop() }
        return try await engine.stateReply()
    }

    static let frame = Command(
        "frame",
        summary: "pull the newest preview frame",
        help: """
            Tells about the newest frame, with its average colour (0 to 255). With PATH the frame is saved \
            there as PNG; an existing file is replaced only with --overwrite. The name ends in .png or has no \
            extension.
            """,
        forms: [[.optional([.argument("PATH", .path, content: .png)])]],
        options: [CommandOption(name: "--overwrite", help: "replace an existing file")]
    ) { invocation, engine async throws(CameraError) -> Reply in
        let camera = try await engine.camera()
        let frame = try await engine.frames.next(from: camera)
        var description = try FrameDescription(frame)
        if case .path(let url) = invocation.arguments["PATH"] {
            try DurableFile.write(
                try frame.pngData(), to: url, overwrites: invocation.arguments.has("--overwrite"))
            description.path = url.path
        }
        return Reply(data: description.json, text: description.text)
    }

    static let frames = Command(
        "frames",
        summary: "pull N successive frames",
        help:
            "Tells about each of N successive frames. A gap in their numbers means that frames were dropped.",
        forms: [[.argument("N", .count)]]
    ) { invocation, engine async throws(CameraError) -> Reply in
        guard case .integer(let count) = invocation.arguments["N"] else { throw .missingArgument("N") }
        return Reply.list(try await engine.describe(count), json: \.json) { description, table in
            table.add(description.cells)
        }
    }

    static let photo = Command(
        "photo",
        summary: "take a photo",
        help: """
            Saves a JPEG at PATH, or under a name of the form IMG_YYYYMMDD_HHMMSS_mmm.jpg in the photo folder. \
            PATH ends in .jpg or .jpeg or has no extension; ~/ at its beginning, unquoted, is the home folder. \
            A camera that has just started gets up to two seconds to find its exposure. \
            The reply comes when the file is safely on disk; latency counts from the command being read. \
            captured (pts in JSON) is the frame's running time: seconds on the clock of the session, which \
            all frames, photos and outputs share.
            """,
        forms: [[.optional([.argument("PATH", .path, content: .jpeg)])]],
        options: [
            CommandOption(
                name: "--quality", argument: Argument("Q", .quality),
                help: "JPEG quality, 1 to 100; 85 if not given"),
            CommandOption(name: "--overwrite", help: "replace an existing file"),
            CommandOption(
                name: "--next", help: "take the first frame captured after the command, not the newest"),
            CommandOption(
                name: "--unsettled",
                help: "do not wait for the exposure of a camera that has just started"),
        ]
    ) { invocation, engine async throws(CameraError) -> Reply in
        var settings = PhotoSettings()
        if case .integer(let quality) = invocation.arguments["Q"] { settings.quality = quality }
        settings.overwrites = invocation.arguments.has("--overwrite")
        settings.timing = invocation.arguments.has("--next") ? .next : .newest
        settings.waitsForExposure = !invocation.arguments.has("--unsettled")
        var target: URL?
        if case .path(let url) = invocation.arguments["PATH"] { target = url }
        let photo = try await engine.photo(to: target, settings: settings)
        return photo.reply(latency: invocation.readAt.duration(to: .now))
    }
}

extension Engine {
    /// Frames whose description may be under way while the next one is pulled. More would take buffers from
    /// the camera.
    private static let framesUnderWay = 4

    /// Pulls successive frames. Looking at a large one takes longer than the next one takes to come, so that is
    /// done at the same time.
    fileprivate func describe(_ count: Int) async throws(CameraError) -> [FrameDescription] {
        let camera = try await camera()
        var tasks: [Task<Result<FrameDescription, CameraError>, Never>] = []
        for number in 0..<count {
            if number >= Self.framesUnderWay { _ = await tasks[number - Self.framesUnderWay].value }
            let frame = try await frames.next(from: camera)
            tasks.append(Task.detached { FrameDescription.result(frame) })
        }
        var descriptions: [FrameDescription] = []
        for task in tasks { descriptions.append(try await task.value.get()) }
        return descriptions
    }

    fileprivate func stateReply() async throws(CameraError) -> Reply {
        let state = try await camera().status.state
        var object: [String: JSONValue] = ["state": .string(state.description)]
        if let error = state.error { object["error"] = error.json() }
        let text = state.error.map { "\(state): \($0.message)" } ?? state.description
        return Reply(data: .object(object), text: text)
    }
}

extension TextTable {
    /// When a picture was captured; photos and frames say it alike.
    fileprivate mutating func addCapture(at runningTime: Double) {
        add("captured", "at \(runningTime.plainText(places: 3)) s of running time")
    }
}

extension CapturedPhoto {
    fileprivate func reply(latency: Duration) -> Reply {
        let milliseconds = (latency / .milliseconds(1) * 1000).rounded() / 1000
        var table = TextTable()
        table.add("photo", url.path)
        table.add("size", "\(width)x\(height), \(bytes) bytes")
        table.addCapture(at: presentationTime)
        table.add("latency", "\(milliseconds.plainText(places: 1)) ms")
        let data: JSONValue = [
            "path": .string(url.path),
            "width": .integer(width),
            "height": .integer(height),
            "bytes": .integer(bytes),
            "pts": .number(presentationTime),
            "latency_ms": .number(milliseconds),
        ]
        return Reply(data: data, text: table.text)
    }
}

/// What is told about a frame; the frame itself goes back to the camera.
private struct FrameDescription: Sendable {
    let sequence: Int
    let time: Double
    let size: Dimensions
    let format: PixelFormat
    let strides: [Int]
    let bytes: Int
    let average: [String: Double]
    var path: String?

    init(_ frame: VideoFrame) throws(CameraError) {
        sequence = frame.sequence
        time = frame.presentationTime
        size = Dimensions(width: frame.width, height: frame.height)
        format = frame.format
        strides = try frame.strides
        bytes = frame.byteCount
        let color = try frame.averageColor()
        average = ["r": Double(color.red), "g": Double(color.green), "b": Double(color.blue)]
            .mapValues { ($0 * 100).rounded() / 100 }
    }

    /// The description or the reason why there is none, for a task that cannot throw a typed error.
    static func result(_ frame: VideoFrame) -> Result<FrameDescription, CameraError> {
        do throws(CameraError) {
            return .success(try FrameDescription(frame))
        } catch {
            return .failure(error)
        }
    }

    var json: JSONValue {
        var object: [String: JSONValue] = [
            "sequence": .integer(sequence),
            "pts": .number(time),
            "width": .integer(size.width),
            "height": .integer(size.height),
            "format": .string(format.rawValue),
            "strides": .array(strides.map(JSONValue.integer)),
            "bytes": .integer(bytes),
            "average": .object(average.mapValues(JSONValue.number)),
        ]
        if let path { object["path"] = .string(path) }
        return .object(object)
    }

    var cells: [String] {
        ["#\(sequence)", "\(time.plainText(places: 3)) s", "\(size)", format.rawValue, averageText]
    }

    var text: String {
        var table = TextTable()
        if let path { table.add("saved", path) }
        table.add("frame", "#\(sequence)")
        table.addCapture(at: time)
        table.add("size", "\(size) \(format), \(bytes) bytes")
        table.add("strides", strides.map(String.init).joined(separator: " "))
        table.add("average", averageText)
        return table.text
    }

    private var averageText: String {
        let channels = ["r", "g", "b"].map { (average[$0] ?? 0).plainText(places: 0) }
        return "rgb(\(channels.joined(separator: ", ")))"
    }
}

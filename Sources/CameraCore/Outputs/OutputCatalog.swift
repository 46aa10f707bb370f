import FoundationEssentials
import GStreamer

/// The outputs of `pipelines/outputs`: each `NAME.launch` is a branch that can be hung on the tee at run time.
struct OutputCatalog: Sendable {
    let folder: LaunchFolder

    var names: [String] { folder.ids }

    /// An output with a branch that is not yet attached, whose bin gets the name `bin`.
    ///
    /// - Throws: ``CameraError`` with the code `output-failed` when there is no such output, `pipeline-invalid` or
    ///   `missing-plugin` when it cannot be built.
    func output(_ name: String, bin binName: String) throws(CameraError) -> Output {
        guard let entry = folder.file(name) else {
            if let problem = folder.problem {
                throw CameraError(.outputFailed, "there is no output '\(name)': \(problem)")
            }
            let question = NearNames.question(name, in: names.map { NearNames.Choice($0) })
            let known = names.isEmpty ? "there are none" : "\(question)'outputs' lists them"
            throw CameraError(
                .outputFailed,
                "there is no output '\(name)' in \(folder.url?.path ?? "pipelines/outputs (no such folder)"); \(known)"
            )
        }
        let file = try entry.get()
        do throws(GStreamerError) {
            let bin = try Bin(description: file.description, name: "pipeline", ends: .sink)
            guard bin.staticPad("sink") != nil else {
                throw GStreamerError.unusable("it leaves no sink pad free for the frames")
            }
            for sink in bin.descendants where sink.isSink && sink.hasProperty("async") {
                // Waiting for a preroll would hold up the whole pipeline until this output has data.
                try sink.set("async", .bool(false))
            }
            let files = OutputFiles(of: bin)
            let branch = try Branch(name: binName, elements: [bin], isQueued: true)
            return Output(name: name, branch: branch, files: files)
        } catch {
            throw CameraError(error, in: "the output \(file.url.path)", otherwise: .pipelineInvalid)
        }
    }
}

extension OutputCatalog {
    /// Whether an output's description names the folder that outputs write to. One that is of no use does not: adding it
    /// tells why.
    func usesOutputDirectory(_ name: String) -> Bool {
        guard case .success(let file)? = folder.file(name) else { return false }
        do {
            return try String(contentsOf: file.url, encoding: .utf8).split(whereSeparator: \.isNewline)
                .contains {
                    $0.contains("${CAMERA_OUTPUT_DIRECTORY") && !$0.drop(while: \.isWhitespace).hasPrefix("#")
                }
        } catch {
            // It was readable a moment ago; adding it tells what has become of it.
            return false
        }
    }
}

extension CameraController {
    /// Whether the output `name` is there and writes to ``Options/outputDirectory``, which it needs to exist.
    package func writesToOutputDirectory(_ name: String) -> Bool { outputCatalog.usesOutputDirectory(name) }
}

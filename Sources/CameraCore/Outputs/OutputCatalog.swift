import Foundation
import GStreamer

/// The outputs of `pipelines/outputs`: each `NAME.launch` is a branch that can be hung on the tee at run time.
struct OutputCatalog: Sendable {
    let folder: URL?
    let settings: LaunchSettings

    var names: [String] { LaunchFile.ids(in: folder).map(\.id) }

    /// An output with a branch that is not yet attached, whose bin gets the name `bin`.
    ///
    /// - Throws: ``CameraError`` with the code `output-failed` when there is no such output, `pipeline-invalid` or
    ///   `missing-plugin` when it cannot be built.
    func output(_ name: String, bin binName: String) throws(CameraError) -> Output {
        guard let entry = LaunchFile.named(name, in: folder, settings: settings) else {
            let known = names.isEmpty ? "there are none" : "there are \(names.joined(separator: ", "))"
            throw CameraError(
                .outputFailed,
                "There is no output '\(name)' in \(folder?.path ?? "pipelines/outputs (no such folder)"); \(known)"
            )
        }
        let file = try entry.file.get()
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
            throw CameraError(error, in: "The output \(file.url.path)", otherwise: .pipelineInvalid)
        }
    }
}

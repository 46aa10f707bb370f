import Foundation
import GStreamer

/// The cameras of `pipelines/sources`: each `NAME.launch` is the camera `file:NAME`.
enum FileCameras {
    static func recipes(in folder: LaunchFolder) -> [SourceBranch.Recipe] {
        folder.files.map(recipe)
    }

    /// The one camera with this id, without building the others.
    static func recipe(_ id: CaptureDevice.ID, in folder: LaunchFolder) -> SourceBranch.Recipe? {
        let name = String(id.dropFirst(5))
        return folder.file(name).map { recipe(name, $0) }
    }

    private static func recipe(_ id: String, _ file: Result<LaunchFile, CameraError>) -> SourceBranch.Recipe {
        switch file {
        case .success(let file): recipe(file)
        case .failure(let error): broken("file:\(id)", name: id, error)
        }
    }

    private static func recipe(_ file: LaunchFile) -> SourceBranch.Recipe {
        let id = "file:\(file.id)"
        let name = file.header.name ?? file.id
        let formats: [CaptureDevice.Format]
        do throws(GStreamerError) {
            // A bin that is never started opens nothing: asking it what it can deliver touches no file and no network.
            let bin = try Bin(description: file.description, ends: .source)
            guard let output = bin.staticPad("src") else {
                return broken(
                    id, name: name,
                    CameraError(
                        .pipelineInvalid, "\(file.url.path) leaves no source pad free for the camera to use"))
            }
            formats = CapsFormats.formats(output.queryCaps())
        } catch {
            return broken(id, name: name, CameraError(error, in: file.url.path, otherwise: .pipelineInvalid))
        }
        let device = CaptureDevice(
            id: id, name: name, position: file.header.position ?? .unspecified, deviceType: .file,
            provider: "file",
            node: nil,
            formats: formats, problem: nil)
        // Two bins of one description can collide over what they open: a port, a device.
        return SourceBranch.Recipe(device: device, isShareable: false, notices: file.header.notices) {
            _ throws(GStreamerError) in
            try Bin(description: file.description, name: "camera", ends: .source)
        }
    }

    private static func broken(_ id: String, name: String, _ error: CameraError) -> SourceBranch.Recipe {
        let device = CaptureDevice(
            id: id, name: name, position: .unspecified, deviceType: .file, provider: "file", node: nil,
            formats: [],
            problem: error.message)
        return SourceBranch.Recipe(device: device, isShareable: false, problem: error) {
            _ throws(GStreamerError) in
            throw GStreamerError.unusable(error.message)
        }
    }
}

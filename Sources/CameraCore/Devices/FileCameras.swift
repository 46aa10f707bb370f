import Foundation
import GStreamer

/// The cameras of `pipelines/sources`: each `NAME.launch` is the camera `file:NAME`.
enum FileCameras {
    static func recipes(in folder: URL?, settings: LaunchSettings) -> [SourceBranch.Recipe] {
        LaunchFile.all(in: folder, settings: settings).map(recipe)
    }

    /// The one camera with this id, without building the others.
    static func recipe(
        _ id: CaptureDevice.ID, in folder: URL?, settings: LaunchSettings
    ) -> SourceBranch.Recipe? {
        LaunchFile.named(String(id.dropFirst(5)), in: folder, settings: settings).map(recipe)
    }

    private static func recipe(_ id: String, _ file: Result<LaunchFile, CameraError>) -> SourceBranch.Recipe {
        switch file {
        case .success(let file): recipe(file)
        case .failure(let error): broken("file:\(id)", name: id, error)
        }
    }

    private static func recipe(_ file: LaunchFile) -> SourceBranch.Recipe {
        let id = "file:\(file.id)"
        let name = file.header["name"] ?? file.id
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
        let position = file.header["position"].flatMap { CaptureDevice.Position(rawValue: $0.lowercased()) }
        let device = CaptureDevice(
            id: id, name: name, position: position ?? .unspecified, deviceType: .file, provider: "file",
            node: nil,
            formats: formats, problem: nil)
        // Two bins of one description can collide over what they open: a port, a device.
        return SourceBranch.Recipe(device: device, isShareable: false) { _ throws(GStreamerError) in
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

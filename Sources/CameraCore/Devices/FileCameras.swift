import FoundationEssentials
import GStreamer

/// The cameras of `pipelines/sources`: each `NAME.launch` is the camera `file:NAME`.
final class FileCameras: Sendable {
    private let folder: LaunchFolder
    private let onChange: @Sendable (CaptureDevice, _ isAdded: Bool) -> Void
    /// Those with faults, by id: what was plugged out stays out for whoever asks next.
    private let faulty = Guarded<[CaptureDevice.ID: (faults: [Fault], camera: FaultyCamera)]>([:])

    /// - Parameter onChange: told of each camera that its own faults plug in (`true`) or out.
    init(
        _ folder: LaunchFolder, onChange: @escaping @Sendable (CaptureDevice, _ isAdded: Bool) -> Void
    ) {
        self.folder = folder
        self.onChange = onChange
    }

    /// What people should know of the files, although it makes no camera unusable.
    var notices: [String] { folder.notices }

    /// The folder; `nil` for none.
    var place: String? { folder.url?.path }

    /// Why the folder cannot be listed.
    var problem: String? { folder.problem }

    func recipes() -> [SourceBranch.Recipe] { folder.files.compactMap(recipe) }

    /// The one camera with this id, without building the others.
    func recipe(_ id: CaptureDevice.ID) -> SourceBranch.Recipe? {
        let name = String(id.dropFirst(5))
        return folder.file(name).flatMap { recipe(name, $0) }
    }

    private func recipe(_ id: String, _ file: Result<LaunchFile, CameraError>) -> SourceBranch.Recipe? {
        switch file {
        case .success(let file): recipe(file)
        case .failure(let error): Self.broken("file:\(id)", name: id, error)
        }
    }

    private func recipe(_ file: LaunchFile) -> SourceBranch.Recipe? {
        let id = "file:\(file.id)"
        let name = file.header.name ?? file.id
        let formats: [CaptureDevice.Format]
        do throws(GStreamerError) {
            // A bin that is never started opens nothing: asking it what it can deliver touches no file and no network.
            let bin = try Bin(description: file.description, ends: .source)
            guard let output = bin.staticPad("src") else {
                return Self.broken(
                    id, name: name,
                    CameraError(
                        .pipelineInvalid, "\(file.url.path) leaves no source pad free for the camera to use"))
            }
            formats = CapsFormats.formats(output.queryCaps())
        } catch {
            return Self.broken(
                id, name: name, CameraError(error, in: file.url.path, otherwise: .pipelineInvalid))
        }
        let device = CaptureDevice(
            id: id, name: name, position: file.header.position ?? .unspecified, deviceType: .file,
            provider: "file",
            node: nil,
            formats: formats + Self.wrongFormats(file.header.faults, formats), problem: nil)
        let faulty = faultyCamera(device, file.header.faults)
        if let faulty, !faulty.isPresent { return nil }
        // Two bins of one description can collide over what they open: a port, a device.
        return SourceBranch.Recipe(
            device: device, isShareable: false, adaptsExposure: file.header.adaptsExposure,
            notices: file.header.notices
        ) { _ throws(GStreamerError) in
            let bin = try Bin(description: file.description, name: "camera", ends: .source)
            return if let faulty { try faulty.source(around: bin) } else { bin }
        }
    }

    /// What plays the faults of a camera, kept as long as its file does not ask for others.
    private func faultyCamera(_ device: CaptureDevice, _ faults: [Fault]) -> FaultyCamera? {
        guard !faults.isEmpty else { return nil }
        return faulty.withLock { known in
            if let known = known[device.id], known.faults == faults { return known.camera }
            let onChange = onChange
            let camera = FaultyCamera(faults) { onChange(device, $0) }
            known[device.id] = (faults, camera)
            return camera
        }
    }

    /// What plays the faults of the camera with this id, once it was listed.
    func faultyCamera(_ id: CaptureDevice.ID) -> FaultyCamera? { faulty.withLock { $0[id]?.camera } }

    /// Sizes that a camera lists and does not have.
    private static func wrongFormats(
        _ faults: [Fault], _ formats: [CaptureDevice.Format]
    ) -> [CaptureDevice.Format] {
        faults.flatMap { fault -> [CaptureDevice.Format] in
            guard case .wrongSize(let size) = fault else { return [] }
            return formats.map { format in
                CaptureDevice.Format(
                    pixelFormat: format.pixelFormat, width: size.width, height: size.height,
                    frameRates: format.frameRates)
            }
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

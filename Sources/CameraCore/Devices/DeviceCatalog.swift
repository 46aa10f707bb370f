import GStreamer

/// Every camera there is, with the way to make its source: real ones, `pipelines/sources`, and the built-in ones.
struct DeviceCatalog: Sendable {
    private let hardware: HardwareCameras?
    let files: FileCameras

    init(hardware: HardwareCameras?, files: FileCameras) {
        self.hardware = hardware
        self.files = files
    }

    /// What people should know of the descriptions, although it makes no camera unusable.
    var notices: [String] { files.notices }

    func recipes() throws(CameraError) -> [SourceBranch.Recipe] {
        let real = try hardware?.recipes() ?? []
        return real + TestCameras.recipes + files.recipes()
    }

    /// The cameras of some types, or all. Those of the folder are built only where they are asked for.
    func devices(types: [CaptureDevice.DeviceType]? = nil) throws(CameraError) -> [CaptureDevice] {
        let isForFiles = types?.contains(.file) ?? true
        let real = try hardware?.recipes() ?? []
        return (real + TestCameras.recipes + (isForFiles ? files.recipes() : [])).map(\.device)
    }

    /// The camera that a person means; see ``DeviceQuery/device(matching:in:)``.
    ///
    /// - Throws: ``CameraError`` with the code `device-not-found`.
    func device(matching text: String) throws(CameraError) -> CaptureDevice {
        if let recipe = ownRecipe(text) { return recipe.device }
        let devices = try devices()
        do throws(CameraError) {
            return try DeviceQuery.device(matching: text, in: devices)
        } catch {
            guard text.hasPrefix("file:") else { throw error }
            // It may well be there, where nobody can look.
            if let problem = files.problem {
                throw CameraError(.deviceNotFound, "there is no camera '\(text)': \(problem)")
            }
            guard let place = files.place else { throw error }
            throw CameraError(.deviceNotFound, "\(error.message); such cameras are looked for in \(place)")
        }
    }

    /// The recipe of a device, without asking for more cameras than its id needs.
    ///
    /// - Throws: ``CameraError`` with the code `device-not-found`.
    func recipe(_ id: CaptureDevice.ID) throws(CameraError) -> SourceBranch.Recipe {
        if let recipe = ownRecipe(id) { return recipe }
        if let recipe = try hardware?.recipes().first(where: { $0.device.id == id }) { return recipe }
        let device = try device(matching: id)
        guard let recipe = try recipes().first(where: { $0.device.id == device.id }) else {
            throw CameraError(
                .deviceNotFound, "there is no camera '\(id)'; 'devices' lists those that are there")
        }
        return recipe
    }

    /// The recipe of a camera that is built in or described in the folder. Who names one does not wait for the device
    /// monitor, nor until all the others of the folder are built.
    private func ownRecipe(_ id: CaptureDevice.ID) -> SourceBranch.Recipe? {
        if id.hasPrefix("test:") { return TestCameras.recipes.first { $0.device.id == id } }
        return id.hasPrefix("file:") ? files.recipe(id) : nil
    }

    /// Whether a camera is there at this moment.
    func isListed(_ id: CaptureDevice.ID) -> Bool {
        if id.hasPrefix("test:") { return true }
        if id.hasPrefix("file:") { return files.recipe(id) != nil }
        do throws(CameraError) {
            return try hardware?.recipes().contains { $0.device.id == id } ?? false
        } catch {
            return false
        }
    }

    /// Whether this program may use a camera; the built-in ones and those of the folder are its own.
    func authorizationStatus(for device: CaptureDevice) -> AuthorizationStatus {
        hardware?.authorizationStatus(for: device) ?? .authorized
    }

    /// Asks the person whether this program may use a camera, where nobody knows and somebody can ask.
    func requestAccess(for device: CaptureDevice) async -> AuthorizationStatus {
        let status = authorizationStatus(for: device)
        guard status == .notDetermined, let portal = hardware?.portal else { return status }
        return await portal.requestAccess()
    }

    func close() { hardware?.close() }
}

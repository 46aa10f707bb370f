import CameraCore

/// Calls `body` with a camera, and closes it however `body` ends.
func withCamera<Result: Sendable>(
    _ options: CameraController.Options = .init(discoversHardware: false),
    _ body: (CameraController) async throws -> Result
) async throws -> Result {
    let camera = try CameraController(options: options)
    let result: Result
    do {
        result = try await body(camera)
    } catch {
        try await camera.close()
        throw error
    }
    try await camera.close()
    return result
}

import CGStreamer

/// GIO's functions, loaded when the first of them is needed; `nil` where the library is not installed.
enum GIO {
    static let functions: CameraGIO? = {
        var functions = CameraGIO()
        return unsafe camera_gio_load(&functions) != 0 ? functions : nil
    }()
}

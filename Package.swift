// swift-tools-version: 6.2

import PackageDescription

let warningsAreErrors: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "camera-core",
    products: [
        .library(name: "GStreamer", targets: ["GStreamer"]),
        .library(name: "CameraCore", targets: ["CameraCore"]),
        .library(name: "CameraREPL", targets: ["CameraREPL"]),
        .executable(name: "camera", targets: ["camera"]),
    ],
    targets: [
        .systemLibrary(
            name: "CGStreamer",
            pkgConfig: "gstreamer-video-1.0",
            providers: [.apt(["libgstreamer1.0-dev", "libgstreamer-plugins-base1.0-dev"])]
        ),
        .systemLibrary(
            name: "CEdit",
            pkgConfig: "libedit",
            providers: [.apt(["libedit-dev"])]
        ),
        .target(
            name: "GStreamer",
            dependencies: ["CGStreamer"],
            swiftSettings: warningsAreErrors + [.strictMemorySafety()]
        ),
        .target(name: "CameraCore", dependencies: ["GStreamer"], swiftSettings: warningsAreErrors),
        .target(
            name: "CameraREPL",
            dependencies: ["CameraCore", "GStreamer", "CEdit"],
            swiftSettings: warningsAreErrors
        ),
        .executableTarget(
            name: "camera",
            dependencies: ["CameraREPL"],
            swiftSettings: warningsAreErrors
        ),
        .executableTarget(
            name: "camera-bench",
            dependencies: ["CameraCore", "GStreamer"],
            swiftSettings: warningsAreErrors
        ),
        .testTarget(
            name: "GStreamerTests", dependencies: ["GStreamer"], swiftSettings: warningsAreErrors),
        .testTarget(
            name: "CameraCoreTests", dependencies: ["CameraCore", "GStreamer"],
            swiftSettings: warningsAreErrors,
            // Of the tests only: the library loads it when it needs it.
            linkerSettings: [.linkedLibrary("gio-2.0")]),
        .testTarget(
            name: "CameraREPLTests",
            dependencies: ["CameraREPL", "camera"],
            swiftSettings: warningsAreErrors
        ),
    ],
    swiftLanguageModes: [.v6]
)

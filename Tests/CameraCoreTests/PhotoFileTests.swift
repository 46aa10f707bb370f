import Foundation
import Glibc
import Testing

@testable import CameraCore

extension CameraTests {
    /// Where a photo is stored, and what becomes of a folder when it cannot be.
    @Suite struct PhotoFileTests {
        @Test func whatIsNotInTheFileSystemIsRefused() async throws {
            let url = try #require(URL(string: "https://example.org/a.jpg"))
            try await withCamera("test:bars", .qvga320x240) { camera in
                #expect(await error { _ = try await camera.capturePhoto(to: url) }?.code == .usage)
            }
            for options in [
                CameraController.Options(pipelines: url), CameraController.Options(outputDirectory: url),
            ] {
                #expect(await error { _ = try CameraController(options: options) }?.code == .usage)
            }
        }

        @Test func anExistingFileStaysAsItIs() async throws {
            try await withFolder { folder in
                let url = folder.appendingPathComponent("a.jpg")
                let before = Data("not a picture".utf8)
                try before.write(to: url)
                try await withCamera("test:bars", .qvga320x240) { camera in
                    let refused = await error { _ = try await camera.capturePhoto(to: url) }
                    #expect(refused?.code == .fileExists)
                    #expect(refused?.message.contains(url.path) ?? false)
                    #expect(try Data(contentsOf: url) == before)
                    _ = try await camera.capturePhoto(to: url, settings: PhotoSettings(overwrites: true))
                    #expect(try Picture(jpeg: url).width == 320)
                    #expect(try files(in: folder) == ["a.jpg"])
                }
            }
        }

        @Test(arguments: [
            "My Photos (1)/é 日本.jpg", "a\"b'c\\d.jpg", "-n %d {x}.jpg", "line\nbreak.jpg", "noending",
        ])
        func anyNameWillDo(_ name: String) async throws {
            try await withFolder { folder in
                let url = folder.appendingPathComponent(name)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try await withCamera("test:bars", .qvga320x240) { camera in
                    _ = try await camera.capturePhoto(to: url)
                    #expect(try files(in: url.deletingLastPathComponent()) == [url.lastPathComponent])
                    #expect(try Picture(jpeg: url).width == 320)
                }
            }
        }

        @Test func noFolderNoFile() async throws {
            try await withFolder { folder in
                try Data().write(to: folder.appendingPathComponent("file"))
                try FileManager.default.createDirectory(
                    at: folder.appendingPathComponent("taken.jpg"), withIntermediateDirectories: false)
                try await withCamera("test:bars", .qvga320x240) { camera in
                    let wrong: [(URL, CameraError.Code)] = [
                        (folder.appendingPathComponent("missing/a.jpg"), .directoryUnwritable),
                        (folder.appendingPathComponent("file/a.jpg"), .directoryUnwritable),
                        (folder.appendingPathComponent("taken.jpg"), .usage),
                        (folder.appendingPathComponent("new.jpg", isDirectory: true), .usage),
                        (folder.appendingPathComponent(String(repeating: "n", count: 300)), .writeFailed),
                        (URL(fileURLWithPath: "/proc/a.jpg"), .directoryUnwritable),
                    ]
                    for (url, code) in wrong {
                        for overwrites in [false, true] {
                            let error = await error {
                                _ = try await camera.capturePhoto(
                                    to: url, settings: PhotoSettings(overwrites: overwrites))
                            }
                            #expect(error?.code == code, "\(url.path): \(String(describing: error))")
                            let place = code == .directoryUnwritable ? url.deletingLastPathComponent() : url
                            #expect(error?.message.contains(place.path) ?? false, "\(error?.message ?? "")")
                            #expect(error?.message.contains(".part") == false, "the temporary name is ours")
                        }
                    }
                    #expect(try files(in: folder) == ["file", "taken.jpg"])
                    _ = try await camera.capturePhoto(to: folder.appendingPathComponent("good.jpg"))
                    #expect(try files(in: folder) == ["file", "good.jpg", "taken.jpg"])
                }
            }
        }

        @Test(.enabled(if: Mount.isPossible, "only root can mount a file system"))
        func aFullDisk() async throws {
            try await withFolder { folder in
                let small = folder.appendingPathComponent("small")
                try await Mount.with(small, options: "size=64k") {
                    try await withCamera("test:bars", .hd1920x1080) { camera in
                        var frames = try await camera.frames().makeAsyncIterator()
                        let before = try await frames.required()
                        let full = await error {
                            _ = try await camera.capturePhoto(
                                to: small.appendingPathComponent("a.jpg"),
                                settings: PhotoSettings(quality: 100))
                        }
                        #expect(full?.code == .diskFull, "\(String(describing: full))")
                        #expect(full?.message.contains("a.jpg") ?? false)
                        #expect(try files(in: small) == [])
                        // With no room at all not even the shortest photo can be stored.
                        try Data(count: 64 * 1024).write(to: small.appendingPathComponent("filling"))
                        try await camera.setPreset(.qvga320x240)
                        let none = await error {
                            _ = try await camera.capturePhoto(
                                to: small.appendingPathComponent("b.jpg"), settings: PhotoSettings(quality: 1)
                            )
                        }
                        #expect(none?.code == .diskFull, "\(String(describing: none))")
                        let picture = await error {
                            try DurableFile.write(
                                Data(count: 1), to: small.appendingPathComponent("c.png"), overwrites: false)
                        }
                        #expect(picture?.code == .diskFull, "\(String(describing: picture))")
                        #expect(try files(in: small) == ["filling"])
                        let after = try await frames.required()
                        #expect(after.sequence > before.sequence)
                        let photo = try await camera.capturePhoto(to: folder.appendingPathComponent("c.jpg"))
                        _ = try Picture(jpeg: photo.url)
                        #expect(camera.status.photos == 1)
                    }
                }
            }
        }

        @Test(.enabled(if: Mount.isPossible, "only root can mount a file system"))
        func aFolderThatMayOnlyBeRead() async throws {
            try await withFolder { folder in
                let readOnly = folder.appendingPathComponent("read-only")
                try await Mount.with(readOnly, options: "ro,size=64k") {
                    try await withCamera("test:bars", .qvga320x240) { camera in
                        let error = await error {
                            _ = try await camera.capturePhoto(to: readOnly.appendingPathComponent("a.jpg"))
                        }
                        #expect(error?.code == .directoryUnwritable)
                        #expect(error?.message.contains(readOnly.path) ?? false)
                        let photo = try await camera.capturePhoto(to: folder.appendingPathComponent("c.jpg"))
                        _ = try Picture(jpeg: photo.url)
                    }
                }
            }
        }
    }
}

/// A small file system in memory, for what only a small or a locked one shows.
enum Mount {
    /// Whether this process may mount, found out by doing it.
    static let isPossible: Bool = {
        guard geteuid() == 0 else { return false }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("camera-core-mount-\(UUID().uuidString)")
        guard mkdir(folder.path, 0o755) == 0 else { return false }
        defer { rmdir(folder.path) }
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=64k") == 0 else { return false }
        return umount(folder.path) == 0
    }()

    static func with(_ folder: URL, options: String, _ body: () async throws -> Void) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let isReadOnly = options.hasPrefix("ro,")
        let data = isReadOnly ? String(options.dropFirst(3)) : options
        try #require(mount("tmpfs", folder.path, "tmpfs", isReadOnly ? UInt(MS_RDONLY) : 0, data) == 0)
        do { try await body() } catch {
            umount2(folder.path, Int32(MNT_DETACH))
            throw error
        }
        #expect(umount(folder.path) == 0, "Something in \(folder.path) is still open")
    }
}

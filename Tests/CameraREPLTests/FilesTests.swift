import CameraCore
import Foundation
import Testing

@testable import CameraREPL

@Suite struct PipelinesFolderTests {
    private let folder: TemporaryFolder
    private var surroundings: PipelinesFolder.Surroundings

    init() throws {
        folder = try TemporaryFolder()
        surroundings = PipelinesFolder.Surroundings(
            variable: nil, currentFolder: folder.path("here"), dataHome: folder.path("data"),
            executable: folder.path("usr/bin/camera"))
    }

    @Test mutating func looksInOrder() throws {
        try folder.make(folder: "usr/share/camera/pipelines")
        #expect(try find() == folder.path("usr/share/camera/pipelines"))
        try folder.make(folder: "data/camera/pipelines")
        #expect(try find() == folder.path("data/camera/pipelines"))
        try folder.make(folder: "here/pipelines")
        #expect(try find() == folder.path("here/pipelines"))
        surroundings.variable = ""
        #expect(try find() == folder.path("here/pipelines"))
        surroundings.variable = try folder.make(folder: "named")
        #expect(try find() == folder.path("named"))
        #expect(try find(explicit: try folder.make(folder: "explicit")) == folder.path("explicit"))
    }

    @Test mutating func refusesANamedFolderThatIsMissing() throws {
        try folder.make(folder: "here/pipelines")
        let file = try folder.make(file: "file")
        for (path, reason) in [(folder.path("missing"), "No such file"), (file, "is not a folder")] {
            let error = try #require(throws: CameraError.self) { _ = try find(explicit: path) }
            #expect(error.code == .usage)
            #expect(error.message.contains(path) && error.message.contains("--pipelines"))
            #expect(error.message.contains(reason), "\(error.message)")
        }
        surroundings.variable = folder.path("missing")
        let error = try #require(throws: CameraError.self) { _ = try find() }
        #expect(error.message.contains("$CAMERA_PIPELINES"))
    }

    private func find(explicit: String? = nil) throws -> String? {
        try PipelinesFolder.find(explicit: explicit, in: surroundings)?.path
    }
}

@Suite struct NewFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func write(_ text: String, to name: String, overwrites: Bool = false) throws {
        try DurableFile.write(Data(text.utf8), to: folder.url.appending(path: name), overwrites: overwrites)
    }

    @Test func writesANewFileAndNothingElse() throws {
        try write("abc", to: "My Pictures (1) é.png")
        #expect(try folder.names == ["My Pictures (1) é.png"])
        #expect(try Data(contentsOf: folder.url.appending(path: "My Pictures (1) é.png")) == Data("abc".utf8))
    }

    @Test func keepsAnExistingFileUnlessToldOtherwise() throws {
        try write("old", to: "a.png")
        let error = try #require(throws: CameraError.self) { try write("new", to: "a.png") }
        #expect(error.code == .fileExists)
        #expect(error.message.contains(folder.path("a.png")) && error.message.contains("--overwrite"))
        #expect(try Data(contentsOf: folder.url.appending(path: "a.png")) == Data("old".utf8))
        try write("new", to: "a.png", overwrites: true)
        #expect(try Data(contentsOf: folder.url.appending(path: "a.png")) == Data("new".utf8))
        #expect(try folder.names == ["a.png"])
    }

    @Test func keepsADanglingLink() throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("a.png"), withDestinationPath: folder.path("b.png"))
        let error = try #require(throws: CameraError.self) { try write("x", to: "a.png") }
        #expect(error.code == .fileExists)
        #expect(try folder.names == ["a.png"])
    }

    @Test func refusesADeviceOrAPipe() throws {
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        for overwrites in [false, true] {
            let error = try #require(throws: CameraError.self) {
                try write("x", to: "pipe", overwrites: overwrites)
            }
            #expect(error.code == .writeFailed && error.message.contains("pipe"))
        }
        #expect(try folder.names == ["pipe"])
    }

    @Test func writesThroughALink() throws {
        try folder.make(file: "b.png")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("a.png"), withDestinationPath: folder.path("b.png"))
        try write("new", to: "a.png", overwrites: true)
        #expect(try Data(contentsOf: folder.url.appending(path: "b.png")) == Data("new".utf8))
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("a.png"))
                == folder.path("b.png"))
    }

    @Test func namesAMissingFolder() throws {
        let error = try #require(throws: CameraError.self) { try write("x", to: "missing/a.png") }
        #expect(error.code == .directoryUnwritable)
        #expect(error.message.contains(folder.path("missing")))
        #expect(try folder.names == [])
    }

    @Test func doesNotReplaceAFolder() throws {
        try folder.make(folder: "a.png")
        let error = try #require(throws: CameraError.self) { try write("x", to: "a.png", overwrites: true) }
        #expect(error.code == .usage && error.message.contains("names a folder"))
        #expect(try folder.names == ["a.png"])
    }

    @Test func makesThePhotoFolder() throws {
        let made = try PhotoFolder(explicit: folder.path("a/b")).made()
        #expect(made.path == folder.path("a/b"))
        #expect(FileManager.default.fileExists(atPath: folder.path("a/b")))
        try folder.make(file: "file")
        let error = try #require(throws: CameraError.self) {
            _ = try PhotoFolder(explicit: folder.path("file/b")).made()
        }
        #expect(error.code == .directoryUnwritable)
        #expect(error.message.contains(folder.path("file/b")) && error.message.contains("--output-directory"))
    }
}

import FoundationEssentials

/// The launch files of `pipelines/sources` or `pipelines/outputs`. Each question looks anew.
struct LaunchFolder: Sendable {
    /// The folder; `nil` where there is no pipelines folder.
    let url: URL?
    let settings: LaunchSettings

    /// The names of the files, without reading them.
    var ids: [String] { entries.map(\.id) }

    /// One file, or why it is of no use; `nil` when it is not there.
    func file(_ id: String) -> Result<LaunchFile, CameraError>? {
        entries.first { $0.id == id }.map { read($0.url) }
    }

    /// All files by name; those that are of no use come with the reason.
    var files: [(id: String, file: Result<LaunchFile, CameraError>)] {
        entries.map { ($0.id, read($0.url)) }
    }

    /// Why the folder cannot be listed. One that is not there is none to speak of: the built-in cameras do without.
    var problem: String? {
        if case .failure(let error) = listing { error.message } else { nil }
    }

    /// What people should know of the folder and its headers, one sentence each.
    var notices: [String] {
        let headers = files.flatMap { entry in
            if case .success(let file) = entry.file { file.header.notices } else { [String]() }
        }
        return [problem].compactMap(\.self) + headers
    }

    private var entries: [(id: String, url: URL)] {
        if case .success(let entries) = listing { entries } else { [] }
    }

    private var listing: Result<[(id: String, url: URL)], CameraError> {
        guard let url else { return .success([]) }
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
            return .success(
                names.map { url.appending(path: $0, directoryHint: .notDirectory) }
                    .filter { $0.pathExtension == "launch" && !$0.lastPathComponent.hasPrefix(".") }
                    .map { ($0.deletingPathExtension().lastPathComponent, $0) }
                    .sorted { $0.0 < $1.0 })
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return .success([])
        } catch {
            let reason = FileFailure.reason(of: error)
            return .failure(
                CameraError(
                    .pipelineInvalid,
                    "the folder \(url.path) cannot be read: \(reason); put a folder there that can be"))
        }
    }

    private func read(_ url: URL) -> Result<LaunchFile, CameraError> {
        do throws(CameraError) {
            return .success(try LaunchFile(url, settings: settings))
        } catch {
            return .failure(error)
        }
    }
}

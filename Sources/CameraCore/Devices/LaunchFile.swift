import Foundation

/// A file of `pipelines/sources` or `pipelines/outputs`: comment lines with a small header, then a bin description.
///
///     # name: Grey camera
///     # position: external
///     # Whatever else the reader should know.
///     videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=1366,height=768
///
/// `${NAME:-default}` in the description stands for the setting NAME, or the default when it is not set or empty;
/// `${NAME}` is for one that must be set.
struct LaunchFile: Sendable, Hashable {
    /// The file's name without ".launch".
    let id: String
    let url: URL
    let header: [String: String]
    /// What the camera does wrong on purpose; see ``Fault``.
    let faults: [Fault]
    let description: String

    init(_ url: URL, settings: LaunchSettings) throws(CameraError) {
        self.url = url
        id = url.deletingPathExtension().lastPathComponent
        let text: String
        do { text = try String(contentsOf: url, encoding: .utf8) } catch {
            throw CameraError(
                .pipelineInvalid, "\(url.path) cannot be read as UTF-8 text: \(error.localizedDescription)")
        }
        var header: [String: String] = [:]
        var faults: [Fault] = []
        var body: [Substring] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let trimmed = line.drop(while: \.isWhitespace)
            guard trimmed.hasPrefix("#") else {
                body.append(line)
                continue
            }
            let parts = trimmed.dropFirst().split(separator: ":", maxSplits: 1)
            guard body.isEmpty, parts.count == 2 else { continue }
            let key = parts[0].trimmingCharacters(in: .whitespaces).lowercased()
            if key == "fault" {
                let text = parts[1].trimmingCharacters(in: .whitespaces)
                guard let fault = Fault(text) else {
                    throw CameraError(
                        .pipelineInvalid,
                        "\(url.path) has no such fault as '\(text)'; there are: \(Fault.forms)")
                }
                faults.append(fault)
            }
            if header[key] == nil { header[key] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        self.header = header
        self.faults = faults
        description = try settings.fill(in: body.joined(separator: " "), of: url)
            .trimmingCharacters(in: .whitespaces)
        if description.isEmpty {
            throw CameraError(.pipelineInvalid, "\(url.path) holds no pipeline; add a bin description to it")
        }
    }

    /// One file of a folder.
    static func named(
        _ id: String, in folder: URL?, settings: LaunchSettings
    ) -> (id: String, file: Result<LaunchFile, CameraError>)? {
        ids(in: folder).first { $0.id == id }.map { (id, read($0.url, settings)) }
    }

    /// The launch files of a folder by name; files that cannot be read come with the reason.
    static func all(
        in folder: URL?, settings: LaunchSettings
    ) -> [(id: String, file: Result<LaunchFile, CameraError>)] {
        ids(in: folder).map { ($0.id, read($0.url, settings)) }
    }

    /// The names of a folder's launch files, without reading them.
    static func ids(in folder: URL?) -> [(id: String, url: URL)] {
        // No folder, nothing in it: the built-in cameras do without.
        guard let folder, FileManager.default.fileExists(atPath: folder.path) else { return [] }
        let names =
            FileManager.default.enumerator(
                at: folder, includingPropertiesForKeys: nil,
                options: [
                    .skipsSubdirectoryDescendants, .skipsHiddenFiles,
                ])?.compactMap { $0 as? URL } ?? []
        return names.filter { $0.pathExtension == "launch" }
            .map { ($0.deletingPathExtension().lastPathComponent, $0) }
            .sorted { $0.id < $1.id }
    }

    private static func read(_ url: URL, _ settings: LaunchSettings) -> Result<LaunchFile, CameraError> {
        do throws(CameraError) {
            return .success(try LaunchFile(url, settings: settings))
        } catch {
            return .failure(error)
        }
    }
}

/// What launch files can refer to: the environment, and what the controller adds to it.
struct LaunchSettings: Sendable {
    private let environment: [String: String]
    private let outputDirectory: URL?

    init(outputDirectory: URL?, environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.outputDirectory = outputDirectory
        self.environment = environment
    }

    /// Puts settings, or their defaults, in the place of `${NAME:-default}` and `${NAME}`.
    ///
    /// - Throws: ``CameraError`` with the code `pipeline-invalid` for a setting without value and default, and for
    ///   anything else that begins like one: the parser would take it for part of the description.
    func fill(in text: String, of file: URL) throws(CameraError) -> String {
        var filled = ""
        var rest = text[...]
        while let begin = rest.firstRange(of: "${") {
            filled += rest[..<begin.lowerBound]
            guard
                let match = rest[begin.lowerBound...].prefixMatch(
                    of: /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/)
            else {
                let start = rest[begin.lowerBound...].prefix { !$0.isWhitespace }
                throw CameraError(
                    .pipelineInvalid,
                    "\(file.path): '\(start)' is not a setting; one is written ${NAME} or ${NAME:-default}")
            }
            let name = String(match.1)
            let value = value(name)
            guard !value.isEmpty || match.2 != nil else {
                throw CameraError(
                    .pipelineInvalid,
                    "\(file.path) needs the environment variable \(name), which is not set; set it with "
                        + "'export \(name)=…', or give it a default in the file, ${\(name):-default}")
            }
            filled += value.isEmpty ? String(match.2 ?? "") : Self.escaped(value)
            rest = rest[match.range.upperBound...]
        }
        return filled + rest
    }

    private func value(_ name: String) -> String {
        switch name {
        case "CAMERA_TIME": Self.time(Date())
        case "CAMERA_OUTPUT_DIRECTORY": outputDirectory?.path ?? environment[name] ?? ""
        default: environment[name] ?? ""
        }
    }

    /// Local time down to the millisecond, in digits that sort.
    private static func time(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyyMMdd_HHmmss_SSS"
        return formatter.string(from: date)
    }

    /// A value as it has to stand between double quotes in a description.
    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}

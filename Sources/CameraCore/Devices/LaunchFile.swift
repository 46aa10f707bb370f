import Foundation

/// A file of `pipelines/sources` or `pipelines/outputs`: comment lines with a small header, then a bin description.
///
///     # name: Grey camera
///     # position: external
///     # Whatever else the reader should know.
///     videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=1366,height=768
///
/// `${NAME:-default}` in the description stands for the environment variable NAME, or the default when it is not set.
struct LaunchFile: Sendable, Hashable {
    /// The file's name without ".launch".
    let id: String
    let url: URL
    let header: [String: String]
    let description: String

    init(_ url: URL, environment: [String: String]) throws(CameraError) {
        self.url = url
        id = url.deletingPathExtension().lastPathComponent
        let text: String
        do { text = try String(contentsOf: url, encoding: .utf8) } catch {
            throw CameraError(
                .pipelineInvalid, "\(url.path) cannot be read as UTF-8 text: \(error.localizedDescription)")
        }
        var header: [String: String] = [:]
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
            if header[key] == nil { header[key] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        self.header = header
        description = Self.substitute(body.joined(separator: " "), environment)
            .trimmingCharacters(in: .whitespaces)
        if description.isEmpty {
            throw CameraError(.pipelineInvalid, "\(url.path) holds no pipeline; add a bin description to it")
        }
    }

    /// Puts environment variables, or their defaults, in the place of `${NAME:-default}` and `${NAME}`.
    static func substitute(_ text: String, _ environment: [String: String]) -> String {
        text.replacing(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/) { match in
            let value = environment[String(match.1)] ?? ""
            return value.isEmpty ? String(match.2 ?? "") : value
        }
    }

    /// The launch files of a folder by name; files that cannot be read come with the reason.
    static func all(
        in folder: URL?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [(id: String, file: Result<LaunchFile, CameraError>)] {
        guard let folder else { return [] }
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: folder.path) } catch {
            // No folder, no cameras in it: the built-in ones do without.
            return []
        }
        return names.filter { $0.hasSuffix(".launch") && !$0.hasPrefix(".") }.sorted().map { name in
            let url = folder.appendingPathComponent(name)
            let id = url.deletingPathExtension().lastPathComponent
            do throws(CameraError) {
                return (id, .success(try LaunchFile(url, environment: environment)))
            } catch {
                return (id, .failure(error))
            }
        }
    }
}

import FoundationEssentials
import GStreamer
import Glibc

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
    let header: LaunchHeader
    let description: String

    init(_ url: URL, settings: LaunchSettings) throws(CameraError) {
        self.url = url
        id = url.deletingPathExtension().lastPathComponent
        var header = LaunchHeader(path: url.path)
        var body: [Substring] = []
        let lines = try Self.text(of: url).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let trimmed = line.drop(while: \.isWhitespace)
            if trimmed.hasPrefix("#") {
                header.read(trimmed.dropFirst(), line: index + 1, isLate: !body.isEmpty)
            } else if !trimmed.isEmpty {
                body.append(line)
            }
        }
        self.header = header
        description = try settings.fill(in: body.joined(separator: " "), of: url)
            .trimmed
        if description.isEmpty {
            throw CameraError(.pipelineInvalid, "\(url.path) holds no pipeline; add a bin description to it")
        }
    }

    private static func text(of url: URL) throws(CameraError) -> String {
        let path = url.path
        var information = stat()
        guard stat(path, &information) == 0 else { throw unreadable(path, FileFailure.text(errno)) }
        switch information.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR:
            throw CameraError(
                .pipelineInvalid,
                "\(path) is a folder; a name that ends in .launch is for a file with a pipeline")
        default:
            // Reading a pipe would wait for somebody to write.
            throw CameraError(.pipelineInvalid, "\(path) is a device or a pipe; put the pipeline into a file")
        }
        let data: Data
        do { data = try Data(contentsOf: url) } catch {
            throw unreadable(path, FileFailure.reason(of: error))
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw CameraError(.pipelineInvalid, "\(path) is not UTF-8 text; write it in UTF-8")
        }
        return text
    }

    private static func unreadable(_ path: String, _ reason: String) -> CameraError {
        CameraError(.pipelineInvalid, "\(path) cannot be read: \(reason); make it readable, or remove it")
    }
}

/// What launch files can refer to: the environment, and what the controller adds to it.
struct LaunchSettings: Sendable {
    private let environment: Environment
    private let outputDirectory: URL?

    init(outputDirectory: URL?, environment: Environment = Environment()) {
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
        case "CAMERA_TIME": LocalTime.text(millisecond: Int(Date().timeIntervalSince1970 * 1000))
        case "CAMERA_OUTPUT_DIRECTORY": outputDirectory?.path ?? environment[name] ?? ""
        default: environment[name] ?? ""
        }
    }

    /// A value as it has to stand between double quotes in a description.
    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}

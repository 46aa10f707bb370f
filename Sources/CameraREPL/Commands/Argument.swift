import CameraCore
import FoundationEssentials
import GStreamer

/// One argument of a command: its name in the synopsis and what it may be.
struct Argument: Hashable, Sendable {
    let name: String
    let kind: Kind

    /// What the file at a path will hold; its name may not say otherwise.
    let content: PictureFormat?

    init(_ name: String, _ kind: Kind, content: PictureFormat? = nil) {
        self.name = name
        self.kind = kind
        self.content = content
    }

    /// What an argument means; it decides what is accepted and what is offered for completion.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        case device
        case preset
        case path
        case availableOutput = "available-output"
        case attachedOutput = "attached-output"
        case size
        case pixelFormat = "pixel-format"
        case zoom
        case point
        case count
        case seconds
        case quality
        case command
    }
}

/// What an argument came to.
enum ArgumentValue: Hashable, Sendable {
    case text(String)
    case path(URL)
    case preset(SessionPreset)
    case size(FormatRequest)
    case zoom(ZoomStep)
    case point(NormalizedPoint)
    case integer(Int)
    case seconds(Double)
}

/// A zoom as typed: a leading sign makes it a step from where the zoom stands.
enum ZoomStep: Hashable, Sendable {
    case to(Double)
    case by(Double)
}

/// A format that pictures are saved in, by the one command that does it.
enum PictureFormat: String, CaseIterable, Sendable {
    case jpeg = "JPEG"
    case png = "PNG"

    /// The endings of names that promise this format.
    var endings: [String] { self == .jpeg ? ["jpg", "jpeg"] : ["png"] }

    private var command: String { self == .jpeg ? "photo" : "frame" }

    /// Refuses the name of a file that promises something else.
    ///
    /// - Parameter path: The path as it was written; a name without an extension promises nothing.
    fileprivate func checkName(_ path: String) throws(CameraError) {
        let ending = URL(exactPath: path, isFolder: false).pathExtension.lowercased()
        // In a name such as 2026.01.31 the last part is none.
        guard ending.contains(where: \.isLetter), ending.allSatisfy({ $0.isLetter || $0.isNumber }),
            !endings.contains(ending)
        else { return }
        let names = endings.map { "." + $0 }.joined(separator: " or ")
        let other = Self.allCases.first { $0.endings.contains(ending) }
        let command = other.map { ", or save a \($0.rawValue) with '\($0.command)'" } ?? ""
        throw CameraError(.usage, "\(path) would hold a \(rawValue); end its name in \(names)\(command)")
    }
}

extension Argument {
    /// Reads a word as this argument.
    func value(of word: Word) throws(CameraError) -> ArgumentValue {
        let value = try kind.value(of: word)
        try content?.checkName(word.text)
        return value
    }
}

extension Argument.Kind {
    /// The most frames that one command pulls or waits for; an hour at 60 per second.
    static let mostFrames = 216_000
    /// The longest wait, a day.
    static let longestWait = 86_400.0

    /// Reads a word as this kind of argument.
    func value(of word: Word) throws(CameraError) -> ArgumentValue {
        let text = word.text
        switch self {
        case .device, .availableOutput, .attachedOutput, .pixelFormat, .command:
            guard !text.isEmpty else { throw CameraError(.usage, "an empty word names nothing") }
            return .text(text)
        case .preset:
            guard let preset = SessionPreset(rawValue: text) else {
                let names = SessionPreset.allCases.map(\.rawValue).joined(separator: ", ")
                throw CameraError(.usage, "'\(text)' is not a preset; the presets are \(names)")
            }
            return .preset(preset)
        case .path:
            return .path(try Self.url(of: word))
        case .size:
            return .size(try Self.size(text))
        case .zoom:
            let value = try Self.number(text)
            return .zoom(text.hasPrefix("+") || text.hasPrefix("-") ? .by(value) : .to(value))
        case .point:
            return .point(try Self.point(text))
        case .count:
            return .integer(try Self.integer(text, in: 1...Self.mostFrames, what: "a number of frames"))
        case .quality:
            return .integer(try Self.integer(text, in: 1...100, what: "a quality"))
        case .seconds:
            let value = try Self.number(text)
            guard (0...Self.longestWait).contains(value) else {
                let limit = Self.longestWait.plainText
                throw CameraError(.usage, "cannot wait \(text) seconds; give a number from 0 to \(limit)")
            }
            return .seconds(value)
        }
    }

    private static func number(_ text: String) throws(CameraError) -> Double {
        guard let value = Numbers.decimal(text) else {
            throw CameraError(.usage, "'\(text)' is not a number; write one like 2 or 1.5, with a point")
        }
        return value
    }

    private static func integer(_ text: String, in range: ClosedRange<Int>, what: String) throws(CameraError)
        -> Int
    {
        guard let value = Numbers.integer(text), range.contains(value) else {
            throw CameraError(
                .usage,
                "'\(text)' is not \(what); give a whole number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return value
    }

    private static func size(_ text: String) throws(CameraError) -> FormatRequest {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let sides = parts[0].split(separator: "x", omittingEmptySubsequences: false)
        let pixels = 1...Int(Int32.max)
        guard sides.count == 2,
            let width = Numbers.integer(sides[0]), pixels.contains(width),
            let height = Numbers.integer(sides[1]), pixels.contains(height)
        else {
            throw CameraError(.usage, "'\(text)' is not a size; write it as 1280x720 or 1280x720@30")
        }
        guard parts.count == 2 else { return FormatRequest(width: width, height: height) }
        guard let rate = FrameRate(parsing: String(parts[1])) else {
            throw CameraError(
                .usage, "'\(parts[1])' is not a frame rate; write it as 30, 29.97 or 30000/1001")
        }
        return FormatRequest(width: width, height: height, frameRate: rate)
    }

    private static func point(_ text: String) throws(CameraError) -> NormalizedPoint {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, let x = Numbers.decimal(String(parts[0])),
            let y = Numbers.decimal(String(parts[1]))
        else {
            throw CameraError(.usage, "'\(text)' is not a point; write it as X,Y, for example 0.5,0.25")
        }
        let point = NormalizedPoint(x: x, y: y)
        guard point.isInsideFrame else {
            throw CameraError(
                .usage, "the point \(text) lies outside the frame; X and Y go from 0 to 1")
        }
        return point
    }

    /// `~/…` means the home folder; `~name` is an ordinary file name.
    private static func url(of word: Word) throws(CameraError) -> URL {
        guard !word.text.isEmpty else {
            throw CameraError(.usage, "an empty path names no file; give a file name")
        }
        let isHome = word.beginsWithBareTilde && word.text.hasPrefix("~/")
        let path = isHome ? UserDirectories.home + word.text.dropFirst() : word.text
        let url = URL(exactPath: path, isFolder: false)
        guard !path.hasSuffix("/"), !FileManager.default.isFolder(url.path) else {
            throw DurableFile.folder(path)
        }
        return url
    }
}

import CameraCore
import Foundation
import Testing

/// Messages go on after `error: `: in lower case unless with a name, without a full stop, as one sentence.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct MessageTests {
    /// Names that a message may begin with.
    private static let names = ["GStreamer", "PNG"]

    private static func isInStyle(_ message: Substring) -> Bool {
        let isLower = message.first?.isUppercase == false || names.contains { message.hasPrefix($0) }
        return isLower && !message.hasSuffix(".") && message.firstMatch(of: /\.[;:] |\. [A-Z]/) == nil
    }

    @Test func everyMessageInTheSourcesKeepsToTheRule() throws {
        let sources = Readme.root.appending(path: "Sources")
        let spoken =
            /(?:(?:Camera|GStreamer|Parsing)Error\((?:\s*\.?[\w.]+,|description:)|complain\(|notice\(|append\(|in:|\+)\s*"((?:[^"\\]|\\.)*)"/
        var count = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path) {
            guard path.hasSuffix(".swift"), !path.hasPrefix("camera-bench"), !path.contains("/Commands/")
            else { continue }
            let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            for match in text.matches(of: spoken) {
                count += 1
                #expect(Self.isInStyle(match.1), "\(path): \(match.1)")
            }
        }
        #expect(count > 120, "only \(count) messages were found")
    }

    @Test func whatIsSaidKeepsToTheRule() async throws {
        let folder = try TemporaryFolder()
        try folder.make(folder: "taken.jpg")
        try folder.make(file: "p/sources/syntax.launch", "videotestsrc ! ! x")
        try folder.make(file: "p/sources/element.launch", "nosuchelement1 ! fakesink")
        try folder.make(file: "p/outputs/lost.launch", "multifilesink location=/no/such/folder/a")
        let commands = [
            "nosuch", "zoom", "zoom 99", "zoom 1,5", "zoom 2 at 3,3", "preset x", "format 641x7",
            "photo no/a.jpg",
            "photo taken.jpg", "photo /proc/a.jpg", "photo a.jpg --quality 0", "device nosuch",
            "device file:syntax",
            "device file:element", "device test:ball", "output add nosuch", "output remove nosuch",
            "output add lost",
            "wait seconds x", "frames 0", "photo 'a",
        ]
        let outcome = try await CameraProcess.run(
            [
                "--json", "-k", "-d", "test:bars", "--pipelines", folder.path("p"), "-c",
                commands.joined(separator: "\n"),
            ],
            environment: ["HOME": folder.path], folder: folder.path)
        let messages = try outcome.answers.compactMap(\.message)
        #expect(messages.count == 18, "\(outcome.output)")
        for message in messages { #expect(Self.isInStyle(message[...]), "\(message)") }
        for arguments in [
            ["--nosuch"], ["-d"], ["nosuch.camera"], ["-p", "x"], ["--pipelines", "/no"], ["-c", "a", "b"],
        ] {
            let errors = try await CameraProcess.run(arguments, folder: folder.path).errors
            #expect(
                errors.hasPrefix("error: ") && Self.isInStyle(errors.dropFirst(7).dropLast()), "\(errors)")
        }
    }
}

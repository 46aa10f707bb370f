import CameraCore
import Dispatch
import GStreamer
import Glibc

/// Measures the core from inside, for `scripts/bench`, which runs it beside what others would write.
///
/// One measurement a process, its samples as one line of JSON. Synchronous like the command `camera`, so that
/// valgrind can count its instructions.
@main
enum Bench {
    static func main() {
        let status = Guarded<Int32>(0)
        let done = DispatchSemaphore(value: 0)
        let arguments = Array(CommandLine.arguments.dropFirst())
        Task.detached {
            let result = await run(arguments)
            status.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        exit(status.withLock { $0 })
    }

    private static func run(_ arguments: [String]) async -> Int32 {
        do {
            guard let measure = measurement(arguments) else {
                complain(usage)
                return 2
            }
            print(try await measure().json)
            return 0
        } catch {
            complain("camera-bench: \(error)")
            return 1
        }
    }

    private static let usage = """
        usage: camera-bench bare-start COUNT PATTERN...
                                                       start of the plainest live 720p pipeline → first frame,
                                                       with each pattern of videotestsrc in turns
               camera-bench switch COUNT               change of camera → first new frame
               camera-bench preset COUNT               change to 720p → first new frame
               camera-bench zoom COUNT                 change of zoom → first frame that shows it
               camera-bench shutter COUNT FOLDER       newest frame → durable 1080p JPEG in FOLDER
               camera-bench preview READER FORMAT FOLDER
                                                       all frames of FOLDER/sources/bench.launch;
                                                       READER: callback or sequence, FORMAT: native or such as BGRx
        """

    private static func measurement(_ words: [String]) -> (() async throws -> Samples)? {
        switch (words.first, words.count) {
        case ("preview", 4):
            guard let reader = Preview.Reader(rawValue: words[1]) else { return nil }
            let format = words[2] == "native" ? nil : PixelFormat(rawValue: words[2])
            return { try await Preview(reader: reader, format: format, folder: words[3]).measure() }
        case ("shutter", 3):
            return count(words[1]).map { count in { try await Shutter.measure(count, in: words[2]) } }
        case ("bare-start", 3...):
            return count(words[1]).map { count in { try await BareStart.measure(count, Array(words[2...])) } }
        case ("switch", 2): return count(words[1]).map { count in { try await Changes.devices(count) } }
        case ("preset", 2): return count(words[1]).map { count in { try await Changes.presets(count) } }
        case ("zoom", 2): return count(words[1]).map { count in { try await Changes.zooms(count) } }
        default: return nil
        }
    }

    private static func count(_ word: String) -> Int? { Int(word).flatMap { $0 > 0 ? $0 : nil } }

    private static func complain(_ text: String) {
        let line = text + "\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }
}

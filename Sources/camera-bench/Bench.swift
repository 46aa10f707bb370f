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
               camera-bench shutter COUNT DEVICE FOLDER
                                                       newest frame → durable 1080p JPEG in FOLDER
               camera-bench photos COUNT FOLDER        one photo after the other of file:bench
               camera-bench preview READER FORMAT ZOOM FOLDER
                                                       all frames of file:bench
               camera-bench subscribers COUNT FORMAT FOLDER
                                                       the same by COUNT callbacks at once
               camera-bench unwatched FOLDER           file:bench running, and nobody who takes its frames
               camera-bench preview-photos FOLDER      the same with a photo a second
               camera-bench age COUNT MS FOLDER        age of the frames that a consumer of MS each gets
               camera-bench growth WORK COUNT FOLDER   what COUNT of WORK leave behind
               camera-bench soak MINUTES FOLDER        a preview for so long; a line each 10 s
        FOLDER holds sources/bench.launch, which is file:bench. READER: callback or sequence,
        FORMAT: native or such as BGRx, WORK: frames, photos or switches.
        """

    private static func measurement(_ words: [String]) -> (() async throws -> Samples)? {
        switch (words.first, words.count) {
        case ("preview", 5):
            guard let reader = Preview.Reader(rawValue: words[1]), let zoom = Double(words[3]) else {
                return nil
            }
            let preview = Preview(reader: reader, format: format(words[2]), folder: words[4], zoom: zoom)
            return { try await preview.measure() }
        case ("subscribers", 4):
            return count(words[1]).map { count in
                let preview = Preview(
                    reader: .callback, format: format(words[2]), folder: words[3], readers: count)
                return { try await preview.measure() }
            }
        case ("unwatched", 2): return { try await Preview.unwatched(in: words[1]) }
        case ("preview-photos", 2):
            let preview = Preview(reader: .callback, format: nil, folder: words[1], takesPhotos: true)
            return { try await preview.measure() }
        case ("shutter", 4):
            return count(words[1]).map { count in
                { try await Shutter.measure(count, of: words[2], in: words[3]) }
            }
        case ("photos", 3):
            return count(words[1]).map { count in { try await Shutter.repeated(count, in: words[2]) } }
        case ("age", 4):
            guard let count = count(words[1]), let pause = Self.count(words[2]) else { return nil }
            return { try await Age.measure(count, pause: .milliseconds(pause), in: words[3]) }
        case ("growth", 4):
            guard let work = Growth.Work(rawValue: words[1]), let count = count(words[2]) else { return nil }
            return { try await Growth(work: work, count: count, folder: words[3]).measure() }
        case ("soak", 3):
            guard let minutes = Double(words[1]), minutes > 0 else { return nil }
            return { try await Soak(minutes: minutes, folder: words[2]).measure() }
        case ("bare-start", 3...):
            return count(words[1]).map { count in { try await BareStart.measure(count, Array(words[2...])) } }
        case ("switch", 2): return count(words[1]).map { count in { try await Changes.devices(count) } }
        case ("preset", 2): return count(words[1]).map { count in { try await Changes.presets(count) } }
        case ("zoom", 2): return count(words[1]).map { count in { try await Changes.zooms(count) } }
        default: return nil
        }
    }

    private static func format(_ word: String) -> PixelFormat? {
        word == "native" ? nil : PixelFormat(rawValue: word)
    }

    private static func count(_ word: String) -> Int? { Int(word).flatMap { $0 > 0 ? $0 : nil } }

    private static func complain(_ text: String) {
        let line = text + "\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }
}

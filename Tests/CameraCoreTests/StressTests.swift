import CGStreamer
@testable import CameraCore
import Foundation
import GStreamer
import Testing

/// Many random changes under a running preview: nothing leaks, nothing stops, and what is reported is what was asked.
@Suite(.serialized) struct StressTests {
    /// The seed of the random changes; set CAMERA_SEED to repeat another run.
    static let seed = ProcessInfo.processInfo.environment["CAMERA_SEED"].flatMap { UInt64($0) } ?? 20_261_130
    static let changes = ProcessInfo.processInfo.environment["CAMERA_CHANGES"].flatMap { Int($0) } ?? 300

    /// Beside other tests the process holds theirs too, and they take the processor. scripts/test gives this suite a
    /// process of its own, where the leaks tracer reports what is alive when GStreamer is released; nothing can use it
    /// there afterwards.
    static let isAlone = ProcessInfo.processInfo.environment["CAMERA_LEAKS"] == "1"

    @Test(.timeLimit(.minutes(8)))
    func randomChangesUnderARunningPreview() async throws {
        if Self.isAlone {
            // Threads that GLib keeps would make the count depend on how many once worked at the same time.
            g_thread_pool_set_max_unused_threads(0)
            // As the command does: otherwise each thread's freed frames stay in the process.
            Allocator.returnLargeBlocks()
        }
        let place = try StressPlace()
        defer { place.remove() }
        // The first rounds load plugins and fill caches, which stay.
        try await Self.run(changes: 40, seed: 1, in: place)
        let report = try await Self.run(changes: Self.changes, seed: Self.seed, in: place)

        #expect(
            report.largestGap < (Self.isAlone ? 1 : 10), "the preview stood still for \(report.largestGap) s")
        #expect(report.frames > 20, "only \(report.frames) frames came")
        guard Self.isAlone else { return }
        #expect(Set(report.descriptors).count == 1, "descriptors: \(report.descriptors)")
        #expect(Set(report.threads).count == 1, "threads: \(report.threads)")
        #expect(report.memoryGrowth < 8 << 20, "resident bytes: \(report.memory)")
        await report.settle()
        GStreamer.deinitialize()
    }

    struct Report: Sendable {
        weak var camera: CameraController?
        var executor: SerialQueueExecutor?
        var largestGap = 0.0
        var frames = 0
        /// Each sampled in the same configuration with the preview's branch and the still one, at quiet points from the
        /// fiftieth change on.
        var descriptors: [Int] = []
        var threads: [Int] = []
        var memory: [Int] = []

        /// Waits until nobody holds the camera any more, and what it held is gone too.
        func settle() async {
            while camera != nil, !Task.isCancelled { await Task.yield() }
            executor?.drain()
        }

        var memoryGrowth: Int { (memory.last ?? 0) - (memory.first ?? 0) }
    }

    @discardableResult
    static func run(changes: Int, seed: UInt64, in place: StressPlace) async throws -> Report {
        var deadlines = CaptureGraph.Deadlines()
        // Beside other tests, and under a sanitizer, the processor can be somebody else's for seconds.
        if !isAlone { deadlines.stall = .seconds(10) }
        let camera = try CameraController(
            options: .init(pipelines: place.pipelines, discoversHardware: false), deadlines: deadlines)
        var stress = Stress(camera: camera, place: place, random: SplitMix(seed))
        let consumer = PreviewWatch()
        let subscription = try await camera.onFrame(format: .bgrx) { consumer.note($0) }
        do {
            for number in 1...changes {
                try await stress.change(number)
                if isAlone, number == 50 || number == changes { try await stress.sample(consumer) }
            }
        } catch {
            // A controller that is not closed would hide the error behind GStreamer's complaint.
            try await camera.close()
            throw error
        }
        subscription.cancel()
        try await camera.close()
        stress.report.largestGap = consumer.largestGap
        stress.report.frames = consumer.count
        stress.report.camera = camera
        stress.report.executor = camera.executor
        return stress.report
    }
}

/// One random change after the other, each checked.
private struct Stress {
    let camera: CameraController
    let place: StressPlace
    var random: SplitMix
    var report = StressTests.Report()
    var wanted = CaptureConfiguration(device: "test:bars")
    var outputs: Set<String> = []
    let presets: [SessionPreset] = [
        .cif352x288, .qvga320x240, .vga640x480, .qHD960x540, .hd1280x720, .hd1920x1080, .iFrame960x540,
        .iFrame1280x720, .high, .medium, .low,
    ]

    init(camera: CameraController, place: StressPlace, random: SplitMix) {
        self.camera = camera
        self.place = place
        self.random = random
    }

    mutating func change(_ number: Int) async throws {
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            let id = Bool.random(using: &random) ? "test:bars" : "test:ball"
            wanted = try await camera.selectDevice(id).configuration
            #expect(wanted.zoom == Zoom())
        case 1:
            let preset = presets.randomElement(using: &random) ?? .high
            let applied = try await camera.setPreset(preset)
            wanted.preset = preset
            wanted.zoom.factor = min(wanted.zoom.factor, applied.zoomRange.maximum)
        case 2, 3:
            let factor = Double.random(in: 1...7, using: &random)
            let center = NormalizedPoint(
                x: Double.random(in: 0...1, using: &random), y: Double.random(in: 0...1, using: &random))
            try await camera.setZoom(factor, center: center)
            wanted.zoom = Zoom(factor: factor, center: center)
        case 4:
            try await toggleOutput()
        default:
            try await takePhoto("\(number)")
        }
        let status = camera.status
        wanted.device = wanted.device ?? "test:bars"
        #expect(status.state == .running, "change \(number): \(status.state.error?.message ?? "no error")")
        #expect(status.configuration == wanted, "change \(number)")
        #expect(status.zoom == wanted.zoom.factor)
        if let size = status.format?.dimensions {
            #expect(status.crop == CropRectangle(wanted.zoom, in: size))
        }
    }

    private func takePhoto(_ name: String) async throws {
        let url = place.folder.appendingPathComponent("\(name).jpg")
        let photo = try await camera.capturePhoto(to: url)
        let data = try Data(contentsOf: url)
        #expect(data.count == photo.bytes)
        #expect(data.prefix(2) == Data([0xFF, 0xD8]) && data.suffix(2) == Data([0xFF, 0xD9]))
        let format = try #require(camera.status.format)
        #expect(photo.width == format.width && photo.height == format.height)
        try FileManager.default.removeItem(at: url)
    }

    private mutating func toggleOutput() async throws {
        let name = StressPlace.outputs.keys.sorted().randomElement(using: &random) ?? ""
        if outputs.contains(name) {
            try await camera.removeOutput(name)
            outputs.remove(name)
        } else {
            #expect(try await camera.addOutput(name).state == .running)
            outputs.insert(name)
        }
    }

    /// Counts what the process holds in one configuration that is always the same: a buffer pool has descriptors too,
    /// and how many pools there are depends on what is scaled.
    mutating func sample(_ preview: PreviewWatch) async throws {
        try await removeOutputs()
        wanted = try await camera.apply { configuration in
            configuration = CaptureConfiguration(device: "test:bars", zoom: Zoom(factor: 2))
            configuration.preset = .vga640x480
        }.configuration
        // The photo's pipeline is there from the first photo on.
        try await takePhoto("sample")
        // With two frames what the last change has replaced is off all hands, but GLib has a thread wait half a second
        // for other work before it ends, and a BlockingThread two. The first count is the least of three seconds'
        // frames; the second may take its time to come down to it.
        for _ in 0..<2 { await preview.waitForFrame() }
        var (descriptors, threads) = (ProcessCounts.descriptorCount, ProcessCounts.threadCount)
        for _ in 0..<(report.threads.isEmpty ? 90 : 200) {
            if report.descriptors.first == descriptors, report.threads.first == threads { break }
            await preview.waitForFrame()
            descriptors = min(descriptors, ProcessCounts.descriptorCount)
            threads = min(threads, ProcessCounts.threadCount)
        }
        report.descriptors.append(descriptors)
        report.threads.append(threads)
        report.memory.append(ProcessCounts.residentBytes)
    }

    mutating func removeOutputs() async throws {
        for name in outputs { try await camera.removeOutput(name) }
        outputs.removeAll()
    }
}

/// Watches a preview for the times between its frames.
final class PreviewWatch: Sendable {
    private struct State {
        var last: ContinuousClock.Instant?
        var largestGap = 0.0
        var count = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    var largestGap: Double { state.withLock { $0.largestGap } }
    var count: Int { state.withLock { $0.count } }

    func note(_ frame: VideoFrame) {
        let now = ContinuousClock.now
        let waiters = state.withLock { state in
            if let last = state.last {
                let gap = last.duration(to: now) / .seconds(1)
                state.largestGap = max(state.largestGap, gap)
            }
            state.last = now
            state.count += 1
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func waitForFrame() async {
        await withCheckedContinuation { continuation in state.withLock { $0.waiters.append(continuation) } }
    }
}

/// A temporary folder with outputs of its own.
struct StressPlace: Sendable {
    static let outputs = [
        "quiet": "videoconvert ! jpegenc ! fakesink sync=false",
        "fails": "identity error-after=5 ! fakesink sync=false",
        "ends": "identity eos-after=5 ! fakesink sync=false",
    ]

    let folder: URL
    var pipelines: URL { folder.appendingPathComponent("pipelines") }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "camera-stress-\(UUID().uuidString)")
        let outputs = folder.appendingPathComponent("pipelines/outputs")
        try FileManager.default.createDirectory(at: outputs, withIntermediateDirectories: true)
        for (name, description) in Self.outputs {
            let file = outputs.appendingPathComponent("\(name).launch")
            try description.write(to: file, atomically: true, encoding: .utf8)
        }
    }

    func remove() {
        do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
    }
}

/// A small random generator that gives the same changes for the same seed everywhere.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// What the kernel counts for this process.
enum ProcessCounts {
    static var descriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
    }
    /// Threads without those that libdispatch keeps for its queues, as many as it likes and for as long. They bear the
    /// queue's name; those of GStreamer and of ``withDeadline(_:_:)`` have their own.
    static var threadCount: Int {
        let folder = "/proc/self/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.count { thread in
            // One that has ended in the meantime is none.
            guard let name = try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8) else {
                return false
            }
            return !name.contains("-qos")
        }
    }
    static var residentBytes: Int { field("VmRSS:") << 10 }

    private static func field(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? -1
    }
}

import CameraCore
import FoundationEssentials
import GStreamer
import Glibc

/// How old a frame is when a slow consumer gets it: the time since a fast one beside it got the same frame.
enum Age {
    private struct State {
        var arrivals: [Double: ContinuousClock.Instant] = [:]
        var ages: [Double] = []
    }

    /// - Parameter pause: how long the consumer takes for each frame.
    static func measure(_ count: Int, pause: Duration, in folder: String) async throws -> Samples {
        let pipelines = URL(fileURLWithPath: folder, isDirectory: true)
        let state = Guarded(State())
        try await withCamera(.init(pipelines: pipelines, discoversHardware: false)) { camera in
            try await camera.apply { $0.device = "file:bench" }
            let fast = try await camera.onFrame { frame in
                state.withLock { $0.arrivals[frame.presentationTime] = .now }
            }
            let slow = try await camera.onFrame { frame in
                let now = ContinuousClock.now
                state.withLock { state in
                    // Before the fast consumer was told of it, it cannot be old.
                    let arrival = state.arrivals[frame.presentationTime] ?? now
                    state.ages.append((now - arrival).milliseconds)
                    state.arrivals = state.arrivals.filter { $0.key > frame.presentationTime }
                }
                usleep(UInt32(pause / .microseconds(1)))
            }
            while state.withLock({ $0.ages.count }) < count {
                guard camera.status.state == .running else {
                    throw BenchError(description: "The camera ended before \(count) frames were looked at")
                }
                try await Task.sleep(for: .milliseconds(50))
            }
            fast.cancel()
            slow.cancel()
        }
        return Samples(milliseconds: state.withLock { Array($0.ages.prefix(count)) })
    }
}

import GStreamer

/// A thread for calls that may never come back. One that does come back waits for the next for a while, since a change of
/// camera makes several and starting a thread takes as long as some of them.
final class BlockingThread: Sendable {
    /// A call; gives what tells its result, once the thread is free again.
    typealias Work = @Sendable () -> @Sendable () -> Void

    /// How many wait for work at most, and how long.
    private static let (limit, patience) = (2, 2.0)
    private static let idle = Guarded<[BlockingThread]>([])

    private let work: Guarded<Work?>
    private let news = Bell()

    private init(_ first: @escaping Work) { work = Guarded(first) }

    /// Starts a call, at once and whatever the others do.
    static func perform(_ work: @escaping Work) {
        if let free = idle.withLock({ $0.popLast() }) {
            free.work.withLock { $0 = work }
            free.news.ring()
            return
        }
        let new = BlockingThread(work)
        SystemThread.start("camera-blocking") { new.run() }
    }

    private func run() {
        while let next = work.withLock({ work in
            defer { work = nil }
            return work
        }) {
            let tell = next()
            // Free before anybody hears of it: who waited may have the next call.
            let stays = Self.idle.withLock { idle in
                guard idle.count < Self.limit else { return false }
                idle.append(self)
                return true
            }
            tell()
            guard stays else { return }
            news.sleep(atMost: Self.patience)
            let isFree = Self.idle.withLock { idle in
                let before = idle.count
                idle.removeAll { $0 === self }
                return idle.count < before
            }
            if isFree { return }
            // One that is not among the free ones has work, or is given it at this moment.
            while work.withLock({ $0 == nil }) { news.sleep(atMost: Self.patience) }
        }
    }
}

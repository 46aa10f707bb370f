import Dispatch

/// Runs an actor on a serial dispatch queue of its own.
///
/// State changes of a camera block for as long as a driver takes; on the shared pool of Swift concurrency they would
/// take threads from everybody else. (`DispatchSerialQueue`, which is an executor itself, does not exist on Linux.)
final class SerialQueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

    /// Waits until all that was enqueued before has run. Not to be called from the queue.
    func drain() { queue.sync {} }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

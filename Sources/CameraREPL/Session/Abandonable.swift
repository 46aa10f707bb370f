import CameraCore
import GStreamer

/// Runs an operation that the caller can walk away from.
///
/// A camera call may block in a driver and notice a cancellation late or never. Whoever cancels the task that
/// awaits this function gets `cancelled` at once; the operation is told to stop and ends in its own time.
func abandonable<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws(CameraError) -> Value
) async throws(CameraError) -> Value {
    let outcome = FirstOutcome<Value>()
    let task = Task {
        do throws(CameraError) {
            outcome.settle(.success(try await operation()))
        } catch {
            outcome.settle(.failure(error))
        }
    }
    let result = await withTaskCancellationHandler {
        await withCheckedContinuation { outcome.wait($0) }
    } onCancel: {
        outcome.settle(.failure(.interrupted))
        task.cancel()
    }
    outcome.state.showOrder()
    return try result.get()
}

extension CameraError {
    /// What a command answers that was cancelled from the keyboard or by a signal.
    static let interrupted = CameraError(.cancelled, "interrupted; what was under way was given up")
}

/// Hands the first of several results to one waiting task.
private final class FirstOutcome<Value: Sendable>: Sendable {
    enum State {
        case open
        case waiting(CheckedContinuation<Result<Value, CameraError>, Never>)
        case settled(Result<Value, CameraError>)
        case over
    }

    let state = Guarded(State.open)

    func settle(_ result: Result<Value, CameraError>) {
        let waiter: CheckedContinuation<Result<Value, CameraError>, Never>? = state.withLock { state in
            switch state {
            case .open:
                state = .settled(result)
                return nil
            case .waiting(let continuation):
                state = .over
                return continuation
            case .settled, .over:
                return nil
            }
        }
        waiter?.resume(returning: result)
    }

    func wait(_ continuation: CheckedContinuation<Result<Value, CameraError>, Never>) {
        let result: Result<Value, CameraError>? = state.withLock { state in
            if case .settled(let result) = state {
                state = .over
                return result
            }
            state = .waiting(continuation)
            return nil
        }
        if let result { continuation.resume(returning: result) }
    }
}

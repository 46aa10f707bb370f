/// Lets one change at a time at the graph, in the order in which they came.
///
/// A change waits for devices, and its actor answers others meanwhile; what it is in the middle of must not be changed
/// by them. So each waits for the one before. Only what nobody waits for, and what takes long when the camera is to
/// stop, is given up for those behind it.
struct Turns {
    /// Why a change is made, and so whom it gives way to.
    enum Purpose: Sendable {
        /// Nobody waits for it: it is given up as soon as somebody asks for anything.
        case recovery
        /// Somebody waits for it: it is given up when the camera is to stop and it takes long.
        case change
        /// The camera is to stop.
        case end
    }

    private struct Turn {
        let id: Int
        let purpose: Purpose
        let cancel: @Sendable () -> Void
    }

    private var turns: [Turn] = []
    private var count = 0

    /// Whether the camera is to stop when what runs has ended: what that needs no more need not be restored.
    var isEnding: Bool { turns.contains { $0.purpose == .end } }

    /// How many changes are being made or wait to be.
    var pending: Int { turns.count }

    /// Takes a number. What must give way to it is told so.
    mutating func begin(_ purpose: Purpose, cancel: @escaping @Sendable () -> Void) -> Int {
        for turn in turns where turn.purpose == .recovery { turn.cancel() }
        count += 1
        turns.append(Turn(id: count, purpose: purpose, cancel: cancel))
        return count
    }

    mutating func end(_ id: Int) { turns.removeAll { $0.id == id } }

    /// Gives up the changes before this one.
    func cancel(before id: Int) {
        for turn in turns where turn.id < id && turn.purpose != .end { turn.cancel() }
    }
}

extension CameraController {
    /// How long a change may go on when the camera is to stop.
    private static let grace = Duration.milliseconds(250)

    /// Makes a change when all that were begun before have ended.
    ///
    /// - Throws: What `body` throws; `cancelled` when the caller's task is cancelled, or when the change gave way.
    func inTurn<Value: Sendable>(
        _ purpose: Turns.Purpose,
        _ body: @escaping @Sendable (isolated CameraController) async throws(CameraError) -> Value
    ) async throws(CameraError) -> Value {
        let previous = lastTurn
        let work = Task { () async -> Result<Value, CameraError> in
            await previous?.value
            if Task.isCancelled { return .failure(.changeCancelled) }
            do throws(CameraError) { return .success(try await body(self)) } catch { return .failure(error) }
        }
        let id = turns.begin(purpose) { work.cancel() }
        lastTurn = Task {
            _ = await work.value
            self.turns.end(id)
        }
        let alarm =
            purpose == .end
            ? Task {
                try await Task.sleep(for: Self.grace)
                self.turns.cancel(before: id)
                self.restoration?.cancel()
            } : nil
        let result = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            // A camera that is to stop is stopped.
            if purpose != .end { work.cancel() }
        }
        alarm?.cancel()
        return try result.get()
    }
}

extension CameraError {
    /// What was to be changed was not, and what ran before runs.
    static var changeCancelled: CameraError {
        CameraError(.cancelled, "the change was given up; the camera is as it was")
    }
}

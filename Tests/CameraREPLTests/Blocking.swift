import Dispatch

/// Runs what blocks on a thread of its own: the two or three that all tests share would be missed by the others for as
/// long, whose frames and deadlines would come late.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
        // A serial queue gets a thread whatever the others do; the global ones share theirs with Swift's tasks.
        DispatchQueue(label: "blocking").async { continuation.resume(returning: Result(catching: body)) }
    }
    return try result.get()
}

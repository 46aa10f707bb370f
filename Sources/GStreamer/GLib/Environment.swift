import CGStreamer

/// The environment of this process, variable by variable: `g_getenv`. Foundation takes a copy of all of it each time.
public struct Environment: Sendable {
    /// Those of a test.
    private let madeUp: [String: String]?

    /// That of this process.
    public init() { madeUp = nil }

    /// One that consists of these variables.
    public init(_ variables: [String: String]) { madeUp = variables }

    /// The value of a variable, or `nil` when it is not set.
    public subscript(name: String) -> String? {
        if let madeUp { return madeUp[name] }
        return unsafe g_getenv(name).map { unsafe String(cString: $0) }
    }
}

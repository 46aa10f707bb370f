/// Tells from the brightness of a camera's first frames when it has found its exposure. Pure.
///
/// Cameras begin dark, or too bright, and adapt over some frames. A photo waits for the end of that; the preview does
/// not. Settled is a picture that is not nearly black and has kept its brightness for ``window``; after ``limit`` it is
/// taken as it is.
struct ExposureSettling: Sendable {
    /// For how long the brightness must have been steady, in seconds.
    static let window = 0.4
    /// By how much it may vary meanwhile, in levels of 255.
    static let tolerance = 4.0
    /// Below this mean level a picture says nothing yet. A scene can be that dark; then the limit ends the wait.
    static let dark = 24.0
    /// The longest wait, in seconds from the camera's first frame.
    static let limit = 2.0

    private let start: Double
    private var recent: [(time: Double, brightness: Double)] = []

    /// - Parameter start: The time of the camera's first frame, in seconds of running time.
    init(start: Double) { self.start = start }

    /// Whether a frame of this time is late enough whatever it shows.
    func isOver(at time: Double) -> Bool { time - start >= Self.limit }

    /// Takes in a frame, and tells whether it shows the settled exposure.
    ///
    /// - Parameters:
    ///   - brightness: The frame's mean level, from 0 to 255.
    ///   - time: When it was captured, in seconds of running time.
    mutating func settles(at brightness: Double, time: Double) -> Bool {
        if isOver(at: time) { return true }
        recent.append((time, brightness))
        if let old = recent.lastIndex(where: { $0.time <= time - Self.window }) { recent.removeFirst(old) }
        guard let first = recent.first, time - first.time >= Self.window, brightness >= Self.dark else {
            return false
        }
        let levels = recent.map(\.brightness)
        return (levels.max() ?? 0) - (levels.min() ?? 0) <= Self.tolerance
    }
}

/// How one photo is taken and stored.
public struct PhotoSettings: Hashable, Sendable {
    /// Which frame becomes the photo.
    public enum Timing: String, Hashable, Sendable, CaseIterable {
        /// The newest frame there is, at most one frame interval older than the call.
        case newest
        /// The first frame captured after the call.
        case next
    }

    /// The JPEG quality, from 1 to 100.
    public var quality: Int

    /// Whether an existing file of that name is replaced.
    public var overwrites: Bool

    /// Which frame becomes the photo.
    public var timing: Timing

    /// Whether a photo of a camera that started less than two seconds ago waits until its exposure is steady.
    ///
    /// Real cameras begin dark and adapt. The built-in ones do not, and never wait; a described one says so with
    /// `# exposure: fixed` in its file.
    public var waitsForExposure: Bool

    /// Creates settings.
    public init(
        quality: Int = 85, overwrites: Bool = false, timing: Timing = .newest, waitsForExposure: Bool = true
    ) {
        self.quality = quality
        self.overwrites = overwrites
        self.timing = timing
        self.waitsForExposure = waitsForExposure
    }

    /// Checks the settings before anything is captured.
    ///
    /// - Throws: ``CameraError/Code/usage`` when ``quality`` is not in 1…100.
    public func validate() throws(CameraError) {
        guard (1...100).contains(quality) else {
            throw CameraError(.usage, "photo quality \(quality) is out of range; choose one from 1 to 100")
        }
    }
}

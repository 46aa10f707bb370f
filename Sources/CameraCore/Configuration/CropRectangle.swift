/// The part of the camera's frame that is shown, in pixels of that frame.
///
/// All four margins are even, because chroma is shared by pairs of pixels and an odd offset would shift colour
/// against brightness. So ``x`` and ``y`` are even, and ``width`` and ``height`` have the parity of the frame's:
/// even in an even frame, odd in an odd one such as 853×479.
public struct CropRectangle: Hashable, Sendable, CustomStringConvertible {
    /// Pixels cut off at the left; even.
    public let x: Int

    /// Rows cut off at the top; even.
    public let y: Int

    /// Pixels shown in a row.
    public let width: Int

    /// Rows shown.
    public let height: Int

    /// Neither side of a crop gets shorter than this many pixels, unless the frame itself is.
    public static let smallestSide = 32

    /// Creates a rectangle as given.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The whole frame.
    public init(full frame: Dimensions) {
        self.init(x: 0, y: 0, width: frame.width, height: frame.height)
    }

    /// The crop that shows `zoom` in a frame of size `frame`.
    ///
    /// Each side is the frame's divided by the factor, to the nearest that the rule of even margins allows.
    /// The rectangle is centred on the zoom's centre as far as it stays inside the frame. A factor of 1 gives
    /// exactly the whole frame. The zoom is meant to be valid (``ZoomRange/validate(_:)``); one that is not is
    /// brought to the nearest that fits.
    public init(_ zoom: Zoom, in frame: Dimensions) {
        let horizontal = Self.span(of: frame.width, factor: zoom.factor, center: zoom.center.x)
        let vertical = Self.span(of: frame.height, factor: zoom.factor, center: zoom.center.y)
        self.init(x: horizontal.start, y: vertical.start, width: horizontal.length, height: vertical.length)
    }

    /// Whether nothing is cut off a frame of that size.
    public func isFull(in frame: Dimensions) -> Bool { self == CropRectangle(full: frame) }

    /// Pixels cut off at the right of a frame of that size; even for a crop computed from a ``Zoom``.
    public func right(in frame: Dimensions) -> Int { frame.width - x - width }

    /// Rows cut off at the bottom of a frame of that size; even for a crop computed from a ``Zoom``.
    public func bottom(in frame: Dimensions) -> Int { frame.height - y - height }

    /// The rectangle as `640x360 at 320,180`.
    public var description: String { "\(width)x\(height) at \(x),\(y)" }

    private static func span(of side: Int, factor: Double, center: Double) -> (start: Int, length: Int) {
        let factor = factor >= 1 ? factor : 1
        let center = center.isNaN ? 0.5 : min(max(center, 0), 1)
        // Pairs of pixels are what can be cut off; the margins on both sides are made of whole pairs.
        let mostPairs = max(0, (side - smallestSide) / 2)
        let wantedPairs = ((Double(side) - Double(side) / factor) / 2).rounded()
        let pairs = min(Int(wantedPairs), mostPairs)
        let length = side - 2 * pairs
        let leading = ((center * Double(side) - Double(length) / 2) / 2).rounded()
        return (2 * min(max(Int(leading), 0), pairs), length)
    }
}

import CameraCore
import Foundation

/// The part of a frame that a zoom shows, as real numbers: the frame's size over the factor, in the middle.
struct Part {
    let x: Double
    let y: Double
    let width: Double
    let height: Double

    init(of size: Dimensions, zoom: Double) {
        width = Double(size.width) / zoom
        height = Double(size.height) / zoom
        x = (Double(size.width) - width) / 2
        y = (Double(size.height) - height) / 2
    }
}

/// A comparison of a picture with the part of a whole frame that it should show.
struct PictureComparison: CustomStringConvertible {
    private(set) var points = 0
    private(set) var wrong: [String] = []
    private(set) var worst = 0

    /// Few points may be off: an edge that a rounded crop moves by more than the margin.
    var isGood: Bool { points > 300 && wrong.isEmpty }

    var description: String {
        "\(wrong.count) of \(points) points differ, by up to \(worst) levels: \(wrong.prefix(4))"
    }

    /// Compares points of a grid where the whole frame has one colour all around, which scaling cannot change.
    ///
    /// - Parameters:
    ///   - tolerance: levels that a channel may differ by.
    ///   - margin: pixels of `picture` around a point that must be of one colour; two pixels of `whole` always are,
    ///     for the rounding of the crop to even numbers.
    ///   - excluded: parts of the whole frame, in 0…1, that are not compared, such as noise.
    init(
        _ picture: Picture, shows part: Part, of whole: Picture, tolerance: Int, margin: Double,
        excluding excluded: (_ x: Double, _ y: Double) -> Bool = { _, _ in false }
    ) {
        let columns = 96
        let rows = 60
        let scale = (x: part.width / Double(picture.width), y: part.height / Double(picture.height))
        let reach = (x: 2.5 + margin * scale.x, y: 2.5 + margin * scale.y)
        for row in 0..<rows {
            for column in 0..<columns {
                let u = (Double(column) + 0.5) / Double(columns) * Double(picture.width)
                let v = (Double(row) + 0.5) / Double(rows) * Double(picture.height)
                let x = part.x + u * scale.x
                let y = part.y + v * scale.y
                if excluded(x / Double(whole.width), y / Double(whole.height)) { continue }
                let expected = whole.pixel(x, y)
                let around = [
                    (-reach.x, -reach.y), (0, -reach.y), (reach.x, -reach.y), (-reach.x, 0), (reach.x, 0),
                    (-reach.x, reach.y), (0, reach.y), (reach.x, reach.y),
                ]
                let isFlat = around.allSatisfy {
                    whole.pixel(x + $0.0, y + $0.1).distance(to: expected) <= 1
                }
                guard isFlat else { continue }
                points += 1
                let found = picture.pixel(u, v)
                let distance = found.distance(to: expected)
                worst = max(worst, distance)
                if distance > tolerance {
                    wrong.append("\(Int(u)),\(Int(v)): \(found) for \(expected)")
                }
            }
        }
    }

    /// The lower right of the colour bars is snow, different in each frame.
    static func isSnow(_ x: Double, _ y: Double) -> Bool { x > 0.72 && y > 0.72 }
}

/// The ball of videotestsrc, which moves on two sines: where it is in frame n, worked out from its definition.
struct Ball {
    static let radius = 20.0
    let size: Dimensions
    /// The number of the frame at `time`.
    let number: Int
    let time: Double
    let rate: Double

    static func center(_ number: Int, in size: Dimensions) -> (x: Double, y: Double) {
        let angle = 2 * Double.pi * Double(number) / 200
        return (
            radius + (0.5 + 0.5 * sin(angle)) * (Double(size.width) - 2 * radius),
            radius + (0.5 + 0.5 * sin(angle * 2.0.squareRoot())) * (Double(size.height) - 2 * radius)
        )
    }

    /// Finds out which frame it is, from pictures of whole frames: the number that fits all of them best.
    init?(in pictures: [(picture: Picture, time: Double)], rate: Double) {
        guard let first = pictures.first else { return nil }
        let size = first.picture.size
        var seen: [(step: Int, x: Double, y: Double)] = []
        for (picture, time) in pictures {
            guard let center = Self.find(in: picture) else { return nil }
            seen.append((Int(((time - first.time) * rate).rounded()), center.x, center.y))
        }
        var best = (number: 0, error: Double.infinity)
        for number in 0..<1500 {
            var error = 0.0
            for seen in seen {
                let center = Self.center(number + seen.step, in: size)
                error += squaredDistance(center, (seen.x, seen.y))
            }
            if error < best.error { best = (number, error) }
        }
        guard best.error < 2.25 * Double(seen.count) else { return nil }
        self.size = size
        number = best.number
        time = first.time
        self.rate = rate
    }

    /// The middle of what is bright.
    private static func find(in picture: Picture) -> (x: Double, y: Double)? {
        var (x, y, count) = (0.0, 0.0, 0.0)
        for row in stride(from: 0, to: picture.height, by: 3) {
            for column in stride(from: 0, to: picture.width, by: 3) where picture[column, row].green > 128 {
                x += Double(column)
                y += Double(row)
                count += 1
            }
        }
        return count > 0 ? (x / count, y / count) : nil
    }

    /// The points of a picture that are not as this ball would have it; `nil` when the ball is not in its part.
    ///
    /// White inside and black outside, but for a ring around the edge of 3 pixels of the frame and `margin` of the
    /// picture.
    func errors(in picture: Picture, at time: Double, zoom: Double, margin: Double) -> [String] {
        let number = number + Int(((time - self.time) * rate).rounded())
        let center = Self.center(number, in: size)
        let part = Part(of: size, zoom: zoom)
        let scale = (x: part.width / Double(picture.width), y: part.height / Double(picture.height))
        let ring = 3 + margin * max(scale.x, scale.y)
        var wrong: [String] = []
        func check(_ x: Double, _ y: Double) {
            let u = (x - part.x) / scale.x
            let v = (y - part.y) / scale.y
            guard u >= 0, v >= 0, u < Double(picture.width), v < Double(picture.height) else { return }
            let distance = squaredDistance((x, y), center).squareRoot()
            let found = picture.pixel(u, v)
            let isRight =
                distance < Self.radius - ring
                ? found.green > 215 : distance > Self.radius + ring ? found.green < 40 : true
            if !isRight {
                wrong.append("frame \(number) \(Int(u)),\(Int(v)): \(found), \(distance) from the middle")
            }
        }
        for row in 0..<40 {
            for column in 0..<40 {
                check(
                    part.x + (Double(column) + 0.5) / 40 * part.width,
                    part.y + (Double(row) + 0.5) / 40 * part.height)
                check(center.x + (Double(column) - 19.5) * 2, center.y + (Double(row) - 19.5) * 2)
            }
        }
        return wrong
    }
}

private func squaredDistance(_ one: (x: Double, y: Double), _ other: (x: Double, y: Double)) -> Double {
    let (x, y) = (one.x - other.x, one.y - other.y)
    return x * x + y * y
}

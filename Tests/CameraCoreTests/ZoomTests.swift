import Testing

@testable import CameraCore

@Suite struct ZoomRangeTests {
    @Test(
        arguments: [
            (1920, 1080, 10.0), (320, 320, 10), (320, 240, 7.5), (192, 144, 4.5), (240, 320, 7.5),
            (64, 48, 1.5),
            (32, 32, 1), (16, 16, 1), (853, 479, 10),
        ] as [(Int, Int, Double)])
    func reachesAsFarAsTheFrameAllows(width: Int, height: Int, maximum: Double) {
        let range = ZoomRange(for: Dimensions(width: width, height: height))
        #expect(range.minimum == 1)
        #expect(range.maximum == maximum)
    }

    @Test(
        arguments: [(10.0, [1.0, 2, 3, 5, 10]), (7.5, [1, 2, 3, 5]), (4.5, [1, 2, 3]), (1, [1])]
            as [(Double, [Double])])
    func offersStops(maximum: Double, stops: [Double]) {
        #expect(ZoomRange(maximum: maximum).stops == stops)
    }

    @Test(arguments: [1, 1.5, 7.5] as [Double]) func acceptsWhatIsInside(_ factor: Double) throws {
        try ZoomRange(maximum: 7.5).validate(Zoom(factor: factor))
    }

    @Test(arguments: [0, 0.999, -2, 7.6, 20, .nan, .infinity, -.infinity] as [Double])
    func refusesWhatIsOutside(_ factor: Double) throws {
        let error = try #require(
            cameraError { () throws(CameraError) in try ZoomRange(maximum: 7.5).validate(Zoom(factor: factor))
            })
        #expect(error.code == .zoomOutOfRange)
        #expect(error.message.contains("from 1 to 7.5"))
    }

    @Test func aFrameThatCannotBeZoomedSaysSo() throws {
        let error = cameraError { () throws(CameraError) in
            try ZoomRange(maximum: 1).validate(Zoom(factor: 2))
        }
        #expect(
            error?.message
                == "zoom 2 is out of range; a frame of this size cannot be zoomed, since less than 32x32 pixels would be left"
        )
    }

    @Test(arguments: [(-0.1, 0.5), (0.5, 1.1), (.nan, 0.5), (0.5, .infinity)] as [(Double, Double)])
    func refusesACentreOutsideTheFrame(x: Double, y: Double) {
        let zoom = Zoom(factor: 2, center: NormalizedPoint(x: x, y: y))
        #expect(
            cameraError { () throws(CameraError) in try ZoomRange.full.validate(zoom) }?.code
                == .zoomOutOfRange)
    }

    @Test(
        arguments: [
            (1.0, 1.0, 2.0, false), (2, -1, 1, false), (2, -1.5, 1, true), (9, 1, 10, false),
            (9, 2, 10, true),
            (1, .infinity, 10, true), (5, -.infinity, 1, true), (1, 0, 1, false),
        ] as [(Double, Double, Double, Bool)])
    func movesAndStopsAtTheEnds(from: Double, by: Double, to: Double, isClamped: Bool) throws {
        let moved = try ZoomRange.full.moved(from: from, by: by)
        #expect(moved.factor == to)
        #expect(moved.isClamped == isClamped)
    }

    @Test func movesWithoutGatheringRoundingErrors() throws {
        var factor = 1.0
        for _ in 0..<10 { factor = try ZoomRange.full.moved(from: factor, by: 0.1).factor }
        #expect(factor == 2)
    }

    @Test func cannotMoveByNoNumber() {
        let error = cameraError { () throws(CameraError) in try ZoomRange.full.moved(from: 1, by: .nan) }
        #expect(error?.code == .zoomOutOfRange)
    }

    @Test(
        arguments: [
            (1.5, 2.0, 3.0), (0.5, 4, 2), (0.1, 4, 1), (9, 4, 7.5), (.nan, 4, 2.5), (0, 4, 2.5), (-1, 4, 2.5),
            (.infinity, 4, 2.5),
        ] as [(Double, Double, Double)])
    func followsAPinch(scale: Double, base: Double, factor: Double) {
        let center = NormalizedPoint(x: 0.25, y: 0.75)
        let zoom = Zoom(factor: 2.5, center: center).scaled(
            by: scale, from: base, in: ZoomRange(maximum: 7.5))
        #expect(zoom == Zoom(factor: factor, center: center))
    }
}

@Suite struct CropRectangleTests {
    @Test(
        arguments: [
            (1920, 1080, 1.0, 0.5, 0.5, "1920x1080 at 0,0"),
            (1920, 1080, 1, 0, 1, "1920x1080 at 0,0"),
            (1920, 1080, 2, 0.5, 0.5, "960x540 at 480,270"),
            (1920, 1080, 2, 0, 0, "960x540 at 0,0"),
            (1920, 1080, 2, 1, 1, "960x540 at 960,540"),
            (1280, 720, 10, 0.5, 0.5, "128x72 at 576,324"),
            (640, 480, 3, 0.5, 0.5, "214x160 at 214,160"),
            (320, 240, 7.5, 0.5, 0.5, "42x32 at 140,104"),
            (853, 479, 1, 0.5, 0.5, "853x479 at 0,0"),
            (853, 479, 2, 1, 1, "427x239 at 426,240"),
            (853, 479, 10, 0, 0, "85x47 at 0,0"),
            (16, 16, 4, 0.5, 0.5, "16x16 at 0,0"),
            (640, 480, .nan, .nan, .infinity, "640x480 at 0,0"),
            (640, 480, .infinity, 0.5, 0.5, "32x32 at 304,224"),
        ] as [(Int, Int, Double, Double, Double, String)])
    func crops(width: Int, height: Int, factor: Double, x: Double, y: Double, to text: String) {
        let zoom = Zoom(factor: factor, center: NormalizedPoint(x: x, y: y))
        #expect(CropRectangle(zoom, in: Dimensions(width: width, height: height)).description == text)
    }

    @Test(arguments: [
        (1920, 1080), (640, 480), (853, 479), (192, 144), (161, 121), (33, 35), (32, 32), (17, 9),
        (1366, 769),
    ])
    func keepsItsRulesForEveryZoom(width: Int, height: Int) {
        let frame = Dimensions(width: width, height: height)
        let range = ZoomRange(for: frame)
        let factors = stride(from: 1, through: range.maximum, by: 0.37).map(\.self) + [range.maximum]
        for factor in factors {
            for x in [0, 0.1, 0.333, 0.5, 0.77, 1] {
                let zoom = Zoom(factor: factor, center: NormalizedPoint(x: x, y: 1 - x))
                let crop = CropRectangle(zoom, in: frame)
                let margins = [crop.x, crop.y, crop.right(in: frame), crop.bottom(in: frame)]
                #expect(margins.allSatisfy { $0 >= 0 && $0 % 2 == 0 }, "\(crop) of \(frame) at \(zoom)")
                #expect(crop.width >= min(32, width) && crop.height >= min(32, height), "\(crop) of \(frame)")
                #expect(
                    abs(Double(crop.width) - Double(width) / factor) < 1.001, "\(crop) of \(frame) at \(zoom)"
                )
                #expect(
                    abs(Double(crop.height) - Double(height) / factor) < 1.001,
                    "\(crop) of \(frame) at \(zoom)")
            }
        }
        #expect(CropRectangle(Zoom(), in: frame).isFull(in: frame))
    }
}

import Foundation
import Testing

@testable import CameraCore

/// The lines that make a file camera misbehave.
@Suite struct FaultTests {
    @Test func linesAreRead() {
        let lines: [(String, Fault)] = [
            ("unplug after 90 frames for 3 s", .unplug(afterFrames: 90, lasting: .seconds(3))),
            ("unplug after 1 frame", .unplug(afterFrames: 1, lasting: nil)),
            ("Stall after 5 frames for 0.5 s", .stall(afterFrames: 5, lasting: .seconds(0.5))),
            ("busy", .busy(lasting: nil)), ("busy for 2 s", .busy(lasting: .seconds(2))),
            ("slow start 3 s", .slowStart(.seconds(3))),
            ("wrong size 1280x720", .wrongSize(Dimensions(width: 1280, height: 720))),
            ("damage every 10 frames", .damage(everyFrames: 10)),
            ("stuck opening", .stuckOpening(lasting: nil)),
            ("stuck closing for 20 s", .stuckClosing(lasting: .seconds(20))),
        ]
        for (line, fault) in lines { #expect(Fault(line) == fault, "\(line)") }
    }

    @Test func otherLinesAreNot() {
        for line in [
            "", "unplug", "unplug after frames", "unplug after 0 frames", "unplug after 9 frames for",
            "busy for 2",
            "busy for ever", "slow start", "wrong size 12", "wrong size 0x5", "damage every", "stuck",
            "busy for 2 s more", "unplug after 9 frames for -1 s", "unplug after 9 frames for nan s",
        ] {
            #expect(Fault(line) == nil, "\(line)")
        }
    }
}

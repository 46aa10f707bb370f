import Foundation
import GStreamer
import Testing

@testable import CameraCore

extension CameraTests {
    /// Previews that share a conversion.
    @Suite struct ConversionTests {
        /// Who asks for what somebody has already costs no conversion, and is not held up by them.
        @Test func theSameFormatIsConvertedOnce() async throws {
            try await withCamera("test:bars", .qvga320x240) { camera in
                var first = try await camera.frames(format: .bgrx).makeAsyncIterator()
                _ = try await first.take(5)
                let second = try await camera.frames(format: .bgrx)
                var frames = second.makeAsyncIterator()
                #expect(try await frames.required().sequence < 5, "it counts from its own beginning")
                #expect(await camera.converters == 1)
                var other = try await camera.frames(format: .rgb).makeAsyncIterator()
                _ = try await other.required()
                #expect(await camera.converters == 2)

                // Both get the same frame, which is in memory once.
                var (left, right) = (try await first.required(), try await frames.required())
                while left.presentationTime != right.presentationTime {
                    if left.presentationTime < right.presentationTime {
                        left = try await first.required()
                    } else {
                        right = try await frames.required()
                    }
                }
                #expect(
                    try left.withPlane(0) { bytes, _ in bytes.start }
                        == right.withPlane(0) { bytes, _ in bytes.start })

                // One that takes its time misses frames, and only its own.
                let (entered, leaves) = (Latch<Void>(), Latch<Void>())
                let slow = try await camera.onFrame(format: .bgrx) { _ in
                    entered.deliver(())
                    _ = leaves.wait(for: .seconds(30))
                }
                guard case .delivered = await entered.value(within: .seconds(30)) else {
                    throw Picture.Failure(description: "No frame came")
                }
                _ = try await first.take(10)
                #expect(await camera.converters == 2)
                slow.cancel()
                leaves.deliver(())
                _ = consume other
                try await camera.until { $0.converters == 1 }
                _ = try await first.take(3)
                _ = try await frames.take(3)
            }
        }
    }
}

extension RawSpan {
    fileprivate var start: UInt { withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
}

extension CameraController {
    /// How many elements convert.
    fileprivate var converters: Int {
        capture.pipeline.descendants.count { $0.factoryName == "videoconvert" }
    }
}

import Foundation
import Testing

@testable import CameraCore

/// Who has a real camera, on the virtual machine of `scripts/test --only vm`.
@Suite(
    .serialized,
    .enabled(
        if: ProcessInfo.processInfo.environment["CAMERA_VM"] == "1",
        "needs V4L2 cameras; run 'scripts/test --only vm', or see 'scripts/with-cameras --help'"))
struct OwnershipVMTests {
    @Test func anotherControllerOfThisProgramIsNamed() async throws {
        let first = try CameraController()
        let second = try CameraController()
        let device = try #require(try await first.devices(types: [.external]).first)
        let node = try #require(device.node)
        try await first.selectDevice(device.id)
        try await first.start()
        #expect(NodeHolder.all(of: node).map(\.process) == [getpid()])
        try await second.selectDevice("test:bars")
        try await second.start()
        let error = await #expect(throws: CameraError.self) { try await second.selectDevice(device.id) }
        #expect(error?.code == .deviceBusy)
        #expect(
            error?.message.contains(", process \(getpid()))") == true
                && error?.message.contains("this program itself") == true,
            "\(String(describing: error))")
        try await second.close()
        try await first.close()
    }
}

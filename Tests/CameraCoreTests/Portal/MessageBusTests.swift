import Foundation
import GStreamer
import Testing

/// GIO's D-Bus, as the portal needs it.
@Suite(.serialized, .timeLimit(.minutes(1))) struct MessageBusTests {
    private static let path = "/test"
    private static let interface = "org.example.Test"

    /// A service that answers `Echo` with what it was given, and keeps quiet about everything else below its path.
    private func service(on bus: PrivateBus, descriptors: [Int32] = []) throws -> MessageBus {
        try MessageBus(address: bus.address) { bus, message in
            guard message.kind == .methodCall, message.path == Self.path else { return false }
            if message.member == "Echo" {
                do {
                    try bus.reply(to: message, message.values, descriptors: descriptors)
                } catch {
                    Issue.record(error)
                }
            }
            return true
        }
    }

    @Test func valuesArriveAsTheyWereSent() async throws {
        try await withBus { bus in
            let service = try service(on: bus)
            let client = try MessageBus(address: bus.address)
            let values: [BusValue] = [
                .bool(true), .uint(.max), .string("Grüße"), .path("/a/b"), .variant(.variant(.uint(7))),
                .dictionary([:]), .dictionary(["a": .bool(false), "b": .dictionary(["c": .string("")])]),
            ]
            let reply = try client.call(
                service.uniqueName, path: Self.path, interface: Self.interface, method: "Echo", values,
                limit: .seconds(5))
            #expect(reply.values == values)
            #expect(reply.descriptors.isEmpty)
            client.close()
            service.close()
        }
    }

    @Test func descriptorsArriveOpen() async throws {
        try await withBus { bus in
            let pipe = Pipe()
            let service = try service(on: bus, descriptors: [pipe.fileHandleForWriting.fileDescriptor])
            let client = try MessageBus(address: bus.address)
            let reply = try client.call(
                service.uniqueName, path: Self.path, interface: Self.interface, method: "Echo", [.handle(0)],
                limit: .seconds(5))
            #expect(reply.values == [.handle(0)])
            let descriptor = try #require(reply.descriptors.first)
            try pipe.fileHandleForWriting.close()
            let copy = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try copy.write(contentsOf: Data("hello".utf8))
            try copy.close()
            #expect(try pipe.fileHandleForReading.readToEnd() == Data("hello".utf8))
            client.close()
            service.close()
        }
    }

    @Test func failuresSayWhatTheyAre() async throws {
        try await withBus { bus in
            let service = try service(on: bus)
            let client = try MessageBus(address: bus.address)
            func failure(_ destination: String, _ method: String) -> MessageBus.Failure.Kind? {
                do throws(MessageBus.Failure) {
                    _ = try client.call(
                        destination, path: Self.path, interface: Self.interface, method: method,
                        limit: .milliseconds(200))
                    return nil
                } catch { return error.kind }
            }
            #expect(
                failure("org.example.Nobody", "Echo")
                    == .refused(name: "org.freedesktop.DBus.Error.ServiceUnknown"))
            #expect(failure(service.uniqueName, "Silence") == .timedOut)
            #expect(!client.isClosed)
            // The bus's end ends a wait.
            let began = ContinuousClock.now
            let ending = Thread { bus.end() }
            ending.start()
            #expect(!client.wait(for: .seconds(30)) { false })
            #expect(ContinuousClock.now - began < .seconds(10))
            #expect(client.isClosed)
            #expect(failure(service.uniqueName, "Echo") == .closed)
        }
        #expect(throws: MessageBus.Failure.self) { try MessageBus(address: "nonsense") }
    }

    @Test func aWaitEndsWhenItsConditionHoldsOrItsTimeIsOver() async throws {
        try await withBus { bus in
            let isDone = Guarded(false)
            let client = try MessageBus(address: bus.address)
            #expect(!client.wait(for: .milliseconds(50)) { isDone.withLock { $0 } })
            Thread.detachNewThread {
                isDone.withLock { $0 = true }
                client.wake()
            }
            #expect(client.wait(for: .seconds(30)) { isDone.withLock { $0 } })
            client.close()
            client.close()
        }
    }
}

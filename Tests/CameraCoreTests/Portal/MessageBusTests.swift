import Foundation
import GStreamer
import Testing

/// GIO's D-Bus, as the portal needs it.
@Suite(.serialized, .timeLimit(.minutes(1))) struct MessageBusTests {
    private static let path = "/test"
    private static let interface = "org.example.Test"

    /// A service that answers `Echo` with what it was given, and keeps quiet about everything else below its path.
    private func service(on bus: PrivateBus, descriptors: [Int32] = []) throws -> BusService {
        try BusService(address: bus.address) { bus, message in
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
                service.bus.uniqueName, path: Self.path, interface: Self.interface, method: "Echo", values,
                limit: .seconds(30))
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
                service.bus.uniqueName, path: Self.path, interface: Self.interface, method: "Echo",
                [.handle(0)],
                limit: .seconds(30))
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
            func failure(
                _ destination: String, _ method: String, within limit: Duration = .seconds(30)
            ) -> MessageBus.Failure.Kind? {
                do throws(MessageBus.Failure) {
                    _ = try client.call(
                        destination, path: Self.path, interface: Self.interface, method: method,
                        limit: limit)
                    return nil
                } catch { return error.kind }
            }
            #expect(
                failure("org.example.Nobody", "Echo")
                    == .refused(name: "org.freedesktop.DBus.Error.ServiceUnknown"))
            #expect(failure(service.bus.uniqueName, "Silence", within: .milliseconds(200)) == .timedOut)
            #expect(!client.isClosed)
            // The bus's end ends a wait.
            let began = ContinuousClock.now
            let ending = Thread { bus.end() }
            ending.start()
            #expect(!client.wait(for: .seconds(30)) { false })
            #expect(ContinuousClock.now - began < .seconds(10))
            #expect(client.isClosed)
            #expect(failure(service.bus.uniqueName, "Echo") == .closed)
            service.close()
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

    /// An alarm of whole milliseconds must not go off before the wait takes its time for over.
    @Test func aWaitIsOverAlsoWithinAMillisecond() async throws {
        try await withBus { bus in
            let client = try MessageBus(address: bus.address)
            for limit in [Duration.zero, .nanoseconds(1), .microseconds(999), .microseconds(1999)] {
                for _ in 0..<5 { #expect(!client.wait(for: limit) { false }) }
            }
            client.close()
        }
    }

    @Test func aMessageThatIsKeptEndsAWait() async throws {
        try await withBus { bus in
            let service = try service(on: bus)
            let name = Guarded<String?>(nil)
            let client = try MessageBus(address: bus.address) { message in
                guard message.member == "Hello" else { return false }
                name.withLock { $0 = message.sender }
                return true
            }
            let receiver = client.uniqueName
            Thread.detachNewThread {
                #expect(throws: Never.self) {
                    try service.bus.emit("Hello", of: Self.interface, path: Self.path, to: receiver)
                }
            }
            #expect(client.wait(for: .seconds(30)) { name.withLock { $0 != nil } })
            #expect(name.withLock { $0 } == service.bus.uniqueName)
            client.close()
            service.close()
        }
    }

    @Test func whatIsSentBeforeTheEndArrives() async throws {
        try await withBus { bus in
            let heard = Guarded(0)
            let client = try MessageBus(address: bus.address) { message in
                guard message.member == "Farewell" else { return false }
                heard.withLock { $0 += 1 }
                return true
            }
            let leaving = try MessageBus(address: bus.address)
            for _ in 0..<100 {
                try leaving.emit("Farewell", of: Self.interface, path: Self.path, to: client.uniqueName)
            }
            leaving.close()
            #expect(client.wait(for: .seconds(30)) { heard.withLock { $0 == 100 } })
            client.close()
        }
    }

    private final class Token: Sendable { func touch() {} }

    /// How it ends: by the program, by nobody holding it, or by the bus.
    @Test(arguments: ["close", "let go", "bus"])
    func aConnectionThatEndedLeavesNothing(_ end: String) async throws {
        try await withBus { first in
            func round(_ bus: PrivateBus) throws -> Bool {
                weak var token: Token?
                try {
                    let held = Token()
                    token = held
                    let client = try MessageBus(address: bus.address) { _ in
                        held.touch()
                        return false
                    }
                    if end == "bus" { bus.end() }
                    if end == "close" { client.close() }
                }()
                return token == nil
            }
            if end == "bus" {
                #expect(try round(first))
                return
            }
            #expect(try round(first))
            let before = try Self.eventDescriptors()
            for _ in 0..<100 { #expect(try round(first)) }
            // Each main context has one; the tests beside this one have some too.
            #expect(try Self.eventDescriptors() < before + 80)
        }
    }

    private static func eventDescriptors() throws -> Int {
        let folder = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
            var target = [CChar](repeating: 0, count: 64)
            // One that was closed at this moment is none.
            let count = readlink("\(folder)/\(name)", &target, target.count)
            return count > 0
                && String(decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
                    .contains("eventfd")
        }
    }
}

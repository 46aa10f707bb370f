import Foundation
import GStreamer
import Testing

@testable import CameraCore

/// A bus of its own for a test; `scripts/setup --for-tests` installs what runs it.
final class PrivateBus: Sendable {
    let address: String
    private let daemon: Guarded<Process>

    init(in folder: URL) throws {
        let settings = folder.appendingPathComponent("bus.conf")
        try Data(
            """
            <busconfig>
              <type>session</type><listen>unix:dir=\(folder.path)</listen><auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*"/><allow eavesdrop="true"/><allow own="*"/>
              </policy>
            </busconfig>
            """.utf8
        ).write(to: settings)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/dbus-daemon")
        process.arguments = [
            "--config-file=\(settings.path)", "--nofork", "--nopidfile", "--print-address=1",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = Data()
        while !line.contains(UInt8(ascii: "\n")) {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Picture.Failure(description: "The bus ended at once") }
            line += more
        }
        address = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        daemon = Guarded(process)
    }

    /// Ends the bus and all connections to it.
    func end() {
        daemon.withLock { process in
            guard process.isRunning else { return }
            // A process that is started from one of dispatch's threads has all other signals blocked.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }
}

/// The desktop's camera portal as the tests want it: it answers as it is told, and notes what it was asked.
final class MockPortal: Sendable {
    enum Behaviour: Sendable, Hashable {
        /// Answers with this response, after the reply to the call or before it, at the path that was agreed or another.
        case answers(UInt32, isEarly: Bool = false, isElsewhere: Bool = false)
        /// A policy forbids cameras.
        case forbids
        /// Takes the question and never answers it.
        case neverAnswers
        /// Takes questions and grants all of them when it is asked whether there is a camera.
        case grantsLater
        /// Does not even reply to the call.
        case neverReplies
        /// Knows of no cameras.
        case lacksInterface
        /// Takes the bus down when it is asked.
        case takesTheBusDown
    }

    private final class Notes: Sendable {
        private let list = Guarded<[String]>([])
        var all: [String] { list.withLock { $0 } }
        func add(_ note: String) { list.withLock { $0.append(note) } }

        private let open = Guarded<[(path: String, asker: String)]>([])
        var questions: [(path: String, asker: String)] { open.withLock { $0 } }
        func add(question: (path: String, asker: String)) { open.withLock { $0.append(question) } }
    }

    private let notes = Notes()
    private let service: BusService

    /// The methods that were called, and the property that was read.
    var asked: [String] { notes.all }

    init(
        on private: PrivateBus, _ behaviour: Behaviour, isCameraPresent: Bool? = true, remote: Int32? = nil
    ) throws {
        let notes = notes
        service = try BusService(address: `private`.address) { bus, message in
            guard message.kind == .methodCall, message.path.hasPrefix("/org/freedesktop/portal") else {
                return false
            }
            notes.add(message.member)
            do {
                try Self.answer(message, bus, behaviour, isCameraPresent, remote, `private`, notes)
            } catch {
                Issue.record(error)
            }
            return true
        }
        let name = try service.bus.call(
            "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            method: "RequestName", [.string("org.freedesktop.portal.Desktop"), .uint(4)], limit: .seconds(30))
        #expect(name.values == [.uint(1)])
    }

    func close() { service.close() }

    private static func answer(
        _ call: MessageBus.Message, _ bus: MessageBus, _ behaviour: Behaviour, _ isCameraPresent: Bool?,
        _ remote: Int32?, _ private: PrivateBus, _ notes: Notes
    ) throws {
        switch (call.member, behaviour) {
        case (_, .lacksInterface):
            try bus.refuse(call, name: "org.freedesktop.DBus.Error.UnknownMethod", text: "No such interface")
        case ("Get", .grantsLater):
            for question in notes.questions {
                try bus.emit(
                    "Response", of: "org.freedesktop.portal.Request", path: question.path,
                    to: question.asker, [.uint(0), .dictionary([:])])
            }
            try bus.reply(to: call, [.variant(.bool(true))])
        case ("Get", _):
            if let isCameraPresent { try bus.reply(to: call, [.variant(.bool(isCameraPresent))]) }
        case ("OpenPipeWireRemote", _):
            if let remote {
                try bus.reply(to: call, [.handle(0)], descriptors: [remote])
            } else {
                try bus.refuse(
                    call, name: "org.freedesktop.portal.Error.NotAllowed", text: "Permission denied")
            }
        case ("Close", _): try bus.reply(to: call)
        case ("AccessCamera", .answers(let response, let isEarly, let isElsewhere)):
            let path = isElsewhere ? handle(of: call) + "_other" : handle(of: call)
            func respond() throws {
                try bus.emit(
                    "Response", of: "org.freedesktop.portal.Request", path: path, to: call.sender,
                    [.uint(response), .dictionary([:])])
            }
            if isEarly { try respond() }
            try bus.reply(to: call, [.path(path)])
            if !isEarly { try respond() }
        case ("AccessCamera", .forbids):
            try bus.refuse(
                call, name: "org.freedesktop.portal.Error.NotAllowed", text: "Camera access disabled")
        case ("AccessCamera", .grantsLater):
            let path = handle(of: call)
            notes.add(question: (path, call.sender))
            try bus.reply(to: call, [.path(path)])
        case ("AccessCamera", .neverAnswers): try bus.reply(to: call, [.path(handle(of: call))])
        case ("AccessCamera", .takesTheBusDown):
            try bus.reply(to: call, [.path(handle(of: call))])
            // Not on this thread, which the bus needs for its end.
            Thread.detachNewThread { `private`.end() }
        default: break
        }
    }

    /// The path that caller and portal agree on without talking.
    private static func handle(of call: MessageBus.Message) -> String {
        guard case .dictionary(let options)? = call.values.first,
            case .string(let token)? = options["handle_token"]
        else { return "/org/freedesktop/portal/desktop/request/none" }
        let sender = call.sender.dropFirst().replacing(".", with: "_")
        return "/org/freedesktop/portal/desktop/request/\(sender)/\(token)"
    }
}

/// Runs `body` with a bus of its own, and ends it whatever happens.
func withBus(_ body: (PrivateBus) async throws -> Void) async throws {
    try await withFolder { folder in
        let bus = try PrivateBus(in: folder)
        defer { bus.end() }
        try await body(bus)
    }
}

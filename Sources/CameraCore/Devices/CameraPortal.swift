import FoundationEssentials
import GStreamer
import Glibc

/// The desktop's camera portal, `org.freedesktop.portal.Camera`: it asks the person whether a program in a sandbox may
/// use cameras, and hands them out.
///
/// Every call blocks its caller, or waits, for a limited time. Nothing is asked before somebody wants to know.
final class CameraPortal: Sendable {
    /// How long the bus, the portal and the person may take.
    struct Deadlines: Sendable {
        var connect = Duration.seconds(3)
        /// A portal is started when it is first called.
        var reply = Duration.seconds(10)
        /// How long a list of cameras waits for it.
        var glance = Duration.seconds(3)
        var answer = Duration.seconds(120)
    }

    /// How long nobody waits again for one who did not answer.
    private static let patience = Duration.seconds(10)

    /// The id of the camera that the portal stands for.
    static let deviceID: CaptureDevice.ID = "portal:camera"

    private static let service = "org.freedesktop.portal.Desktop"
    private static let object = "/org/freedesktop/portal/desktop"
    private static let camera = "org.freedesktop.portal.Camera"
    private static let request = "org.freedesktop.portal.Request"

    private struct State {
        var status = AuthorizationStatus.notDetermined
        var isMissing = false
        /// Until when it is not asked for cameras, because it did not answer.
        var isSilentUntil: ContinuousClock.Instant?
        /// The question that is on the screen, by its number, and who waits for the answer.
        var question: (number: Int, task: Task<Void, Never>)?
        var waiters: [Int: Latch<AuthorizationStatus>] = [:]
        var count = 0
        var remote: Int32?
        var isClosed = false
    }

    private let address: String
    private let deadlines: Deadlines
    private let state = Guarded(State())

    /// - Parameter address: the address of the bus that the portal is on.
    init(address: String, deadlines: Deadlines = Deadlines()) {
        self.address = address
        self.deadlines = deadlines
    }

    /// The portal for a sandbox; `nil` where there is no sandbox, or no bus in it. Looks at files only.
    static func of(_ sandbox: Sandbox = Sandbox()) -> CameraPortal? {
        guard sandbox.isConfined, let address = sandbox.busAddress else { return nil }
        return CameraPortal(address: address)
    }

    /// Whether this program may use cameras, as far as the person was asked. Without a portal nobody can ask, and
    /// nobody forbids.
    var status: AuthorizationStatus {
        state.withLock { $0.isMissing ? .authorized : $0.status }
    }

    // MARK: Asking

    /// Asks the person, unless they have answered already. Comes back with the answer, or without one at the deadline,
    /// or when the task is cancelled. The question is taken off the screen when nobody waits for its answer any more.
    func requestAccess() async -> AuthorizationStatus {
        let answer = Latch<AuthorizationStatus>()
        let waiter: Int? = state.withLock { state in
            if state.isMissing || state.isClosed || state.status != .notDetermined { return nil }
            state.count += 1
            let number = state.count
            state.waiters[number] = answer
            if state.question == nil { state.question = (number, Task { await self.ask(number) }) }
            return number
        }
        guard let waiter else { return status }
        if case .delivered(let status) = await answer.value(within: limit + .seconds(1)) { return status }
        let abandoned = state.withLock { state -> Task<Void, Never>? in
            state.waiters[waiter] = nil
            guard state.waiters.isEmpty else { return nil }
            defer { state.question = nil }
            return state.question?.task
        }
        abandoned?.cancel()
        return status
    }

    /// The longest that a question may take.
    private var limit: Duration { deadlines.connect + deadlines.reply + deadlines.answer + .seconds(1) }

    private func ask(_ number: Int) async {
        let dialog = PortalDialog()
        let outcome = await withTaskCancellationHandler {
            await withDeadline(limit) { self.ask(dialog, number) }
        } onCancel: {
            dialog.giveUp()
        }
        let (status, waiters) = state.withLock {
            state -> (AuthorizationStatus, [Latch<AuthorizationStatus>]) in
            if case .delivered(let answer) = outcome {
                if let status = answer.status { state.status = status }
                if case .missing = answer { state.isMissing = true }
            }
            let status = state.isMissing ? .authorized : state.status
            // One that was abandoned has nobody to tell; they may wait for the next already.
            guard state.question?.number == number else { return (status, []) }
            state.question = nil
            defer { state.waiters = [:] }
            return (status, Array(state.waiters.values))
        }
        for waiter in waiters { waiter.deliver(status) }
    }

    /// Asks and waits for the answer. **Blocks.**
    private func ask(_ dialog: PortalDialog, _ number: Int) -> PortalAnswer {
        guard let bus = connect({ dialog.note($0) }) else { return .none }
        dialog.bind(bus)
        defer {
            dialog.bind(nil)
            bus.close()
        }
        let token = "camera_core_\(getpid())_\(number)"
        let handle: String
        do throws(MessageBus.Failure) {
            let reply = try bus.call(
                Self.service, path: Self.object, interface: Self.camera, method: "AccessCamera",
                [.dictionary(["handle_token": .string(token)])], limit: deadlines.reply)
            guard case .path(let path)? = reply.values.first else { return .none }
            handle = path
        } catch {
            return PortalAnswer(to: error)
        }
        // The answer may have come before the reply, so all answers are noted.
        let isAnswered = bus.wait(for: deadlines.answer) { dialog.isOver(handle) }
        if let response = dialog.response(handle) { return PortalAnswer(response: response) }
        if !bus.isClosed {
            // Nobody waits any more: the question goes from the screen.
            do throws(MessageBus.Failure) {
                _ = try bus.call(
                    Self.service, path: handle, interface: Self.request, method: "Close", limit: .seconds(1))
            } catch {
                // It was answered at this moment, or the portal is gone: then there is no question to take away.
            }
        }
        return isAnswered ? .none : .late
    }

    // MARK: Using

    /// The camera that the portal hands out; none where it says that there is none, or does not answer.
    func recipes() -> [SourceBranch.Recipe] {
        guard isCameraPresent() else { return [] }
        let problem =
            Element.isAvailable("pipewiresrc")
            ? nil
            : CameraError(
                .missingPlugin,
                "the desktop hands cameras out through PipeWire, and GStreamer has no element for it; install "
                    + "its PipeWire plugin (Debian: gstreamer1.0-pipewire)")
        let device = CaptureDevice(
            id: Self.deviceID, name: "Camera of the desktop", deviceType: .external, provider: "portal",
            problem: problem?.message)
        return [
            SourceBranch.Recipe(device: device, isShareable: false, problem: problem) {
                _ throws(GStreamerError) in try self.makeSource()
            }
        ]
    }

    private func isCameraPresent() -> Bool {
        let isSilent = state.withLock { state in
            state.isMissing || state.isClosed || state.isSilentUntil.map { ContinuousClock.now < $0 } ?? false
        }
        if isSilent { return false }
        guard let bus = connect() else {
            state.withLock { $0.isSilentUntil = .now + Self.patience }
            return false
        }
        defer { bus.close() }
        do throws(MessageBus.Failure) {
            let reply = try bus.call(
                Self.service, path: Self.object, interface: "org.freedesktop.DBus.Properties", method: "Get",
                [.string(Self.camera), .string("IsCameraPresent")], limit: deadlines.glance)
            return reply.values.first == .variant(.bool(true))
        } catch {
            let answer = PortalAnswer(to: error)
            state.withLock { state in
                if answer == .missing { state.isMissing = true }
                if answer == .late { state.isSilentUntil = .now + Self.patience }
            }
            return false
        }
    }

    /// A source for the camera, through a connection to PipeWire that shows cameras and nothing else.
    private func makeSource() throws(GStreamerError) -> Element {
        let source = try Element("pipewiresrc", name: "camera")
        guard let bus = connect() else {
            throw GStreamerError.withheld("The session's bus does not answer", isRefusal: false)
        }
        defer { bus.close() }
        let reply: MessageBus.Reply
        do throws(MessageBus.Failure) {
            reply = try bus.call(
                Self.service, path: Self.object, interface: Self.camera, method: "OpenPipeWireRemote",
                [.dictionary([:])], limit: deadlines.glance)
        } catch {
            throw GStreamerError.withheld(error.description, isRefusal: PortalAnswer(to: error) == .forbidden)
        }
        guard let descriptor = reply.descriptors.first else {
            throw GStreamerError.withheld("The portal handed out no connection", isRefusal: false)
        }
        for further in reply.descriptors.dropFirst() { close(further) }
        keep(descriptor)
        try source.set("fd", .int(Int(descriptor)))
        // As all of PipeWire's: a frame may outlive the stream.
        try source.set("always-copy", .bool(true))
        return source
    }

    /// The element works on a copy of the descriptor, made when it starts. Each connection serves one source.
    private func keep(_ descriptor: Int32?) {
        let old = state.withLock { state in
            defer { state.remote = descriptor }
            return state.remote
        }
        if let old { close(old) }
    }

    /// Gives up what is asked and what is open.
    func close() {
        let question = state.withLock { state in
            state.isClosed = true
            return state.question
        }
        question?.task.cancel()
        keep(nil)
    }

    private func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    /// A connection of its own for each conversation: they are rare, and nothing is left of one that went wrong.
    private func connect(_ handler: @escaping MessageBus.Handler = { _ in false }) -> MessageBus? {
        let address = address
        let made: Result<MessageBus, MessageBus.Failure>? = withDeadline(deadlines.connect) {
            do throws(MessageBus.Failure) {
                return .success(try MessageBus(address: address, handler: handler))
            } catch {
                return .failure(error)
            }
        }
        switch made {
        case .success(let bus)?: return bus
        case .failure?, nil:
            // Without its bus a session has no portal; whoever asks hears that nothing was determined.
            return nil
        }
    }
}

/// What came of asking for access.
enum PortalAnswer: Sendable, Hashable {
    case granted, denied
    /// A policy forbids cameras to everybody.
    case forbidden
    /// The person closed the question, or nobody could ask them.
    case none
    /// Nobody answered in time.
    case late
    /// There is no camera portal.
    case missing

    /// What a request's `Response` signal says.
    init(response: UInt32) {
        switch response {
        case 0: self = .granted
        case 1: self = .denied
        default: self = .none
        }
    }

    /// What a call that failed says.
    init(to failure: MessageBus.Failure) {
        switch failure.kind {
        case .refused("org.freedesktop.portal.Error.NotAllowed"),
            .refused("org.freedesktop.DBus.Error.AccessDenied"):
            self = .forbidden
        case .refused("org.freedesktop.DBus.Error.ServiceUnknown"),
            .refused("org.freedesktop.DBus.Error.NameHasNoOwner"),
            .refused("org.freedesktop.DBus.Error.UnknownMethod"),
            .refused("org.freedesktop.DBus.Error.UnknownInterface"),
            .refused("org.freedesktop.DBus.Error.UnknownObject"),
            .refused("org.freedesktop.DBus.Error.InvalidArgs"):
            self = .missing
        case .timedOut: self = .late
        default: self = .none
        }
    }

    /// What is known from now on; `nil` when it is worth asking again.
    var status: AuthorizationStatus? {
        switch self {
        case .granted: .authorized
        case .denied: .denied
        case .forbidden: .restricted
        case .none, .late, .missing: nil
        }
    }
}

/// A question that is on the screen, as three threads see it: who waits, who hears the answer, and who gives up.
private final class PortalDialog: Sendable {
    private struct State {
        var responses: [String: UInt32] = [:]
        var isGivenUp = false
        var bus: MessageBus?
    }

    private let state = Guarded(State())

    /// Says which connection waits, for who gives up to wake it; `nil` when it waits no more, since it holds the dialog.
    func bind(_ bus: MessageBus?) { state.withLock { $0.bus = bus } }

    /// Notes an answer. Others' messages are passed on.
    func note(_ message: MessageBus.Message) -> Bool {
        guard message.kind == .signal, message.interface == "org.freedesktop.portal.Request",
            message.member == "Response", case .uint(let response)? = message.values.first
        else { return false }
        state.withLock { $0.responses[message.path] = response }
        return true
    }

    func response(_ handle: String) -> UInt32? { state.withLock { $0.responses[handle] } }

    func isOver(_ handle: String) -> Bool {
        state.withLock { $0.isGivenUp || $0.responses[handle] != nil }
    }

    func giveUp() {
        let bus = state.withLock { state in
            state.isGivenUp = true
            return state.bus
        }
        bus?.wake()
    }
}

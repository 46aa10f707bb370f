import CameraCore
import Dispatch
import Glibc
import GStreamer

/// Decides what a signal means at the moment when it comes.
///
/// The signals are blocked in every thread and taken by one that waits for them, so nothing here runs in a
/// signal handler, and no system call of GStreamer or of a plugin is interrupted.
final class SignalRouter: Sendable {
    /// A clean stop may take 2 s; what is not closed by now is left to the system.
    static let patience = timespec(tv_sec: 1, tv_nsec: 800_000_000)

    private struct State {
        /// Interrupts what the user sees running; `nil` outside of a terminal.
        var interrupt: (@Sendable () -> Void)?
        /// Ends the session.
        var stop: (@Sendable () -> Void)?
        var stopSignal: Int32?
        var editor: LineEditor?
    }

    private let state = Guarded(State())

    /// The signal that ended the session.
    var stopSignal: Int32? { state.withLock(\.stopSignal) }

    /// Blocks the signals in the calling thread and all that it starts from now on. Call it before there are any.
    static func block() {
        var signals = set(handled)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // Whoever reads our output may go away; a write then fails, and that is enough.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for signals from now on, on a thread of its own, until the process ends.
    func start() {
        DispatchQueue(label: "camera.signals").async { self.wait() }
    }

    /// Sets what the signals act upon.
    ///
    /// - Parameters:
    ///   - interrupt: For SIGINT at a terminal; `nil` makes SIGINT stop.
    ///   - stop: Ends the session; called once.
    func route(interrupt: (@Sendable () -> Void)?, stop: (@Sendable () -> Void)?) {
        let isLate = state.withLock { state in
            state.interrupt = interrupt
            state.stop = stop
            return state.stopSignal != nil
        }
        if isLate { stop?() }
    }

    /// Tells the terminal of resizes and of being suspended and resumed.
    func attach(_ editor: LineEditor) {
        state.withLock { $0.editor = editor }
    }

    /// From now on SIGINT stops, also at a terminal: the session is closing.
    func beginShutdown() {
        state.withLock { $0.interrupt = nil }
    }

    private static let stopping = [SIGINT, SIGTERM, SIGHUP]

    /// The signals taken here: all but those that were ignored when the process began, as by `nohup` or for a
    /// command in the background of a script. Whoever started it means them to stay so.
    private static let handled = (stopping + [SIGTSTP, SIGWINCH]).filter { !isIgnored($0) }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        // Handlers are functions, which do not compare; the one that ignores is the number 1.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func set(_ numbers: [Int32]) -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        return signals
    }

    private func wait() {
        var signals = Self.set(Self.handled)
        while true {
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0 else { continue }
            switch number {
            case SIGTSTP: suspend()
            case SIGWINCH: state.withLock(\.editor)?.resize()
            default: if take(number) { return finish() }
            }
        }
    }

    /// Stops the process as the shell expects it, with the terminal as it was found.
    private func suspend() {
        let editor = state.withLock(\.editor)
        if editor != nil { LineEditor.restoreTerminal() }
        var suspension = Self.set([SIGTSTP])
        // Raised while it is blocked, it stops the whole process at the moment when it is let through.
        raise(SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &suspension, nil)
        pthread_sigmask(SIG_BLOCK, &suspension, nil)
        editor?.resume()
    }

    private func finish() {
        var signals = Self.set(Self.stopping.filter(Self.handled.contains))
        // A second signal means that the user will not wait; neither will we for ever.
        var patience = Self.patience
        let second = sigtimedwait(&signals, nil, &patience)
        LineEditor.restoreTerminal()
        DurableFile.removeUnfinished()
        _exit(ExitStatus.signal(second > 0 ? second : stopSignal ?? SIGINT))
    }

    /// Acts on a signal; `true` when the session is stopping because of it.
    private func take(_ number: Int32) -> Bool {
        let action: (run: (@Sendable () -> Void)?, stops: Bool) = state.withLock { state in
            if number == SIGINT, let interrupt = state.interrupt { return (interrupt, false) }
            state.stopSignal = number
            return (state.stop, true)
        }
        action.run?()
        return action.stops
    }
}

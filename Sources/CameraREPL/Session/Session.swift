import CameraCore
import Glibc

/// Reads commands from one source after the other, runs them and shows the answers.
actor Session {
    private let console: Console
    private let engine: Engine
    private let sources: [any StatementSource]
    private let router: SignalRouter
    private let editor: LineEditor?
    private let keepsGoing: Bool

    /// - Parameters:
    ///   - sources: Where commands come from.
    ///   - engine: What runs them.
    ///   - console: Where answers go.
    ///   - router: What signals go through.
    ///   - editor: The terminal, in an interactive session: there, errors do not end the session.
    ///   - keepsGoing: Whether the session goes on after a failed command.
    init(
        sources: [any StatementSource],
        engine: Engine,
        console: Console,
        router: SignalRouter,
        editor: LineEditor?,
        keepsGoing: Bool
    ) {
        self.sources = sources
        self.engine = engine
        self.console = console
        self.router = router
        self.editor = editor
        self.keepsGoing = keepsGoing
    }

    /// Runs until the sources end, a command ends the session, or a signal does.
    ///
    /// - Returns: The exit status.
    func run() async -> Int32 {
        let work = Task { await self.work() }
        self.work = work
        route(cancel: nil, stopping: work)
        let status = await work.value
        router.beginShutdown()
        await engine.close()
        router.route(interrupt: nil, stop: nil)
        return router.stopSignal.map(ExitStatus.signal) ?? status
    }

    private var work: Task<Int32, Never>?

    private func work() async -> Int32 {
        var status = ExitStatus.success
        do {
            if engine.hasStartupWishes || editor != nil {
                let isReady = try await prepare()
                if let failure = isReady, editor == nil || engine.hasStartupWishes { return failure }
            }
            // Whoever sits there wants to know of cameras that are plugged in, also with one that needs no list.
            if editor != nil { Task { [engine] in await engine.watchDevices() } }
            for source in sources {
                while let outcome = try await source.next() {
                    let (answer, endsSession) = await answer(to: outcome)
                    try console.show(answer)
                    if case .failure(let error) = answer.result, editor == nil {
                        status = max(status, error.exitStatus)
                        if !keepsGoing { return status }
                    }
                    if endsSession { return status }
                    if Task.isCancelled { return status }
                }
                if Task.isCancelled { return status }
            }
        } catch let closed as Console.Closed {
            return console.giveUp(closed)
        } catch let error as CameraError {
            console.complain(error.message)
            return error.exitStatus
        } catch {
            console.complain("an answer cannot be written as JSON: \(error); please report this")
            return ExitStatus.failed
        }
        return status
    }

    /// Brings up the camera that the command line asks for, before the first command.
    ///
    /// - Returns: The exit status to end with, or `nil` when all is well.
    private func prepare() async throws -> Int32? {
        let result = await interruptible { [engine] () async throws(CameraError) in
            _ = try await engine.camera()
        }
        guard case .failure(let error) = result else { return nil }
        try console.show(Answer(command: "device", result: .failure(error)))
        // Who interrupts it at a terminal has not been told that the wish is in vain, and may type another.
        if editor != nil && error.code == .cancelled { return nil }
        return error.exitStatus
    }

    private func answer(to outcome: StatementParser.Outcome) async -> (Answer, endsSession: Bool) {
        let readAt = ContinuousClock.now
        switch outcome {
        case .malformed(let statement, let error):
            return (answer(to: statement, .failure(error)), false)
        case .statement(let statement):
            let result: Result<Reply, CameraError>
            do throws(CameraError) {
                let invocation = try CommandTable.invocation(of: statement.words, readAt: readAt)
                result = await run(invocation)
            } catch {
                result = .failure(error)
            }
            var endsSession = false
            if case .success(let reply) = result { endsSession = reply.endsSession }
            return (answer(to: statement, result), endsSession)
        }
    }

    private func answer(to statement: Statement, _ result: Result<Reply, CameraError>) -> Answer {
        // What was typed is still on the screen; it needs no address.
        Answer(
            command: statement.words.first?.text ?? "", result: result,
            place: editor == nil ? statement.place : nil)
    }

    private func run(_ invocation: Invocation) async -> Result<Reply, CameraError> {
        let result = await interruptible { [engine] () async throws(CameraError) in
            try await invocation.command.run(invocation, engine)
        }
        console.detail("\(invocation.command.name) took \(invocation.readAt.duration(to: .now))")
        return result
    }

    /// Runs what a signal can cancel: SIGINT at a terminal, or whatever ends the session.
    private func interruptible<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws(CameraError) -> Value
    ) async -> Result<Value, CameraError> {
        let task = Task { () -> Result<Value, CameraError> in
            do throws(CameraError) {
                return .success(try await operation())
            } catch {
                return .failure(error)
            }
        }
        route(cancel: { task.cancel() }, stopping: work)
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        route(cancel: nil, stopping: work)
        return result
    }

    /// At a terminal SIGINT cancels what runs, or else the line that is typed.
    private func route(cancel: (@Sendable () -> Void)?, stopping work: Task<Int32, Never>?) {
        let interrupt = editor.map { editor in cancel ?? { editor.interrupt() } }
        router.route(interrupt: interrupt, stop: { work?.cancel() })
    }
}

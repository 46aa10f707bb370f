import CameraCore

extension Command {
    static let status = Command(
        "status",
        summary: "show everything at a glance",
        help: "Answers from a snapshot, so also while the camera is busy."
    ) { _, engine async throws(CameraError) -> Reply in
        try await engine.camera().status.reply
    }

    static let outputs = Command(
        "outputs",
        summary: "list the extra outputs",
        help:
            "Each file in the outputs folder of the pipelines folder is an output that 'output add' hangs on."
    ) { _, engine async throws(CameraError) -> Reply in
        try await engine.outputsReply()
    }

    static let output = Command(
        "output",
        summary: "add or remove an extra output",
        help:
            """
            An output that fails is cut off and says why; preview and photos go on. One that fails or ends stays in \
            the list of 'outputs' until it is removed or added again, and the reply says what it left.
            """,
        forms: [
            [.keyword("add"), .argument("NAME", .availableOutput)],
            [.keyword("remove"), .argument("NAME", .attachedOutput)],
        ]
    ) { invocation, engine async throws(CameraError) -> Reply in
        guard case .text(let name) = invocation.arguments["NAME"] else { throw .missingArgument("NAME") }
        if invocation.arguments.has("add") {
            let folder = engine.settings.photoFolder
            let removed = try await engine.perform { camera async throws(CameraError) -> OutputStatus? in
                // Outputs that write files write them where photos go; others need no folder.
                if await camera.writesToOutputDirectory(name) { _ = try folder.made() }
                // `addOutput` would remove it too, and not tell what is left of it.
                let old = await camera.outputs().first { $0.name == name }
                let removed = old?.isOver == true ? try await camera.removeOutput(name) : nil
                do throws(CameraError) {
                    try await camera.addOutput(name)
                } catch {
                    throw error.telling(of: removed)
                }
                return removed
            }
            return try await engine.outputsReply(removed: removed)
        }
        let removed = try await engine.perform { camera async throws(CameraError) in
            try await camera.removeOutput(name)
        }
        return try await engine.outputsReply(removed: removed)
    }

    static let graph = Command(
        "graph",
        summary: "print the live graph as DOT",
        help: "For example: camera -c 'start; graph' | dot -Tsvg > graph.svg"
    ) { _, engine async throws(CameraError) -> Reply in
        var dot = try await engine.perform { camera async throws(CameraError) in await camera.graph() }
        let data: JSONValue = ["dot": .string(dot)]
        while dot.hasSuffix("\n") { dot.removeLast() }
        return Reply(data: data, text: dot)
    }

    static let wait = Command(
        "wait",
        summary: "wait for frames, for a time or for photos",
        help: """
            'wait frames N' waits until N frames have come, 'wait seconds S' for a time, 'wait photo' until no \
            photo is being taken or written any more.
            """,
        forms: [
            [.keyword("frames"), .argument("N", .count)],
            [.keyword("seconds"), .argument("S", .seconds)],
            [.keyword("photo")],
        ]
    ) { invocation, engine async throws(CameraError) -> Reply in
        if case .integer(let count) = invocation.arguments["N"] {
            let camera = try await engine.camera()
            for _ in 0..<count { _ = try await engine.frames.next(from: camera) }
        } else if case .seconds(let seconds) = invocation.arguments["S"] {
            do {
                try await Task.sleep(for: .seconds(seconds))
            } catch {
                throw .interrupted
            }
        } else {
            try await engine.waitForPhotos()
        }
        let waited = invocation.readAt.duration(to: .now) / .seconds(1)
        return Reply(data: ["waited_s": .number((waited * 1000).rounded() / 1000)], text: "")
    }

    static let help = Command(
        "help",
        summary: "explain the commands or one of them",
        help:
            "Words are separated by blanks; '…' and \"…\" quote, \\ takes the meaning from the next character, "
            + "# starts a comment, and ; separates commands. Numbers are written with a point.",
        forms: [[.optional([.argument("COMMAND", .command)])]]
    ) { invocation, _ async throws(CameraError) -> Reply in
        guard case .text(let name) = invocation.arguments["COMMAND"] else { return HelpText.all }
        return try CommandTable.named(name).helpReply
    }

    static let quit = Command(
        "quit",
        summary: "end the session",
        help: "Work that is under way is finished first. The end of the input does the same."
    ) { _, engine async throws(CameraError) -> Reply in
        try await engine.waitForPhotos()
        return Reply(data: [:], text: "", endsSession: true)
    }
}

extension Engine {
    fileprivate func outputsReply(removed: OutputStatus? = nil) async throws(CameraError) -> Reply {
        try await perform { camera async throws(CameraError) in
            var reply = await camera.outputs().reply(removed: removed)
            reply.notices += await camera.outputNotices()
            return reply
        }
    }
}

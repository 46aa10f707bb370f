import CameraCore

extension Command {
    static let devices = Command(
        "devices",
        summary: "list the cameras",
        help: """
            Lists real cameras, the cameras that the pipelines folder describes (file:NAME) and the built-in \
            test pictures test:bars and test:ball. A * marks the one that is taken when none is chosen. Cameras \
            that see infrared or grey only are marked; they are taken only when chosen, or when there is no other.
            """
    ) { _, engine async throws(CameraError) -> Reply in
        let controller = try await engine.controllerWithoutDevice()
        return try await abandonable { () async throws(CameraError) -> Reply in
            let devices = try await controller.devices()
            // There may be nothing to take by default; the list is then still a list.
            let standard = devices.isEmpty ? nil : try await controller.defaultDevice().id
            var reply = Reply.list(
                devices, empty: "no cameras", json: { $0.json(isDefault: $0.id == standard) }
            ) { device, table in
                table.add(
                    device.id == standard ? "*" : "", device.id, device.position.rawValue, device.provider,
                    device.summary, device.name)
                if let problem = device.problem { table.note(problem) }
            }
            reply.notices = await controller.deviceNotices()
            return reply
        }
    }

    static let device = Command(
        "device",
        summary: "show or switch the camera",
        help: """
            ID is a camera's id, name, node (/dev/video0) or position (front, back). Zoom returns to 1. A \
            preset that the new camera lacks becomes the nearest one that it has, and the reply says so. A real \
            camera that is chosen and gives pictures is the one that later sessions begin with.
            """,
        forms: [[.optional([.argument("ID", .device)])]]
    ) { invocation, engine async throws(CameraError) -> Reply in
        guard case .text(let wanted) = invocation.arguments["ID"] else {
            let device = try await engine.current().device
            return try await engine.reply(showing: device)
        }
        let applied = try await engine.perform { camera async throws(CameraError) in
            try await camera.selectDevice(try await camera.device(matching: wanted).id)
        }
        await engine.chose(applied.device)
        return try await engine.reply(showing: applied.device, notices: applied.notices)
    }

    static let presets = Command(
        "presets",
        summary: "list the presets and whether this camera can do them",
        help: """
            A preset with a size in its name is exactly that size. photo is the largest size, high the largest \
            up to 1920x1080 that reaches 24 fps, medium the nearest to 480x360, low the nearest to 192x144; \
            inputPriority follows 'format'.
            """
    ) { _, engine async throws(CameraError) -> Reply in
        let presets = try await engine.perform { camera async throws(CameraError) in
            try await camera.presets()
        }
        return Reply.list(presets, json: \.json) { preset, table in
            table.add(
                preset.preset.rawValue, preset.dimensions.map(\.description) ?? "",
                preset.isSupported ? "supported" : "not supported")
        }
    }

    static let preset = Command(
        "preset",
        summary: "show or set the preset",
        help: """
            The reply tells the format as it was negotiated. A preset that the camera lacks is an error that \
            lists the sizes it has, and what ran goes on. 'presets' lists the names.
            """,
        forms: [[.optional([.argument("NAME", .preset)])]]
    ) { invocation, engine async throws(CameraError) -> Reply in
        guard case .preset(let preset) = invocation.arguments["NAME"] else {
            return try await engine.current().formatReply
        }
        return try await engine.perform { camera async throws(CameraError) in
            try await camera.setPreset(preset)
        }.formatReply
    }

    static let format = Command(
        "format",
        summary: "set an explicit size, rate and pixel format",
        help: """
            For example: format 1280x720@29.97 YUY2. The preset becomes inputPriority. Without FPS the rate is \
            30 per second or the nearest there is; without FORMAT the pixel format is the one that costs least.
            """,
        forms: [[.argument("WxH[@FPS]", .size), .optional([.argument("FORMAT", .pixelFormat)])]]
    ) { invocation, engine async throws(CameraError) -> Reply in
        guard case .size(var request) = invocation.arguments["WxH[@FPS]"] else {
            throw .missingArgument("WxH[@FPS]")
        }
        if case .text(let name) = invocation.arguments["FORMAT"] {
            let device = try await engine.current().device
            request.pixelFormat = PixelFormat(named: name, offeredBy: device)
        }
        let wanted = request
        return try await engine.perform { camera async throws(CameraError) in
            try await camera.setFormat(wanted)
        }.formatReply
    }

    static let zoom = Command(
        "zoom",
        summary: "show or set the zoom",
        help: """
            FACTOR is absolute, from 1 to at most 10, and an error when it is out of range. +N and -N go from \
            where the zoom stands and stop at the ends of the range. X,Y is the point to zoom in on: 0,0 is \
            the top left corner, 1,1 the bottom right one, 0.5,0.5 the middle. Without it the point stays.
            """,
        forms: [
            [
                .optional([.argument("FACTOR|+N|-N", .zoom)]),
                .optional([.keyword("at"), .argument("X,Y", .point)]),
            ]
        ]
    ) { invocation, engine async throws(CameraError) -> Reply in
        let step = invocation.arguments["FACTOR|+N|-N"]
        var center: NormalizedPoint?
        if case .point(let point) = invocation.arguments["X,Y"] { center = point }
        guard step != nil || center != nil else { return try await engine.current().zoomReply }
        return try await engine.zoom(step, at: center)
    }
}

extension Engine {
    fileprivate func reply(showing device: CaptureDevice, notices: [String] = []) async throws(CameraError)
        -> Reply
    {
        let standard = try await perform { camera async throws(CameraError) in
            try await camera.defaultDevice().id
        }
        return Reply(data: device.json(isDefault: device.id == standard), text: device.text, notices: notices)
    }

    fileprivate func zoom(_ step: ArgumentValue?, at center: NormalizedPoint?) async throws(CameraError)
        -> Reply
    {
        let now = try await current()
        var factor = now.zoom
        var notice: String?
        if case .zoom(.to(let wanted)) = step { factor = wanted }
        if case .zoom(.by(let amount)) = step {
            let moved = try now.zoomRange.moved(from: factor, by: amount)
            factor = moved.factor
            if moved.isClamped { notice = "clamped: the zoom ends at \(factor.plainText(places: 6))" }
        }
        let wanted = factor
        var reply = try await perform { camera async throws(CameraError) in
            try await camera.setZoom(wanted, center: center)
        }.zoomReply
        if let notice { reply.notices.append(notice) }
        return reply
    }
}

extension PixelFormat {
    /// The format that a person means: names of the camera's formats in any case, and the other names of MJPG.
    init(named name: String, offeredBy device: CaptureDevice) {
        let wanted = name.uppercased()
        if ["MJPEG", "JPEG"].contains(wanted) {
            self = .mjpeg
        } else {
            self =
                device.formats.map(\.pixelFormat).first { $0.rawValue.uppercased() == wanted }
                ?? PixelFormat(rawValue: name)
        }
    }
}

extension CameraError {
    /// The matcher binds what a form demands, so this means that table and command disagree.
    static func missingArgument(_ name: String) -> CameraError {
        CameraError(.internal, "the argument \(name) was not bound; please report this")
    }
}

import GStreamer

/// The machine's cameras, whoever finds them: each is listed once, under an id that is its own. It watches from the
/// first question on.
final class HardwareCameras: Sendable {
    private struct State {
        var isStarted = false
        var isClosed = false
        /// What was looked at, by the device's key; `nil` for what is no camera.
        var sightings: [String: Sighting?] = [:]
        /// Sightings of cameras that V4L2 has taken off its list.
        var stale: Set<String> = []
        var ids = CameraIDs()
        var listed: [SourceBranch.Recipe] = []
        var events: [(device: CaptureDevice, isAdded: Bool)] = []
        var isTelling = false
    }

    private let finder: any DeviceFinder
    private let nodes: VideoNodes
    /// Who hands out cameras in a sandbox; `nil` where there is none.
    let portal: CameraPortal?
    private let state = Guarded(State())
    /// Held while it starts: whoever asks meanwhile waits for the same list.
    private let hasStarted = Guarded(false)
    private let onChange: @Sendable (CaptureDevice, Bool) -> Void

    /// - Parameters:
    ///   - finder: what finds them.
    ///   - nodes: where the kernel tells of their nodes.
    ///   - portal: who hands out cameras that nobody finds.
    ///   - onChange: told of each camera that comes (`true`) or goes, in order, on a thread of GStreamer's.
    init(
        finder: any DeviceFinder = MonitorFinder(), nodes: VideoNodes = VideoNodes(),
        portal: CameraPortal? = .of(),
        onChange: @escaping @Sendable (CaptureDevice, Bool) -> Void
    ) {
        self.finder = finder
        self.nodes = nodes
        self.portal = portal
        self.onChange = onChange
    }

    /// The cameras that are there now. The first call **blocks** while each camera is asked once what it can do.
    func recipes() throws(CameraError) -> [SourceBranch.Recipe] {
        hasStarted.withLock { hasStarted in
            if !hasStarted { start() }
            hasStarted = true
        }
        if state.withLock({ $0.isClosed }) { return [] }
        let found = update(listsUnreadable: true)
        // In a sandbox without devices the desktop is the only one who can see them.
        return found.isEmpty ? portal?.recipes() ?? [] : found
    }

    /// Whether this program may use a camera, as far as that is known without opening it.
    func authorizationStatus(for device: CaptureDevice) -> AuthorizationStatus {
        switch device.provider {
        case "v4l2": device.node.map(nodes.isPermitted) ?? true ? .authorized : .denied
        // What PipeWire hands out inside a sandbox is the portal's to allow.
        case "pipewire", "libcamera", "portal": portal?.status ?? .authorized
        default: .authorized
        }
    }

    private func start() {
        do throws(GStreamerError) {
            try finder.start { [weak self] in self?.changed() }
        } catch {
            // Without a plugin that finds cameras there are none; the built-in ones remain.
        }
        _ = update()
        let isClosed = state.withLock { state in
            state.isStarted = !state.isClosed
            return state.isClosed
        }
        if isClosed { finder.stop() }
    }

    private func changed() {
        // While it starts, the monitor reports what was there before.
        if state.withLock({ $0.isStarted }) { _ = update() }
    }

    /// Stops watching.
    func close() {
        state.withLock { state in
            state.isStarted = false
            state.isClosed = true
        }
        portal?.close()
        finder.stop()
        state.withLock { state in
            state.sightings = [:]
            state.listed = []
        }
    }

    /// Looks who is there, and tells what has changed since.
    private func update(listsUnreadable: Bool = false) -> [SourceBranch.Recipe] {
        let recipes = state.withLock { state in
            let present = finder.devices
            look(at: present, &state)
            let cameras = Sighting.cameras(
                of: present.compactMap { state.sightings[$0.key] ?? nil }.filter {
                    !state.stale.contains($0.found.key)
                })
            let known = Set(cameras.compactMap(\.found.nodePath))
            let unreadable = listsUnreadable ? nodes.unreadable(besides: known) : []
            let ids = state.ids.assign(
                cameras.map(\.identity) + unreadable.map { $0.identity(busInfo: "") })
            let listed = zip(cameras, ids).map { Self.recipe($0, id: $1) }
            let (before, after) = (state.listed.map(\.device), listed.map(\.device))
            state.listed = listed
            if state.isStarted {
                state.events += before.lacking(in: after).map { ($0, false) }
                state.events += after.lacking(in: before).map { ($0, true) }
            }
            return listed + zip(unreadable, ids.dropFirst(cameras.count)).map { Self.refused($0, id: $1) }
        }
        tell()
        return recipes
    }

    private func look(at present: [FoundDevice], _ state: inout State) {
        let keys = Set(present.map(\.key))
        let gone = state.sightings.values.compactMap(\.self).filter { !keys.contains($0.found.key) }
        state.sightings = state.sightings.filter { keys.contains($0.key) }
        for found in present where state.sightings[found.key] == nil {
            state.sightings[found.key] = .some(Sighting(found, in: nodes))
        }
        // When the kernel has taken the node away, the camera is gone, however long another provider clings to it.
        let withdrawn = gone.filter { $0.found.provider == .v4l2 }
        let clinging = state.sightings.values.compactMap(\.self).filter { sighting in
            sighting.found.provider != .v4l2 && withdrawn.contains { $0.isSameCamera(as: sighting) }
        }
        state.stale.formUnion(clinging.map(\.found.key))
        state.stale.formIntersection(keys)
    }

    /// Tells of changes in their order, without holding anything: who is told may ask for the list.
    private func tell() {
        while true {
            let event: (device: CaptureDevice, isAdded: Bool)? = state.withLock { state in
                guard !state.isTelling, !state.events.isEmpty else { return nil }
                state.isTelling = true
                return state.events.removeFirst()
            }
            guard let event else { return }
            onChange(event.device, event.isAdded)
            state.withLock { $0.isTelling = false }
        }
    }

    private static func recipe(_ sighting: Sighting, id: CaptureDevice.ID) -> SourceBranch.Recipe {
        let found = sighting.found
        return SourceBranch.Recipe(device: sighting.device(id: id), isShareable: false) {
            format throws(GStreamerError) in try found.makeElement(format)
        }
    }

    /// A camera that is there and may not be opened.
    private static func refused(_ node: V4L2Node, id: CaptureDevice.ID) -> SourceBranch.Recipe {
        let name = node.name ?? node.path
        let type = node.deviceType(busInfo: "")
        func device(_ problem: String?) -> CaptureDevice {
            CaptureDevice(
                id: id, name: name, position: .init(name: name, type), deviceType: type, provider: "v4l2",
                node: node.path, problem: problem)
        }
        let error = CameraError.permissionDenied(device(nil))
        return SourceBranch.Recipe(device: device(error.message), isShareable: false, problem: error) {
            _ throws(GStreamerError) in throw GStreamerError.unusable(error.message)
        }
    }
}

extension [CaptureDevice] {
    /// Those whose ids another list does not have.
    fileprivate func lacking(in other: [CaptureDevice]) -> [CaptureDevice] {
        let ids = Set(other.map(\.id))
        return filter { !ids.contains($0.id) }
    }
}

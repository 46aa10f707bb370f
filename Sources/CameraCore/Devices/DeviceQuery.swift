/// Finds cameras in a list of them. Pure: discovering what is in the list is somebody else's work.
enum DeviceQuery {
    /// The id of the camera that stands in when there is no real one.
    static let fallbackID: CaptureDevice.ID = "test:bars"

    /// The cameras of some types and a position, the best type first; within a type, in the order of the list.
    ///
    /// - Parameters:
    ///   - types: The types that will do, in the caller's order of preference, or `nil` for all of them in the
    ///     order of ``CaptureDevice/DeviceType/allCases``.
    ///   - position: The position, or `nil` for any.
    ///   - devices: The cameras there are.
    static func devices(
        types: [CaptureDevice.DeviceType]? = nil,
        position: CaptureDevice.Position? = nil,
        in devices: [CaptureDevice]
    ) -> [CaptureDevice] {
        (types ?? CaptureDevice.DeviceType.allCases).withoutRepeats.flatMap { type in
            devices.filter { $0.deviceType == type && (position == nil || $0.position == position) }
        }
    }

    /// The camera that a text means: by id, also a former one, by name (exactly, then whatever the case), by node, and
    /// last by position, where the best camera on that side is taken, and one without a problem and in colour goes
    /// first.
    ///
    /// - Throws: ``CameraError/Code/deviceNotFound`` when no camera matches, or a name matches several.
    static func device(matching text: String, in devices: [CaptureDevice]) throws(CameraError)
        -> CaptureDevice
    {
        let folded = text.lowercased()
        let meanings: [(CaptureDevice) -> Bool] = [
            { $0.id == text },
            { $0.aliases.contains(text) },
            { $0.name == text },
            { $0.name.lowercased() == folded },
            { $0.node == text },
        ]
        for isMeant in meanings {
            let matching = devices.filter(isMeant)
            if matching.count > 1 { throw ambiguous(text, matching) }
            if let device = matching.first { return device }
        }
        if let position = CaptureDevice.Position(rawValue: folded), position != .unspecified {
            let candidates = Self.devices(position: position, in: devices)
            if let device = best(of: candidates.filter { $0.problem == nil }) ?? candidates.first {
                return device
            }
        }
        throw notFound(text, devices)
    }

    /// The camera to use when none was named: the best real one that can be used, else ``fallbackID``.
    ///
    /// - Parameters:
    ///   - devices: The cameras there are.
    ///   - preferred: The id of the real one that goes before all others, where it is there and can be used.
    /// - Throws: ``CameraError/Code/noDevice`` when the list has neither.
    static func defaultDevice(
        in devices: [CaptureDevice], preferring preferred: CaptureDevice.ID? = nil
    ) throws(CameraError) -> CaptureDevice {
        let real = Self.devices(in: devices).filter { $0.deviceType.isReal && $0.problem == nil }
        if let device = real.first(where: { $0.id == preferred }) { return device }
        let former = real.filter { device in preferred.map(device.aliases.contains) ?? false }
        if former.count == 1 { return former[0] }
        if let device = best(of: real) ?? devices.first(where: { $0.id == fallbackID }) { return device }
        throw CameraError(
            .noDevice,
            "there is no usable camera; plug one in, or describe one in the folder pipelines/sources")
    }

    /// The first, but one that sees heat or grey only after all that see colours.
    private static func best(of devices: [CaptureDevice]) -> CaptureDevice? {
        devices.first { $0.spectrum == .color } ?? devices.first { $0.spectrum == .gray } ?? devices.first
    }

    private static func ambiguous(_ text: String, _ matching: [CaptureDevice]) -> CameraError {
        let ids = matching.map(\.id).joined(separator: ", ")
        return CameraError(
            .deviceNotFound, "'\(text)' names \(matching.count) cameras; choose one by its id: \(ids)")
    }

    private static func notFound(_ text: String, _ devices: [CaptureDevice]) -> CameraError {
        guard !devices.isEmpty else {
            return CameraError(
                .deviceNotFound, "there is no camera '\(text)', and no other either; plug one in")
        }
        let sorted = Self.devices(in: devices)
        let cameras = sorted.map { device in
            // What follows the provider is what people remember of an id.
            let short = device.id.split(separator: ":", maxSplits: 1).dropFirst().map(String.init)
            return NearNames.Choice(
                device.id, aliases: short + [device.name] + [device.node].compactMap(\.self))
        }
        let positions = sorted.map(\.position).filter { $0 != .unspecified }.withoutRepeats
        let choices = cameras + positions.map { NearNames.Choice($0.rawValue) }
        let question = NearNames.question(text, in: choices)
        return CameraError(.deviceNotFound, "there is no camera '\(text)'; \(question)'devices' lists them")
    }
}

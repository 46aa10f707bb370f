import GStreamer

/// What looks at a source's frames where they leave their elements.
extension Pad {
    /// Of raw frames, on their way out of a source's branch: they take the shortcut when they can, and queries are
    /// answered here.
    ///
    /// - Parameter onFrame: called for each frame before it goes on.
    func watchRaw(
        of number: Int, _ shortcut: Shortcut, _ intake: Intake,
        onFrame: @escaping @Sendable () -> Void = {}
    ) {
        // What the graph behind shows at this moment must not decide what a new format may be.
        let formats = PixelFormat.croppable.map { Value.string($0.rawValue) }
        let acceptable = Caps(Caps.Structure("video/x-raw", ["format": .list(formats)]))
        addProbe([.buffer, .eventDownstream, .queryDownstream]) { info in
            switch info.item {
            case .buffer where info.isMarkedDamaged:
                intake.noteDamaged()
                return .drop
            case .buffer:
                onFrame()
                return shortcut.take(info, of: number)
            case .event:
                shortcut.hold(for: number)
                return .pass
            case .bufferList, .query, .other: return info.answerQuery(acceptable)
            }
        }
    }

    /// Of JPEG frames, on their way into a queue with a gate behind it: only whole ones come in.
    func watchCompressed(of number: Int, _ gate: DecodeGate, _ intake: Intake) {
        let acceptable = Caps(Caps.Structure("image/jpeg"))
        let filter = Guarded(DamageFilter())
        addProbe([.buffer, .eventDownstream, .queryDownstream]) { info in
            switch info.item {
            case .buffer:
                let verdict = info.isMarkedDamaged ? nil : info.withBytes(JPEGFrame.verdict)
                guard filter.withLock({ $0.accepts(verdict ?? .broken) }) else {
                    intake.noteDamaged()
                    return .drop
                }
                gate.arrive(info.bufferID)
                intake.arrive(info.timestamp, from: number)
                return .pass
            case .event(let type):
                gate.arrive(event: type)
                return .pass
            case .bufferList, .query, .other: return info.answerQuery(acceptable)
            }
        }
    }
}

extension ProbeInfo {
    /// A queue that is full or held does not answer a serialized query, and the source waits for ever. All that follows
    /// reads strides from GstVideoMeta, so the answer is known here.
    fileprivate func answerQuery(_ acceptable: Caps) -> ProbeResult {
        if answerCaps(acceptable) { return .handled }
        guard isSerializedQuery else { return .pass }
        acceptVideoMeta()
        return .handled
    }
}

import FoundationEssentials
import GStreamer

extension CameraController {
    /// Starts the camera and makes ready what photos need, so that the first takes no longer than any other; as
    /// AVFoundation's `setPreparedPhotoSettingsArray`. Taking a photo does it too.
    ///
    /// - Throws: as ``start()``.
    public func preparePhotos() async throws(CameraError) {
        try checkOpen()
        try await start { camera throws(CameraError) in
            _ = try camera.stillReader()
            camera.encoder.prepare()
        }
    }

    /// Takes a photo of what the tee saw last: of the video frame, so silently and at the size of the preset.
    ///
    /// The file appears under its name whole and durable, or not at all. The events `.photo` tell of the steps. The
    /// first photo starts the camera if need be.
    /// - Parameters:
    ///   - url: the file, in a folder that exists. It becomes a JPEG, whatever its name ends in.
    ///   - settings: quality, overwriting, and which frame.
    /// - Throws: ``CameraError``: as ``start()``, and `photo-in-progress`, `file-exists`, `directory-unwritable`,
    ///   `disk-full`, `write-failed`, `device-lost`, `device-stalled`, `cancelled`, `usage` for a wrong quality or a folder's
    ///   path.
    public func capturePhoto(
        to url: URL, settings: PhotoSettings = PhotoSettings()
    ) async throws(CameraError) -> CapturedPhoto {
        let began = ContinuousClock.now
        try checkOpen()
        try settings.validate()
        guard !isTakingPhoto else {
            throw CameraError(.photoInProgress, "a photo is being taken; wait for it and try again")
        }
        let file = try DurableFile(url, overwrites: settings.overwrites)
        isTakingPhoto = true
        defer { isTakingPhoto = false }
        let reader: FrameReader
        do throws(CameraError) {
            try await preparePhotos()
            reader = try stillReader()
        } catch {
            file.discard()
            throw error
        }
        // A file takes its time to open; meanwhile the frame is looked for.
        encoder.open(file, quality: settings.quality)
        hub.send(.photo(.started(url)))
        do throws(CameraError) {
            let photo = try await take(file, settings, reader, began)
            encoder.finish()
            board.update { $0.photos += 1 }
            hub.send(.photo(.saved(photo)))
            return photo
        } catch {
            await encoder.abandon(file)
            hub.send(.photo(.failed(url, error)))
            throw error
        }
    }

    private func take(
        _ file: DurableFile, _ settings: PhotoSettings, _ reader: FrameReader,
        _ began: ContinuousClock.Instant
    ) async throws(CameraError) -> CapturedPhoto {
        let (sample, info) = try await newestFrame(reader, settings)
        let date = capture.date(at: sample.runningTime ?? capture.pipeline.runningTime)
        let time = sample.runningTime?.seconds ?? 0
        hub.send(.photo(.captured(file.destination, presentationTime: time)))
        let device = capture.source?.device.id ?? configuration.device ?? ""
        let bytes = try await encoder.write(sample, takenAt: date, to: file)
        return CapturedPhoto(
            url: file.destination, width: info.width, height: info.height, bytes: bytes,
            presentationTime: time,
            latency: ContinuousClock.now - began, device: device)
    }

    /// The branch that holds the newest frame for photos, made at the first one.
    ///
    /// It costs a reference a frame and holds one buffer of the source; nothing is converted before a photo is taken.
    private func stillReader() throws(CameraError) -> FrameReader {
        if let still { return still.reader }
        let reader = FrameReader(mark: capture.mark, demand: capture.demand)
        do throws(GStreamerError) {
            let name = capture.branchName("still")
            let sink = try AppSink(name: name)
            sink.setHandler { reader.put($0) }
            let branch = try Branch(name: name, elements: [sink], isQueued: false)
            try capture.attach(branch) { _ in
                // Whoever waits for a photo is told by the wait's own limit.
            }
            still = (branch, reader)
        } catch {
            throw .internal(error)
        }
        return reader
    }

    private func newestFrame(
        _ reader: FrameReader, _ settings: PhotoSettings
    ) async throws(CameraError) -> (Sample, VideoInfo) {
        let mailbox = reader.mailbox
        let asked = capture.pipeline.runningTime
        let limit = capture.frameLimit
        let deadline = ContinuousClock.now + limit
        interruption = nil
        while true {
            var entry = mailbox.take()
            if entry == nil {
                // A stop that came while a frame was on its way to here found nobody who waits.
                guard status.state == .running else { throw noFrame(limit) }
                // The one thing that ends a wait for a camera that runs and delivers nothing.
                let alarm = Task {
                    try await Task.sleep(until: deadline, clock: .continuous)
                    mailbox.interrupt()
                }
                entry = await mailbox.next()
                alarm.cancel()
            }
            guard let entry else { throw noFrame(limit) }
            let time = entry.sample.runningTime
            if let time {
                guard capture.mark.precedes(time) else { continue }
                if settings.timing == .next, time <= asked { continue }
            }
            guard let caps = entry.sample.caps, let info = VideoInfo(caps) else {
                throw CameraError(.formatUnsupported, "the camera's frames are not raw video")
            }
            if settings.waitsForExposure, let time, try await !hasSettled(entry.sample, info, time.seconds) {
                continue
            }
            return (entry.sample, info)
        }
    }

    /// Whether a frame is from after the time in which the camera finds its exposure.
    ///
    /// Looks at frames only then, and only when a photo is wanted.
    private func hasSettled(
        _ sample: Sample, _ info: VideoInfo, _ time: Double
    ) async throws(CameraError) -> Bool {
        guard let source = capture.source, source.recipe.adaptsExposure,
            let first = capture.intake.counts.first?.seconds
        else { return true }
        if exposure?.start != first { exposure = (ExposureSettling(start: first), first, false) }
        guard let known = exposure, !known.isSettled, !known.settling.isOver(at: time) else { return true }
        let frame = VideoFrame(sample, info: info, sequence: 0, presentationTime: time)
        let brightness = try await Task.detached { () -> Result<Double, CameraError> in
            do throws(CameraError) { return .success(try frame.brightness()) } catch {
                return .failure(error)
            }
        }.value.get()
        guard exposure?.start == first else { return true }
        let isSettled = exposure?.settling.settles(at: brightness, time: time) ?? true
        exposure?.isSettled = isSettled
        return isSettled
    }

    /// Why a wait for a frame ended without one.
    private func noFrame(_ limit: Duration) -> CameraError {
        if Task.isCancelled { return CameraError(.cancelled, "the photo was cancelled; no file was left") }
        if let interruption { return interruption }
        guard status.state == .running else {
            return CameraError(
                .notRunning, "the camera was stopped before the photo was taken; 'start' starts it")
        }
        return .noFrame(from: status.device?.label ?? "the camera", after: limit)
    }
}

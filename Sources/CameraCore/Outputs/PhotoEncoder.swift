import Dispatch
import FoundationEssentials
import GStreamer
import Glibc

/// Turns a frame into a JPEG file, in a pipeline of its own that is kept warm.
///
///     [frame] ─ videoconvert ─ BGRx ─ videoconvert ─ I420 ─ jpegenc ─ EXIF ─ filesink
///
/// The frame is pushed in by the encoder's own thread, and the push returns when the file is written or has failed.
/// Nothing of this hangs on the camera's tee, so a full disk or a slow one cannot reach the preview.
final class PhotoEncoder: Sendable {
    private let queue = DispatchQueue(label: "camera.photo", qos: .userInitiated)
    private let chain = Guarded<PhotoChain?>(nil)
    /// What has the photo's file open.
    private let opened = Guarded<Result<PhotoChain, GStreamerError>?>(nil)
    private let isClosed = Guarded(false)

    /// Has the pipeline made for a photo that comes soon; returns at once.
    func prepare() {
        queue.async {
            guard !self.isClosed.withLock({ $0 }) else { return }
            // The photo tries again, and tells what failed.
            do throws(GStreamerError) { _ = try self.warmChain() } catch _ {}
        }
    }

    /// Opens the file of a photo whose frame is about to come; returns at once.
    ///
    /// ``write(_:takenAt:to:)`` or ``abandon(_:)`` must follow.
    func open(_ file: DurableFile, quality: Int) {
        queue.async {
            // Of a photo before that nobody has finished.
            self.closeFile()
            let opening: Result<PhotoChain, GStreamerError>
            do throws(GStreamerError) {
                let chain = try self.warmChain()
                try chain.open(file.temporary, quality: quality)
                opening = .success(chain)
            } catch {
                opening = .failure(error)
            }
            self.opened.withLock { $0 = opening }
        }
    }

    /// Encodes and writes; returns when the file, which was opened, is durable under its name.
    ///
    /// - Parameter date: when the frame was captured.
    func write(_ frame: Sample, takenAt date: Date, to file: DurableFile) async throws(CameraError) -> Int {
        let result: Result<Int, CameraError> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(CameraError) {
                    try self.encode(frame, Self.tags(date), to: file)
                    continuation.resume(returning: .success(try file.commit()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Closes the file, which is written, and makes ready for the next; returns at once. Whoever waits for the photo need
    /// not wait for that.
    func finish() { queue.async { self.closeFile() } }

    /// Leaves nothing of a file that was opened and did not become a photo.
    func abandon(_ file: DurableFile) async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.closeFile()
                file.discard()
                continuation.resume()
            }
        }
    }

    /// Stops the pipeline, after a photo that is being written.
    ///
    /// Waits at most `deadline` for one whose disk does not answer.
    func close(deadline: Duration = .seconds(5)) {
        isClosed.withLock { $0 = true }
        _ = withDeadline(deadline) { self.queue.sync { self.closeChain() } }
    }

    /// What is told of a photo. The picture is upright as it is, whatever the camera's position.
    private static func tags(_ date: Date) -> [Tag] {
        [
            .dateTime(microseconds: Int64(date.timeIntervalSince1970 * 1e6)),
            .imageOrientation("rotate-0"),
            .applicationName("camera \(Release.version)"),
        ]
    }

    private func encode(
        _ frame: Sample, _ tags: [Tag], to file: DurableFile
    ) throws(CameraError) {
        guard !isClosed.withLock({ $0 }), let opened = opened.withLock({ $0 }) else {
            file.discard()
            throw CameraError(.notRunning, "the camera was closed before the photo was taken")
        }
        do throws(GStreamerError) {
            try opened.get().encode(frame, tags)
        } catch {
            // Elements that failed keep their error; the next photo gets new ones.
            closeChain()
            file.discard()
            throw Self.error(error, file)
        }
        try check(file)
    }

    private func closeFile() {
        guard
            let opening = opened.withLock({ opened in
                defer { opened = nil }
                return opened
            })
        else { return }
        do throws(GStreamerError) { try opening.get().finish() } catch _ {
            // The photo was told of it already, or is written; the next one gets new elements.
            closeChain()
        }
    }

    private func warmChain() throws(GStreamerError) -> PhotoChain {
        if let warm = chain.withLock({ $0 }) { return warm }
        let made = try PhotoChain()
        chain.withLock { $0 = made }
        return made
    }

    private func closeChain() {
        opened.withLock { $0 = nil }
        chain.withLock { chain in
            chain?.close()
            chain = nil
        }
    }

    private static func error(_ error: GStreamerError, _ file: DurableFile) -> CameraError {
        let underlying = CameraError.Underlying(error)
        let path = file.path
        let reason = file.spoken(error.message.sentenceBody)
        switch error.kind {
        case .noSpaceLeft:
            return CameraError(
                .diskFull, "no room for \(path); make room or choose another folder", underlying: underlying)
        case .openWrite, .notFound, .notAuthorized:
            return CameraError(
                .directoryUnwritable,
                "nothing can be written in \(file.folder): \(reason); "
                    + "choose another folder", underlying: underlying)
        case .missingElement: return CameraError(error, in: "photos", otherwise: .missingPlugin)
        default:
            // filesink reports some full disks as a plain write error, with the system's words in the debug text.
            if error.debug?.contains("No space left") ?? false {
                return CameraError(
                    .diskFull, "no room for \(path); make room or choose another folder",
                    underlying: underlying)
            }
            return CameraError(
                .writeFailed, "\(path) could not be written: \(reason)", underlying: underlying)
        }
    }

    /// Looks at the file itself: a JPEG begins with SOI and ends with EOI.
    private func check(_ file: DurableFile) throws(CameraError) {
        let content = Glibc.open(file.temporary, O_RDONLY | O_CLOEXEC)
        guard content >= 0 else { throw file.unreadable(errno) }
        defer { Glibc.close(content) }
        let size = lseek(content, 0, SEEK_END)
        var (start, end): ([UInt8], [UInt8]) = ([0, 0], [0, 0])
        guard size < 4 || pread(content, &start, 2, 0) == 2 && pread(content, &end, 2, size - 2) == 2 else {
            throw file.unreadable(errno)
        }
        guard start == [0xFF, 0xD8], end == [0xFF, 0xD9] else {
            file.discard()
            throw CameraError(
                .writeFailed, "\(file.path) did not become a whole JPEG; try again")
        }
    }
}

extension DurableFile {
    fileprivate func unreadable(_ code: Int32) -> CameraError {
        discard()
        return CameraError(
            .writeFailed, "\(path) cannot be read back: \(FileFailure.text(code))")
    }
}

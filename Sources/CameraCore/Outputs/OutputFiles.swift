import FoundationEssentials
import GStreamer
import Glibc

/// The files that an output writes: what its sinks have as their `location`, a path or a pattern such as `a_%05d.jpg`.
struct OutputFiles: Sendable {
    /// What tells whether a file was written since.
    private struct Stamp: Hashable {
        let number: ino_t
        let size: Int
        let seconds: Int
        let nanoseconds: Int

        /// `nil` for what is no plain file; a link is none.
        init?(_ url: URL) {
            var found = stat()
            // What is not there, or may not be looked at, is not an output's file.
            guard lstat(url.path, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return nil }
            number = found.st_ino
            size = Int(found.st_size)
            (seconds, nanoseconds) = (found.st_mtim.tv_sec, found.st_mtim.tv_nsec)
        }
    }

    private let locations: [URL]
    private let before: [URL: Stamp]

    /// Notes which files there are before the output starts.
    init(of bin: Bin) {
        locations = bin.descendants.filter(\.isSink).compactMap { sink in
            guard case .string(let location)? = sink.get("location"), !location.isEmpty else { return nil }
            return URL(fileURLWithPath: location)
        }
        before = Self.stamps(locations)
    }

    /// Which of the files that an output made are of use to nobody.
    enum Removal {
        case none
        /// Those without a byte.
        case empty
        /// All: no frame came, and they hold no more than the head of a format.
        case all
    }

    /// The files that were written since the output started, by name.
    ///
    /// - Parameter removal: which of those that it made are removed.
    func written(removing removal: Removal) -> [URL] {
        Self.stamps(locations).filter { $0.value != before[$0.key] }.compactMap { url, stamp in
            guard removal == .all || removal == .empty && stamp.size == 0, before[url] == nil else {
                return url
            }
            // If it cannot be removed it is left, and told.
            return unlink(url.path) == 0 ? nil : url
        }.sorted { $0.path < $1.path }
    }

    private static func stamps(_ locations: [URL]) -> [URL: Stamp] {
        var stamps: [URL: Stamp] = [:]
        for url in locations.flatMap(candidates) { stamps[url] = Stamp(url) }
        return stamps
    }

    /// The file itself, or the files of its folder that a pattern can stand for.
    private static func candidates(_ location: URL) -> [URL] {
        let name = location.lastPathComponent
        guard let number = name.firstMatch(of: /%0?[0-9]*[diu]/) else { return [location] }
        let (start, end) = (name[..<number.range.lowerBound], name[number.range.upperBound...])
        let folder = location.deletingLastPathComponent()
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: folder.path) } catch {
            // A folder that is not there, or that the output could not have written to, holds nothing of it.
            return []
        }
        return names.filter { name in
            guard name.count > start.count + end.count, name.hasPrefix(start), name.hasSuffix(end) else {
                return false
            }
            return name.dropFirst(start.count).dropLast(end.count).allSatisfy(\.isNumber)
        }.map { folder.appendingPathComponent($0) }
    }
}

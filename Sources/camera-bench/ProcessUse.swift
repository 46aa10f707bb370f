import Glibc

/// What this process holds of what can run out.
struct ProcessUse: Encodable {
    /// Memory in use, in kB: the resident set.
    var kilobytes: Int
    /// Open file descriptors.
    var descriptors: Int
    var threads: Int

    /// What is held now.
    static var now: ProcessUse {
        get throws {
            let status = try text(of: "/proc/self/status")
            return ProcessUse(
                kilobytes: try number("VmRSS:", in: status), descriptors: try countDescriptors(),
                threads: try number("Threads:", in: status))
        }
    }

    static func - (left: ProcessUse, right: ProcessUse) -> ProcessUse {
        ProcessUse(
            kilobytes: left.kilobytes - right.kilobytes, descriptors: left.descriptors - right.descriptors,
            threads: left.threads - right.threads)
    }

    /// The least that is held in three seconds in which nothing else is done. In the middle of work there are frames on
    /// their way and things that are about to go.
    static func quiet() async throws -> ProcessUse {
        var least = try now
        for _ in 0..<30 {
            try await Task.sleep(for: .milliseconds(100))
            let use = try now
            least = ProcessUse(
                kilobytes: min(least.kilobytes, use.kilobytes),
                descriptors: min(least.descriptors, use.descriptors), threads: min(least.threads, use.threads)
            )
        }
        return least
    }

    // Not by Foundation, whose reading of files that say they are empty, as these do, itself takes memory.
    private static func text(of path: String) throws -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BenchError(description: "\(path) cannot be opened") }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private static func number(_ field: String, in status: String) throws -> Int {
        for line in status.split(separator: "\n") where line.hasPrefix(field) {
            if let number = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
            {
                return number
            }
        }
        throw BenchError(description: "/proc/self/status has no number for \(field)")
    }

    private static func countDescriptors() throws -> Int {
        guard let folder = opendir("/proc/self/fd") else {
            throw BenchError(description: "/proc/self/fd cannot be read")
        }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Without ".", ".." and the descriptor of the folder itself.
        return count - 3
    }
}

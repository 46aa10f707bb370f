import Foundation
import Glibc

/// A client of what the command serves.
enum TCP {
    /// A port of the loopback that nobody has now.
    static func freePort() throws -> UInt16 {
        let descriptor = try socket()
        defer { close(descriptor) }
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failure = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) != 0 || getsockname(descriptor, $0, &length) != 0
            }
        }
        guard !failure else { throw TestFailure("no free port: \(String(cString: strerror(errno)))") }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Reads what a server sends, until these bytes have come, or it ends.
    static func read(from port: UInt16, until end: Data) async throws -> Data {
        let descriptor = try socket()
        var address = loopback(port: port)
        let failure = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) != 0
            }
        }
        defer { close(descriptor) }
        guard !failure else {
            throw TestFailure("nobody serves port \(port): \(String(cString: strerror(errno)))")
        }
        // Who serves nothing must not hold the test up for ever.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let data = await withCheckedContinuation { continuation in
            DispatchQueue(label: "tcp").async {
                var data = Data()
                var buffer = [UInt8](repeating: 0, count: 65_536)
                while data.range(of: end) == nil {
                    let count = Glibc.read(descriptor, &buffer, buffer.count)
                    guard count > 0 else { break }
                    data.append(contentsOf: buffer.prefix(count))
                }
                continuation.resume(returning: data)
            }
        }
        guard data.range(of: end) != nil else {
            throw TestFailure("\(data.count) bytes came, and not those that were waited for")
        }
        return data
    }

    private static func socket() throws -> Int32 {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw TestFailure("no socket: \(String(cString: strerror(errno)))") }
        return descriptor
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

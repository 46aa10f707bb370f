import Glibc

/// Interrupts a thread that waits for input, from any other thread.
final class Wakeup: Sendable {
    private let readEnd: Int32
    private let writeEnd: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        // Without descriptors left there is nothing to wait for either; `wait` then reports the input's own state.
        if pipe(&ends) == 0 {
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        if readEnd >= 0 {
            close(readEnd)
            close(writeEnd)
        }
    }

    func signal() {
        var byte = UInt8(0)
        // A full pipe holds more wake-ups than anyone needs.
        _ = write(writeEnd, &byte, 1)
    }

    /// What ended a wait.
    struct Reason: OptionSet {
        let rawValue: Int
        static let input = Reason(rawValue: 1)
        static let signal = Reason(rawValue: 2)
        /// The other end of the input is gone and nothing is left to read.
        static let hangup = Reason(rawValue: 4)
    }

    /// Blocks until the descriptor can be read, or somebody signals.
    func wait(forInputFrom descriptor: Int32) -> Reason {
        var waits = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&waits, nfds_t(waits.count), -1) < 0 && errno == EINTR {}
        var reason: Reason = []
        let input = Int32(waits[0].revents)
        if input & POLLIN != 0 {
            reason.insert(.input)
        } else if input & (POLLHUP | POLLERR | POLLNVAL) != 0 {
            reason.insert(.hangup)
        }
        if waits[1].revents != 0 {
            reason.insert(.signal)
            var drain = [UInt8](repeating: 0, count: 64)
            while read(readEnd, &drain, drain.count) > 0 {}
        }
        return reason
    }
}

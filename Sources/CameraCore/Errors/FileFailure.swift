import FoundationEssentials
import Glibc

/// The operating system's reasons, in its own words.
package enum FileFailure {
    /// What an error number means.
    package static func text(_ number: Int32) -> String {
        // "Bad file descriptor" means nothing to the one who wrote `>&-`.
        if number == EBADF { return "it is closed" }
        guard let text = strerror(number) else { return "error \(number)" }
        return String(cString: text)
    }

    /// The system's reason inside a Foundation error, or the error itself.
    package static func reason(of error: any Error) -> String {
        if let posix = error as? POSIXError { return text(posix.code.rawValue) }
        if let cocoa = error as? CocoaError, let posix = cocoa.underlying as? POSIXError {
            return text(posix.code.rawValue)
        }
        return "\(error)"
    }
}

import FoundationEssentials
import Glibc

/// The operating system's reasons, in its own words.
enum FileFailure {
    static func text(_ number: Int32) -> String {
        guard let text = strerror(number) else { return "error \(number)" }
        return String(cString: text)
    }

    /// The system's reason inside a Foundation error, or the error itself.
    static func reason(of error: any Error) -> String {
        if let posix = error as? POSIXError { return text(posix.code.rawValue) }
        if let cocoa = error as? CocoaError, let posix = cocoa.underlying as? POSIXError {
            return text(posix.code.rawValue)
        }
        return "\(error)"
    }
}

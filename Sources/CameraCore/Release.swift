/// What is known of this release.
package enum Release {
    /// The version of the command and the library.
    package static let version = "0.1.0"
}

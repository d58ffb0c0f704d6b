/// What this build was made from. A module of its own, so that a new commit recompiles nothing else.
package enum BuildRecord {
    /// Of the program and the library.
    package static let version: StaticString = "0.1.0"
    /// Abbreviated hash, followed by " (modified)" if the sources differ from it; "unknown" outside a clone.
    package static var commit: String { recordedCommit }
    /// Name and version of the compiler, such as "Swift 6.3.1".
    package static var compiler: String { recordedCompiler }
}

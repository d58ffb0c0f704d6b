import CSoup
import WhisperEngine

/// libsoup and GLib, opened on first use: linking them would slow down the start of every command.
///
/// To use another of their functions, add its name to `Sources/CSoup/shim.h`.
package enum SoupLibrary {
    /// The Debian package.
    package static let package = "libsoup-3.0-0"
    /// `nil` if it is not installed.
    static let shared = try? load()

    private static func load() throws(SharedLibrary.Missing) -> SoupFunctions {
        // Functions of GLib are found through it, because it depends on them.
        let library = try SharedLibrary("libsoup-3.0.so.0")
        let soup: SoupFunctions = try unsafe SharedLibrary.functions(of: [library], named: soup_function_name)
        // What the libraries have to say is about their own functions: no user could make sense of it.
        unsafe soup.g_log_set_writer_func({ _, _, _, _ in G_LOG_WRITER_HANDLED }, nil, nil)
        return soup
    }

    /// Such as `3.2.3`.
    package static var version: String? {
        shared.map { "\($0.soup_get_major_version()).\($0.soup_get_minor_version()).\($0.soup_get_micro_version())" }
    }
}

import BuildRecord

/// The version that `--version` prints and JSON files contain.
enum Version {
    static let text = "\(BuildRecord.version)"

    /// Output of `--version`. The first line has a fixed form for scripts.
    static var lines: [String] {
        [
            "whisper-local \(text)", "commit \(BuildRecord.commit)",
            "\(libraries); \(BuildRecord.compiler); \(configuration)",
        ]
    }

    /// The optional libraries this program was compiled with and without.
    private static var libraries: String {
        var with: [String] = []
        #if HAS_FFMPEG
            with.append("FFmpeg")
        #endif
        #if HAS_CURL
            with.append("libcurl")
        #endif
        #if HAS_SOUP
            with.append("libsoup")
        #endif
        let without = ["FFmpeg", "libcurl", "libsoup"].filter { !with.contains($0) }
        let parts = [("with", with), ("without", without)].filter { !$1.isEmpty }
        return "built " + parts.map { "\($0) \($1.joined(separator: ", "))" }.joined(separator: ", ")
    }

    private static var configuration: String {
        #if DEBUG
            "debug"
        #else
            "release"
        #endif
    }
}

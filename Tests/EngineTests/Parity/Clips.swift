import Foundation
import WhisperEngine

/// The recordings that the reference's transcriptions belong to.
enum Clips {
    struct Clip {
        /// Without its ending.
        let name: String
        let path: FilePath
    }

    /// All of them; FLAC needs a build with FFmpeg.
    static func all() throws -> [Clip] {
        #if HAS_FFMPEG
            let endings = [".wav", ".flac"]
        #else
            let endings = [".wav"]
        #endif
        return try FileManager.default.contentsOfDirectory(atPath: Fixtures.url("clips").path(percentEncoded: false))
            .sorted().filter { name in endings.contains { name.hasSuffix($0) } }
            .map {
                Clip(
                    name: String($0[..<($0.lastIndex(of: ".") ?? $0.endIndex)]),
                    path: FilePath(Fixtures.url("clips/\($0)").path(percentEncoded: false)))
            }
    }
}

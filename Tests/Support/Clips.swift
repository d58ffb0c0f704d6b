package import EngineAudio
package import EngineBasics
import Foundation

/// The recordings for which there are transcriptions by the reference.
package enum Clips {
    package struct Clip {
        /// Without its extension.
        package let name: String
        package let path: FilePath
    }

    /// All clips; FLAC files only in builds with FFmpeg.
    package static func all() throws -> [Clip] {
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

/// A recording that is already in memory.
package struct ClipSource: AudioSource {
    package let samples: [Float]

    package init(samples: [Float]) { self.samples = samples }

    package var duration: Duration? { .seconds(Double(samples.count) / 16_000) }

    package func chunks() -> AsyncThrowingStream<AudioChunk, any Error> {
        AsyncThrowingStream { continuation in
            for start in stride(from: 0, to: samples.count, by: 16_000) {
                continuation.yield(
                    AudioChunk(start: start, samples: Array(samples[start..<min(start + 16_000, samples.count)])))
            }
            continuation.finish()
        }
    }
}

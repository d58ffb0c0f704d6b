import Foundation
import WhisperEngine

/// The recordings that the reference's transcriptions belong to.
enum Clips {
    struct Clip {
        /// Without its ending.
        let name: String
        let samples: [Float]
    }

    static func all() throws -> [Clip] {
        try FileManager.default.contentsOfDirectory(atPath: Fixtures.url("clips").path(percentEncoded: false)).sorted()
            .filter { $0.hasSuffix(".wav") }
            .map { Clip(name: String($0.dropLast(4)), samples: try MelFixture.samples("clips/\($0)")) }
    }
}

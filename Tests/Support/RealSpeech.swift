import EngineAudio
import EngineBasics
package import Foundation
package import Testing

/// Real weights and recordings of human speech, which `scripts/setup.sh --tests` installs outside the repository.
package enum RealSpeech {
    package static let models = folder("WHISPER_LOCAL_TEST_MODELS", containing: "ggml-base.bin")
    package static let recordings = folder("WHISPER_LOCAL_TEST_SPEECH", containing: "long-ru.wav")
    package static let isInstalled = models != nil && recordings != nil

    /// Why tests that need them are skipped. CI installs them, so there `scripts/test.sh` counts this as a failure.
    package static let reason: Comment = isCI ? "\(missing)" : "optional: \(missing)"
    private static let isCI = ProcessInfo.processInfo.environment["CI"] == "true"
    private static let missing = "real models or recordings are not installed (scripts/setup.sh --tests)"

    private static func folder(_ variable: String, containing last: String) -> URL? {
        ProcessInfo.processInfo.environment[variable].map { URL(filePath: $0) }
            .flatMap { FileManager.default.isReadableFile(atPath: $0.appending(path: last).path) ? $0 : nil }
    }

    /// A recording or its first minute, as listed in the fixtures.
    package struct Clip: Decodable {
        /// `LANGUAGE/FILE` for a prompt, `minute-LANGUAGE` or `long-LANGUAGE` for a recording of many prompts.
        package let clip: String
        /// In the folder of the recordings.
        package let file: String
        package let samples: Int
        /// Of the samples as little-endian 16-bit numbers.
        package let sha256: String

        package var language: String {
            clip.hasSuffix(".wav") ? String(clip.prefix { $0 != "/" }) : String(clip.split(separator: "-")[1])
        }
    }

    package struct Clips: Decodable {
        package let cases: [Clip]
    }

    package static func clips() throws -> [String: Clip] {
        let clips: Clips = try Fixtures.json("real/recordings.json")
        return Dictionary(uniqueKeysWithValues: clips.cases.map { ($0.clip, $0) })
    }

    package static func samples(_ clip: Clip) async throws -> [Float] {
        let path = try #require(recordings).appending(path: clip.file).path
        var samples: [Float] = []
        for try await chunk in try AudioFile.open(FilePath(path)).chunks() {
            samples += chunk.samples
            if samples.count >= clip.samples { break }
        }
        return Array(samples.prefix(clip.samples))
    }

    /// The SHA-256 of samples as little-endian 16-bit numbers.
    package static func digest(_ samples: [Float]) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        let bytes = samples.flatMap { sample -> [UInt8] in
            let number = UInt16(bitPattern: Int16(sample * 32_768))
            return [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
        }
        try Data(bytes).write(to: file)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/sha256sum")
        process.arguments = [file.path]
        process.standardOutput = output
        try process.run()
        let line = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: line.prefix(64), as: UTF8.self)
    }
}

// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names are those of the stored files.

import Foundation
import Testing

/// Results of silero-vad and of faster-whisper's copy of it.
struct VoiceActivityFixture: Decodable {
    struct State: Decodable {
        let window: Int
        let probability: Double
        let h_128: [Double]
        let c_128: [Double]
    }

    struct Case: Decodable, Sendable {
        struct Options: Decodable, Sendable {
            var threshold: Float?
            var neg_threshold: Float?
            var min_silence_duration_ms: Int?
            var min_speech_duration_ms: Int?
            var speech_pad_ms: Int?
            var max_speech_duration_s: Double?
            var use_max_poss_sil_at_max_speech: Bool?
        }
        let algorithm: String
        let options: Options
        let segments: [[Int]]

        var rules: SpeechSegmentation {
            var rules = SpeechSegmentation()
            if algorithm.hasPrefix("A") {
                rules.minSpeechMilliseconds = 250
                rules.minSilenceMilliseconds = 100
                rules.padMilliseconds = 30
                rules.splitsAtLongestSilence = options.use_max_poss_sil_at_max_speech ?? true
            }
            if let value = options.threshold { rules.threshold = value }
            rules.endThreshold = options.neg_threshold
            if let value = options.min_silence_duration_ms { rules.minSilenceMilliseconds = value }
            if let value = options.min_speech_duration_ms { rules.minSpeechMilliseconds = value }
            if let value = options.speech_pad_ms { rules.padMilliseconds = value }
            if let value = options.max_speech_duration_s { rules.maxSpeechSeconds = value }
            return rules
        }
    }

    let samples: Int
    let tolerance: Double
    let probabilities: [Float]
    let states: [State]
    let segments: [Case]

    static func load() throws -> VoiceActivityFixture { try Fixtures.json("vad/vad.json") }

    /// The published weights, which `scripts/setup.sh --tests` installs: they must not be copied into this repository.
    /// Without them, tests are skipped for `RealSpeech.reason`.
    static let weights: FilePath? = ProcessInfo.processInfo.environment["WHISPER_LOCAL_TEST_MODELS"]
        .map { "\($0)/silero_vad_16k.safetensors" }
        .flatMap { FileManager.default.isReadableFile(atPath: $0) ? FilePath($0) : nil }

    static func clip() async throws -> [Float] {
        try await samples(of: Fixtures.url("vad/vad_clip.flac"))
    }

    static func samples(of url: URL) async throws -> [Float] {
        var samples: [Float] = []
        for try await chunk in try AudioFile.open(FilePath(url.path)).chunks() { samples += chunk.samples }
        return samples
    }
}

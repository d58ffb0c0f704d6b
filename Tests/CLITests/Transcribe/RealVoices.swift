import Foundation
import Testing

/// The networks for speakers and the recordings of human voices that `scripts/setup.sh --tests` installs.
enum RealVoices {
    private static let variables = ProcessInfo.processInfo.environment
    static let models = variables["WHISPER_LOCAL_TEST_MODELS"].flatMap { folder in
        FileManager.default.isReadableFile(atPath: folder + "/speakers.safetensors") ? folder : nil
    }
    static let speech = variables["WHISPER_LOCAL_TEST_SPEECH"].flatMap { folder in
        FileManager.default.isReadableFile(atPath: folder + "/ru/agent-pass.wav") ? folder : nil
    }
    static let isInstalled = models != nil && speech != nil
    /// Why tests that need them are skipped. CI installs them, so there `scripts/test.sh` counts this as a failure.
    static let reason: Comment = variables["CI"] == "true" ? "\(missing)" : "optional: \(missing)"
    private static let missing = "models or recordings are not installed (scripts/setup.sh --tests)"

    /// Writes `talk.raw`: the conversation of three voices in the fixtures of the engine.
    static func writeConversation(to scratch: Program.Scratch, seconds: Int = 54) throws {
        struct Recipe: Decodable {
            struct Clip: Decodable {
                let file: String
                let start: Double
            }
            let clips: [Clip]
        }
        let recipe = try JSONDecoder().decode(
            Recipe.self,
            from: Data(
                contentsOf: Fixtures.folder.deletingLastPathComponent()
                    .appending(path: "speakers/conversation.json")))
        var sums = [Int](repeating: 0, count: seconds * 16_000)
        for clip in recipe.clips {
            let data = try Data(contentsOf: URL(filePath: try #require(speech)).appending(path: clip.file))
            let start = try #require(data.range(of: Data("data".utf8))).upperBound + 4
            for (index, offset) in stride(from: start, to: data.count - 1, by: 2).enumerated() {
                let sample = Int(clip.start * 16_000) + index
                guard sample < sums.count else { break }
                sums[sample] += Int(Int16(bitPattern: UInt16(data[offset]) | UInt16(data[offset + 1]) << 8))
            }
        }
        var samples = Data()
        for sum in sums {
            let bits = UInt16(bitPattern: Int16(max(-32768, min(32767, sum))))
            samples.append(contentsOf: [UInt8(bits & 255), UInt8(bits >> 8)])
        }
        try samples.write(to: scratch.url.appending(path: "talk.raw"))
    }
}

import Foundation
import Testing
import WhisperEngine

/// Checks the goals of live recognition with tiny.en and human speech in simulated time. Latencies are measured as if passes
/// took no time, so that they do not depend on the machine.
@Suite("Goals of live recognition", .enabled(if: RealSpeech.isInstalled, RealSpeech.reason))
struct LiveAimsTests {
    private struct Prompt: Decodable {
        let file: String
        let text: String
    }

    @Test("two minutes of live speech meet the goals for accuracy, latency and flicker")
    func prompts() async throws {
        let folder = try #require(RealSpeech.recordings)
        let list = try JSONDecoder().decode([Prompt].self, from: Data(contentsOf: folder.appending(path: "en.json")))
        var recordings: [[Float]] = []
        var options = LiveBenchmark.Options()
        for prompt in list.prefix(30) {
            var samples: [Float] = []
            let path = FilePath(folder.appending(path: "en/\(prompt.file)").path)
            for try await chunk in try AudioFile.open(path).chunks() { samples += chunk.samples }
            recordings.append(samples)
            options.texts.append(prompt.text)
        }
        let model = FilePath(try #require(RealSpeech.models).appending(path: "ggml-tiny.en.bin").path)
        let recognizer = try Recognizer(
            try ModelFile.open(model), backend: try ComputeOptions(computeType: .float32, threads: 1).makeBackend(),
            cache: EncodingCache())
        let result = try LiveBenchmark(recognizer, options: options).run(recordings)
        let live = try #require(result.finals), alone = try #require(result.recordings)
        #expect(result.duration > 120 && live.words > 200)
        #expect(live.errorRate < alone.errorRate + 0.01)
        #expect(result.aware.accuracy.doubled == 0)
        // One word of 329.
        #expect(result.aware.accuracy.lost < 4)
        #expect(result.unaware.finalLatency.mean <= 1)
        #expect(result.unaware.finalLatency.percentile95 <= 1.8)
        #expect(result.unaware.volatileLatency.mean <= 0.4)
        #expect(result.unaware.flicker <= 0.3)
        print("live goals: \(live), \(alone), \(result.unaware)")
    }
}

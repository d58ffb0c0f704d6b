import Foundation
import Testing
import WhisperEngine

#if HAS_FFMPEG
    /// Checks the goals of live recognition with the three-minute recording in simulated time. Latencies are measured as
    /// if passes took no time, so that they do not depend on the machine.
    @Suite("Goals of live recognition")
    struct LiveAimsTests {
        private struct Entry: Decodable {
            let file: String
            let text: String
        }

        @Test("three minutes of live speech meet the goals for accuracy, latency and flicker")
        func threeMinutes() async throws {
            let clip = try #require(try Clips.all().first { $0.name == "long-three-minutes" })
            var samples: [Float] = []
            for try await chunk in try AudioFile.open(clip.path).chunks() { samples += chunk.samples }
            var options = LiveBenchmark.Options()
            options.texts = try Fixtures.json("clips/manifest.json", as: [Entry].self).filter {
                $0.file.hasPrefix(clip.name)
            }
            .map(\.text)
            let recognizer = try await LiveNetworkTests.recognizer(.float32)
            let result = try LiveBenchmark(recognizer, options: options).run([samples])
            let live = try #require(result.finals), recordings = try #require(result.recordings)
            #expect(live.words == 293)
            #expect(live.errorRate < recordings.errorRate + 0.01)
            #expect(result.aware.accuracy.doubled == 0)
            #expect(result.aware.accuracy.lost == 0)
            #expect(result.unaware.finalLatency.mean <= 1.6)
            #expect(result.unaware.volatileLatency.mean <= 0.4)
            #expect(result.unaware.flicker <= 0.5)
            // More than a third of the tokens come from drafts.
            #expect(3 * result.acceptedDraftTokens > result.tokens)
        }
    }
#endif

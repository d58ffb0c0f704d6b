import Foundation
import Testing
import WhisperEngine

/// What fewer bits cost in words. The lines of the table in docs/performance.md are these sets.
@Suite("Accuracy of the compute types")
struct ComputeTypeTests {
    private struct Spoken: Decodable {
        let file: String
        let text: String
    }

    /// How the clips are recognized.
    enum OptionSet: String, CaseIterable {
        case greedy, beams, greedyInBatches, beamsInBatches
        /// Each window with the text before it; without the long clip, on which the model loops whatever the type, so that
        /// one other word changes everything behind it.
        case greedyPrompted, beamsPrompted

        var isPrompted: Bool { self == .greedyPrompted || self == .beamsPrompted }

        var options: TranscriptionOptions {
            var options = TranscriptionOptions()
            // Draws at higher temperatures would be compared with other draws.
            options.temperatures = [0]
            options.conditionOnPreviousText = isPrompted
            if [.beams, .beamsInBatches, .beamsPrompted].contains(self) { options.decoding.beamSize = 5 }
            if self == .greedyInBatches || self == .beamsInBatches {
                options.voiceActivity = VoiceActivityOptions()
                options.batchSize = 8
            }
            return options
        }
    }

    private struct Found {
        var wrong = 0
        var words = 0
        var texts: [String: [String]] = [:]

        /// In a hundred words.
        var rate: Double { 100 * Double(wrong) / Double(words) }
    }

    private static func recognize(_ type: ComputeType, _ sets: [OptionSet]) async throws -> Found {
        let recognizer = try await Recognizer(
            model: NanoParityTests.model, options: ComputeOptions(computeType: type, threads: 2))
        let spoken: [Spoken] = try Fixtures.json("clips/manifest.json")
        var found = Found()
        for set in sets {
            for clip in try Clips.all() where !set.isPrompted || !clip.name.hasPrefix("long") {
                let said = try #require(spoken.first { $0.file.hasPrefix(clip.name + ".") }).text
                let text = try await recognizer.transcribe(try AudioFile.open(clip.path), options: set.options).text
                found.texts["\(clip.name) \(set)"] = words(text)
                found.wrong += distance(words(said), words(text))
                found.words += words(said).count
            }
        }
        return found
    }

    private static func words(_ text: String) -> [String] {
        text.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "'") }.map(String.init)
    }

    /// Words to put in, take out or replace.
    private static func distance(_ a: [String], _ b: [String]) -> Int {
        var last = Array(0...b.count)
        for (i, word) in a.enumerated() {
            var row = [i + 1]
            for (j, other) in b.enumerated() {
                row.append(min(last[j] + (word == other ? 0 : 1), last[j + 1] + 1, row[j] + 1))
            }
            last = row
        }
        return last[b.count]
    }

    @Test(
        "word errors over several ways to recognize are no more than half a point above float32's",
        arguments: [true, false]
    )
    func wordErrors(isPrompted: Bool) async throws {
        let sets = OptionSet.allCases.filter { $0.isPrompted == isPrompted }
        let exact = try await Self.recognize(.float32, sets)
        for type in PackedTilesTests.types {
            let found = try await Self.recognize(type, sets)
            #expect(found.words == exact.words && found.words > 600)
            #expect(found.rate - exact.rate <= 0.5, "\(type): \(found.wrong), float32 \(exact.wrong) of \(found.words)")
            let differing = found.texts.filter { exact.texts[$0.key] != $0.value }.map(\.key)
            // A word or two that sound alike, and the clip on which the model loops.
            let known = ["long-three-minutes"] + (type == .int8 ? ["say-11", "say-17"] : [])
            let others = differing.filter { name in !known.contains { name.hasPrefix($0) } }
            #expect(others.isEmpty, "\(type): \(others.sorted())")
        }
    }
}

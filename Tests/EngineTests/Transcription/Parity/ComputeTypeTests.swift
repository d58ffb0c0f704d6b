import Foundation
import TestSupport
import Testing

/// Word errors of the reduced precisions. The rows of the table in Benchmarks/notes.md are these option sets.
@Suite("Accuracy of the compute types")
struct ComputeTypeTests {
    private struct Spoken: Decodable {
        let file: String
        let text: String
    }

    /// Options for transcribing the clips.
    enum OptionSet: String, CaseIterable {
        case greedy, beams, greedyInBatches, beamsInBatches
        /// Windows are prompted with the text before them. Without the long clip, on which the model loops with every type,
        /// so that a single different word changes everything after it.
        case greedyPrompted, beamsPrompted

        var isPrompted: Bool { self == .greedyPrompted || self == .beamsPrompted }

        var options: TranscriptionOptions {
            var options = TranscriptionOptions.reference
            // At higher temperatures different samples would be compared.
            options.whisper.temperatures = [0]
            options.whisper.conditionOnPreviousText = isPrompted
            if [.beams, .beamsInBatches, .beamsPrompted].contains(self) { options.beamSize = 5 }
            if self == .greedyInBatches || self == .beamsInBatches {
                options.voiceActivity = VoiceActivityOptions()
                options.batchSize = 8
            }
            return options
        }
    }

    private struct Outcome {
        var wrong = 0
        var words = 0
        var texts: [String: [String]] = [:]

        /// Word error rate in percent.
        var rate: Double { 100 * Double(wrong) / Double(words) }
    }

    private static func recognize(_ type: ComputeType, _ sets: [OptionSet]) async throws -> Outcome {
        let options = ComputeOptions(computeType: type, threads: 2)
        let recognizer = try Recognizer(
            try WhisperFiles.open(NanoParityTests.model), backend: try options.makeBackend(), cache: EncodingCache())
        let spoken: [Spoken] = try Fixtures.json("clips/manifest.json")
        var outcome = Outcome()
        for set in sets {
            for clip in try Clips.all() where !set.isPrompted || !clip.name.hasPrefix("long") {
                let said = try #require(spoken.first { $0.file.hasPrefix(clip.name + ".") }).text
                let text = try await recognizer.transcribe(try AudioFile.open(clip.path), options: set.options).text
                outcome.texts["\(clip.name) \(set)"] = words(text)
                outcome.wrong += distance(words(said), words(text))
                outcome.words += words(said).count
            }
        }
        return outcome
    }

    private static func words(_ text: String) -> [String] {
        text.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "'") }.map(String.init)
    }

    /// Number of word insertions, deletions and substitutions.
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
        "the word error rate over several option sets is at most half a point above float32's",
        arguments: [true, false]
    )
    func wordErrors(isPrompted: Bool) async throws {
        let sets = OptionSet.allCases.filter { $0.isPrompted == isPrompted }
        let exact = try await Self.recognize(.float32, sets)
        for type in [ComputeType.bfloat16, .int16, .int8] where type.isAvailable {
            let outcome = try await Self.recognize(type, sets)
            #expect(outcome.words == exact.words && outcome.words > 600)
            #expect(
                outcome.rate - exact.rate <= 0.5,
                "\(type): \(outcome.wrong), float32 \(exact.wrong) of \(outcome.words)")
            let differing = outcome.texts.filter { exact.texts[$0.key] != $0.value }.map(\.key)
            // One or two words each, and the clip on which the model loops.
            let known = ["long-three-minutes"] + (type == .int8 ? ["say-11", "say-13", "say-17", "say-19"] : [])
            let others = differing.filter { name in !known.contains { name.hasPrefix($0) } }
            #expect(others.isEmpty, "\(type): \(others.sorted())")
        }
    }
}

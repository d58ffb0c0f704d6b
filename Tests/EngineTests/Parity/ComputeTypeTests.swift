import Foundation
import Testing
import WhisperEngine

/// What fewer bits cost in words, over all clips.
@Suite("Accuracy of the compute types")
struct ComputeTypeTests {
    private struct Spoken: Decodable {
        let file: String
        let text: String
    }

    /// - Parameter isPrompted: each window with the text before it; then without the long clip, on which the model loops
    ///   whatever the type, so that one other word changes everything behind it.
    private static func errors(
        _ type: ComputeType, isPrompted: Bool
    ) async throws -> (rate: Double, texts: [String: String]) {
        let recognizer = try await Recognizer(
            model: NanoParityTests.model, options: ComputeOptions(computeType: type, threads: 2))
        var options = TranscriptionOptions()
        options.decoding.beamSize = 5
        // Draws at higher temperatures would be compared with other draws.
        options.temperatures = [0]
        options.conditionOnPreviousText = isPrompted
        let spoken: [Spoken] = try Fixtures.json("clips/manifest.json")
        var wrong = 0, count = 0
        var texts: [String: String] = [:]
        for clip in try Clips.all() where !isPrompted || !clip.name.hasPrefix("long") {
            let said = try #require(spoken.first { $0.file.hasPrefix(clip.name + ".") }).text
            let transcript = try await recognizer.transcribe(try AudioFile.open(clip.path), options: options)
            texts[clip.name] = transcript.text
            wrong += distance(words(said), words(transcript.text))
            count += words(said).count
        }
        return (Double(wrong) / Double(count), texts)
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

    @Test("word errors are no more than half a point above float32's", arguments: [true, false])
    func wordErrors(isPrompted: Bool) async throws {
        let exact = try await Self.errors(.float32, isPrompted: isPrompted)
        for type in PackedTilesTests.types {
            let found = try await Self.errors(type, isPrompted: isPrompted)
            #expect(found.rate - exact.rate <= 0.005, "\(type): \(found.rate), float32 \(exact.rate)")
            let differing = found.texts.filter { exact.texts[$0.key] != $0.value }.map(\.key).sorted()
            // One number that sounds alike, and the clip on which the model loops.
            let known = ["long-three-minutes"] + (type == .int8 ? ["say-11"] : [])
            #expect(Set(differing).subtracting(known).isEmpty, "\(type): \(differing)")
        }
    }
}

import Foundation
import Testing
import WhisperEngine

/// What fewer bits cost in words, over every clip with the trained model.
@Suite("Compute types")
struct ComputeTypesTests {
    private struct Spoken: Decodable {
        let file: String
        let text: String
    }

    /// Words that must be changed, left out or put in to make one text the other, and words of the text that was said.
    private struct WordErrors {
        var errors = 0
        var words = 0

        /// In a hundred words.
        var rate: Double { 100 * Double(errors) / Double(max(1, words)) }

        mutating func add(_ text: String, said: String) {
            let found = Self.words(text), right = Self.words(said)
            var row = Array(0...right.count)
            for (i, word) in found.enumerated() {
                var diagonal = row[0]
                row[0] = i + 1
                for (j, other) in right.enumerated() {
                    let changed = diagonal + (word == other ? 0 : 1)
                    diagonal = row[j + 1]
                    row[j + 1] = min(changed, row[j] + 1, row[j + 1] + 1)
                }
            }
            errors += row[right.count]
            words += right.count
        }

        private static func words(_ text: String) -> [String] {
            text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "'" }.map(String.init)
        }
    }

    @Test(
        "make at most half a word in a hundred more errors than float32", arguments: [ComputeType.bfloat16, .int8],
        ["greedy", "beam5"])
    func wordErrors(type: ComputeType, set: String) async throws {
        let model = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Models/nano.en.ggml.bin")
        let recognizer = try await Recognizer(
            model: FilePath(model.path(percentEncoded: false)),
            options: ComputeOptions(backend: .openblas, computeType: type, threads: 1))
        let spoken: [Spoken] = try Fixtures.json("clips/manifest.json")
        // In the three minutes the model loses its way even in float32, and the least change leads it another one: their
        // figures are in docs/performance.md.
        let clips = try Clips.all().filter { !$0.name.hasPrefix("long") }
        #expect(clips.count >= 22)
        var mine = WordErrors(), float32 = WordErrors()
        for clip in clips {
            let reference: ReferenceResult = try Fixtures.json("nano/\(set)/\(clip.name).json")
            let text = try await recognizer.transcribe(
                try AudioFile.open(clip.path), options: reference.options.transcription
            ).text
            guard let said = spoken.first(where: { $0.file.hasPrefix(clip.name + ".") }) else { continue }
            mine.add(text, said: said.text)
            // With float32 the engine writes the reference's text (`NanoParityTests`).
            float32.add(reference.result.text, said: said.text)
        }
        #expect(float32.words > 100)
        #expect(mine.rate <= float32.rate + 0.5, "\(mine.errors) for \(float32.errors) of \(mine.words)")
    }
}

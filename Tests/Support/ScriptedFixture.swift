package import EngineAudio
package import EngineTranscription
package import TestModels

/// A scripted model, and recordings whose words it hears.
package enum ScriptedFixture {
    /// `w0` to `w48`; even ones are German, odd ones English.
    package static let words = (0..<ScriptedSpeech.maxWords).map { "w\($0)" }

    package static func recognizer(languages: [String] = ["de", "en"]) throws -> Recognizer {
        Recognizer(try ScriptedModel(words: words, languages: languages))
    }

    /// A recording: words of 0.3 s with gaps of 0.1 s, and one of 1.5 s after every tenth.
    package struct Recording {
        package let words: [ScriptedSpeech.Word]
        package let samples: [Float]

        /// - Parameter first: index of the first word; the others follow.
        package init(count: Int, first: Int = 0) {
            var at = 8_000
            words = (0..<count).map { number in
                defer { at += 6_400 + (number % 10 == 9 ? 22_400 : 0) }
                return ScriptedSpeech.Word(
                    index: (first + number) % ScriptedSpeech.maxWords, range: at..<(at + 4_800))
            }
            var sound = (0..<(at + 8_000)).map { Int16($0 % 7 < 3 ? 8 : -8) }
            for word in words { for at in word.range { sound[at] = at % 40 < 20 ? 4_000 : -4_000 } }
            samples = ScriptedSpeech.hiding(words, in: sound).map { Float($0) / 32_768 }
        }

        package var source: SampleSource { SampleSource(samples) }
        package var text: String { words.map { " w\($0.index)" }.joined() }
    }
}

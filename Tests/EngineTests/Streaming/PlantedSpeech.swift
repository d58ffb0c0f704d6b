/// Synthetic speech: words with known times, and a tone wherever there is a word.
struct PlantedSpeech {
    struct Word {
        let text: String
        /// Samples.
        let start: Int
        let end: Int
        /// Louder the greater the number.
        var speaker = 0
    }

    /// The level of the first speaker's tone, and how much louder that of each further one is.
    static let level: Float = 0.125

    let words: [Word]
    /// Number of samples.
    let count: Int

    /// Creates words of 0.12…0.6 s with gaps of 0.02…0.25 s; one in twenty follows an additional pause of 0.5…3 s.
    ///
    /// - Parameters:
    ///   - sameText: the text of every word; the words are then long enough to be distinguished despite inexact times.
    ///   - isCut: whether the audio ends inside the last word.
    init(seed: UInt64, seconds: ClosedRange<Double>, sameText: String? = nil, isCut: Bool = false) {
        var random = SplitMix64(seed: seed)
        let length = Double.random(in: seconds, using: &random)
        var words: [Word] = []
        var at = Double.random(in: 0.02...0.25, using: &random)
        while true {
            let end = at + Double.random(in: sameText == nil ? 0.12...0.6 : 0.4...0.7, using: &random)
            guard end < length else { break }
            words.append(
                Word(
                    text: " " + (sameText ?? "w\(words.count)"), start: Int(at * 16_000), end: Int(end * 16_000)))
            at = end + Double.random(in: 0.02...0.25, using: &random)
            if Int.random(in: 0..<20, using: &random) == 0 { at += Double.random(in: 0.5...3, using: &random) }
        }
        self.words = words
        let last = words.last?.end ?? 8_000
        let rest = Int.random(in: 0...4_800, using: &random)
        count = isCut ? max(1, last - 1 - rest / 4) : last + rest
    }

    init(words: [Word], count: Int) {
        self.words = words
        self.count = count
    }

    var text: String { words.map(\.text).joined() }

    /// The same words as turns of several speakers, each of 3 to 20 words; the speaker 0 begins.
    func spoken(by speakers: Int, seed: UInt64) -> PlantedSpeech {
        var random = SplitMix64(seed: seed), speaker = 0, left = 20
        let words = words.map { word in
            if left == 0 {
                speaker = (speaker + Int.random(in: 1..<max(2, speakers), using: &random)) % speakers
                left = Int.random(in: 3...20, using: &random)
            }
            left -= 1
            return Word(text: word.text, start: word.start, end: word.end, speaker: speaker)
        }
        return PlantedSpeech(words: words, count: count)
    }

    /// A 400 Hz tone in words and noise at -70 dB elsewhere.
    var samples: [Float] { samples(in: 0..<count) }

    func samples(in range: Range<Int>) -> [Float] {
        var samples = range.map { $0 % 7 < 3 ? Float(10) / 32_768 : Float(-10) / 32_768 }
        for word in words where word.end > range.lowerBound && word.start < range.upperBound {
            for at in (word.start..<word.end).clamped(to: range) {
                let level = Self.level * Float(word.speaker + 1)
                samples[at - range.lowerBound] = at % 40 < 20 ? level : -level
            }
        }
        return samples
    }

    /// The centers of the gaps between words.
    var gaps: [Int] { zip(words, words.dropFirst()).map { ($0.end + $1.start) / 2 } }
}

import EngineAudio

/// Words hidden in a recording, for `ScriptedModel` to hear: in the lowest three bits of its 16-bit samples, so that the rest
/// may be any sound, such as human voices. The bits are 0 outside the words.
package struct ScriptedSpeech: Sendable {
    package struct Word: Sendable, Hashable {
        /// Of the model's words.
        package let index: Int
        /// Samples.
        package let range: Range<Int>

        package init(index: Int, range: Range<Int>) {
            self.index = index
            self.range = range
        }

        package var seconds: Range<Double> {
            AudioChunk.seconds(of: range.lowerBound)..<AudioChunk.seconds(of: range.upperBound)
        }
    }

    /// Each word has two digits, in alternating samples.
    private static let base = 7
    package static let maxWords = base * base

    /// Hides words in 16-bit samples. Words of at least two samples must not touch.
    package static func hiding(_ words: [Word], in samples: [Int16]) -> [Int16] {
        var samples = samples.map { $0 & ~7 }
        for word in words {
            for at in word.range.clamped(to: samples.indices) {
                samples[at] |= Int16(
                    1 + ((at - word.range.lowerBound) % 2 == 0 ? word.index % base : word.index / base))
            }
        }
        return samples
    }

    /// The words in samples from -1 to 1. Those that are cut off at the start are left out.
    ///
    /// - Parameter startsInside: whether the samples follow others, so that a word at their start may be cut off.
    package static func words(in samples: [Float], startsInside: Bool = false) -> [Word] {
        var words: [Word] = []
        let digits = samples.map { Int(($0 * 32_768).rounded()) & 7 }
        var at = 0
        while at < digits.count {
            guard digits[at] > 0 else {
                at += 1
                continue
            }
            let start = at
            while at < digits.count, digits[at] > 0 { at += 1 }
            guard at - start > 1, start > 0 || !startsInside else { continue }
            words.append(Word(index: digits[start] - 1 + base * (digits[start + 1] - 1), range: start..<at))
        }
        return words
    }
}

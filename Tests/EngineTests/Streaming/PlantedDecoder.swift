/// A decoder that knows the spoken words and, like a network, is unreliable near the ends of the audio.
///
/// Each word has one token, its index. Texts that start with `?` or `~` must never become final.
final class PlantedDecoder: LiveDecoder {
    struct Failure: Error {}

    private let speech: PlantedSpeech
    /// The sample of the speech at session clock 0.
    var offset = 0
    /// Whether one word in ten ends a pass over an open utterance, as if it were the last one spoken.
    var endsEarly = false
    /// Called before each pass; may throw.
    var onPass: ((LiveRequest?) throws -> Void)?
    private(set) var closed: [Range<Int>] = []

    init(_ speech: PlantedSpeech) { self.speech = speech }

    func decode(_ request: LiveRequest) throws -> LivePass {
        try onPass?(request)
        precondition(request.samples.count == request.range.count, "the number of samples does not match the range")
        if request.isClosing { closed.append(request.range) }
        let first = request.forced.last?.tokens.last.map { $0 + 1 } ?? 0
        let stableEnd = request.range.upperBound - (request.attention?.threshold ?? 25) * 320
        var words = words(in: request.range, from: first, isClosing: request.isClosing)
        if endsEarly, !request.isClosing, let end = words.firstIndex(where: { hash($0.tokens[0], 0, 4) % 10 == 0 }) {
            words.removeSubrange((end + 1)...)
        }
        var isStable = true
        for index in words.indices {
            isStable = isStable && words[index].end <= stableEnd
            words[index].isStable = isStable
        }
        return LivePass(words: words)
    }

    func transcribe(_ samples: [Float]) throws -> [TranscriptSegment] {
        try onPass?(nil)
        // The position in the session is unknown here; tests that use this check only the number of samples.
        let words = words(in: 0..<samples.count, from: 0, isClosing: true)
        guard let first = words.first, let last = words.last else { return [] }
        return [
            TranscriptSegment(
                id: 0, seek: 0, start: Double(first.start) / 16_000, end: Double(last.end) / 16_000,
                text: words.map(\.text).joined(), tokens: [], temperature: 0, avgLogprob: 0, compressionRatio: 0,
                noSpeechProb: 0)
        ]
    }

    /// Returns the words of a pass over `range`.
    func words(in range: Range<Int>, from first: Int, isClosing: Bool) -> [LiveWord] {
        let (a, b) = (range.lowerBound + offset, range.upperBound + offset)
        return speech.words.indices.dropFirst(first).compactMap { index in
            let word = speech.words[index]
            guard word.start < b, word.end > a, word.start > a - 4_800 else { return nil }
            var text = word.text
            if word.end > b || word.start < a - 1_600 {
                text = " ~\(index % 90 + 10)"
            } else if !isClosing, word.end > b - 6_400, hash(index, b, 1) % 2 == 0 {
                text = " ?" + word.text.dropFirst()
            }
            let start = word.start + jitter(index, b, 2) - offset
            let end = word.end + jitter(index, b, 3) - offset
            return LiveWord(text: text, tokens: [index], start: start, end: max(start, end))
        }
    }

    private func jitter(_ word: Int, _ b: Int, _ salt: Int) -> Int { Int(hash(word, b, salt) % 2_561) - 1_280 }

    private func hash(_ word: Int, _ b: Int, _ salt: Int) -> UInt64 {
        var generator = SplitMix64(seed: UInt64(word) << 40 ^ UInt64(truncatingIfNeeded: b) << 4 ^ UInt64(salt))
        return generator.next()
    }
}

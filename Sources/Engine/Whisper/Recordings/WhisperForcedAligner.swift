import EngineModels

/// Feeds given words to the decoder and finds their times by its cross-attention.
final class WhisperForcedAligner: ForcedAligner {
    private let windows: NetworkDecoder
    private let spectrogram: RecordingSpectrogram
    private let language: String
    private let maxTokens: Int

    init(_ windows: NetworkDecoder, spectrogram: RecordingSpectrogram, language: String, maxTokens: Int) {
        self.windows = windows
        self.spectrogram = spectrogram
        self.language = language
        self.maxTokens = maxTokens
        windows.forgetWindow()
    }

    var longestPart: Double { Double(WindowSpan.fullFrames) / 100 }

    func timings(of words: [String], from start: Double, to end: Double) throws -> [ForcedTiming]? {
        let content = spectrogram.contentFrames
        let first = min(max(0, Int(start * 100)), content)
        let last = min(max(first, Int((end * 100).rounded(.up))), content, first + WindowSpan.fullFrames)
        let tokens = words.map { windows.tokenizer.encode($0) }
        let text = tokens.flatMap(\.self)
        guard last - first > 1, !text.isEmpty, text.count <= maxTokens else { return nil }
        let window = WindowSpan(seek: first, frames: last - first, contentFrames: content)
        let found = try windows.align(window, textTokens: text, language: language, task: .transcribe)
        return Self.timings(of: tokens.map(\.count), from: found).map {
            ForcedTiming(
                start: window.start + $0.start, end: window.start + $0.end, probability: $0.probability)
        }
    }

    /// The timings of words with these numbers of tokens from those of the tokenizer's words, which may be smaller or larger.
    private static func timings(of counts: [Int], from found: [WordTiming]) -> [ForcedTiming] {
        var ends: [Int] = []
        for word in found { ends.append((ends.last ?? 0) + word.tokens.count) }
        var timings: [ForcedTiming] = []
        var (first, token) = (0, 0)
        for count in counts {
            let next = token + count
            while first < found.count - 1, ends[first] <= token { first += 1 }
            var last = first
            while last < found.count - 1, ends[last] < next { last += 1 }
            token = next
            guard first < found.count else {
                timings.append(ForcedTiming(start: 0, end: 0, probability: 0))
                continue
            }
            // Signs at the end of a word take the time up to the next one.
            var spoken = found[first...last]
            while spoken.count > 1, let sign = spoken.last, !sign.word.contains(where: { $0.isLetter || $0.isNumber }) {
                spoken.removeLast()
            }
            let lettered = spoken.filter { $0.word.contains { $0.isLetter || $0.isNumber } }
            let judged = lettered.isEmpty ? Array(spoken) : lettered
            timings.append(
                ForcedTiming(
                    start: spoken[spoken.startIndex].start, end: spoken[spoken.endIndex - 1].end,
                    probability: judged.reduce(0) { $0 + $1.probability } / Double(judged.count)))
        }
        return timings
    }
}

import EngineBasics
import EngineModels
import EngineTranscripts

/// Recognizes texts that cannot have been spoken, such as loops, and finds what can be kept of them.
struct ImpossibleText: Sendable {
    /// How often a run of words may occur in a row in what is kept.
    private static let keptRepetitions = 3
    /// Windows are not shortened to fewer frames of 10 ms.
    static let shortestWindow = 100

    private let tokenizer: Tokenizer
    private let language: String
    private let judge: TextJudge

    init(options: TranscriptionOptions, tokenizer: Tokenizer, language: String) {
        self.tokenizer = tokenizer
        self.language = language
        judge = TextJudge(options.whisper).complete
    }

    /// Whether a text is a loop, or has more letters than anybody can say during the window.
    func isFound(in result: DecodingResult, of window: WindowSpan) -> Bool {
        func fits(_ text: String, _ seconds: Double) -> Bool {
            SpeakingRate.allows(SpeakingRate.plain(text), frames: TimeRounding.frame(at: seconds))
        }
        if result.compressionRatio > TextThresholds.impossibleCompressionRatio
            || !fits(tokenizer.text(of: result.tokens), window.duration)
        {
            return true
        }
        guard words(of: result.tokens).repetition(atLeast: TextThresholds.repetitions) != nil else { return false }
        return judge.isRepetitive(result.compressionRatio)
            || WindowSegments(tokens: result.tokens, span: window, tokenizer: tokenizer).segments.contains {
                !fits($0.text, $0.timing.end - $0.timing.start)
            }
    }

    /// Lengths in frames at which to decode a window again: up to the last sentence before the repetition, half, a quarter.
    func shorterLengths(of window: WindowSpan, after attempt: DecodingResult) -> [Int] {
        let kept = attempt.tokens[..<countBeforeRepetition(attempt.tokens)]
        let time = kept.last { $0 >= tokenizer.special.firstTimestamp }.map {
            2 * ($0 - tokenizer.special.firstTimestamp)
        }
        return [time ?? 0, window.frames / 2, window.frames / 4].filter {
            $0 >= Self.shortestWindow && $0 < window.frames
        }
    }

    /// The earliest frame at which to continue after such a window: the time for it stays limited, even if it is music.
    func end(of window: WindowSpan) -> Int {
        let quarter = window.frames / 4
        return window.seek + (quarter < Self.shortestWindow ? window.frames : quarter)
    }

    /// The most probable text that an attempt has before its repetition, and the part of the window where it is spoken.
    ///
    /// - Parameter lastWord: times ids of text, relative to the start of the window, and returns the last word.
    /// - Returns: `nil` if no attempt has a probable text that can be said in the time.
    func kept(
        of attempts: [DecodingResult], in window: WindowSpan, lastWord: ([Int]) throws -> WordTiming?
    ) rethrows -> (result: DecodingResult, span: WindowSpan)? {
        let candidates = attempts.compactMap { beginning(of: $0, in: window) }
        guard var best = candidates.max(by: { $0.avgLogprob < $1.avgLogprob }) else { return nil }
        let special = tokenizer.special
        let time = best.tokens.last { $0 >= special.firstTimestamp }.map { 2 * ($0 - special.firstTimestamp) } ?? 0
        var frames = min(max(time, 2), window.frames)
        if let last = best.tokens.last, last < special.firstTimestamp {
            let text = best.tokens.filter { $0 < special.endOfText }
            // A last word may be stretched over the repetition.
            let end =
                try lastWord(text).map { min($0.end, $0.start + 1) }
                ?? Double(SpeakingRate.plain(tokenizer.text(of: text)).count) / SpeakingRate.usual
            // Timestamps are 20 ms apart.
            frames = min(max(time + 2, TimeRounding.frame(at: end) / 2 * 2), window.frames)
            if best.tokens.contains(where: { $0 >= special.firstTimestamp }) {
                best.tokens.append(special.firstTimestamp + frames / 2)
                best.logprobs.append(0)
            }
        }
        return (best, WindowSpan(seek: window.seek, frames: frames, contentFrames: window.contentFrames))
    }

    /// What an attempt has before its repetition; `nil` if that is nothing, improbable or too long for the window.
    private func beginning(of attempt: DecodingResult, in window: WindowSpan) -> DecodingResult? {
        var count = countBeforeRepetition(attempt.tokens)
        // A last pair of timestamps belongs to the sentence before; a single one is the start of what is cut off.
        let endOfText = tokenizer.special.endOfText
        let isTime = { (index: Int) in index >= 0 && attempt.tokens[index] >= endOfText }
        while count > 0, isTime(count - 1), count < 2 || isTime(count - 2) { count -= 1 }
        var result = attempt
        result.tokens = Array(attempt.tokens[..<count])
        result.logprobs = Array(attempt.logprobs.prefix(count))
        result.text = WhiteSpace.strip(tokenizer.text(of: result.tokens))
        result.compressionRatio = CompressionRatio.of(result.text)
        result.avgLogprob = Double(result.logprobs.reduce(0, +)) / Double(count + 1)
        let isPossible =
            !result.text.isEmpty && !judge.isRepetitive(result.compressionRatio)
            && !judge.isImprobable(result.avgLogprob) && !isFound(in: result, of: window)
        return isPossible ? result : nil
    }

    /// Number of ids before the second occurrence of a run of words that occurs too often in a row.
    private func countBeforeRepetition(_ tokens: [Int]) -> Int {
        let words = words(of: tokens)
        guard let again = words.repetition(atLeast: Self.keptRepetitions + 1)?.second else { return tokens.count }
        let textCount = words[..<again].reduce(0) { $0 + $1.tokenCount }
        let text = tokens.indices.filter { tokens[$0] < tokenizer.special.endOfText }
        return textCount < text.count ? text[textCount] : tokens.count
    }

    /// A word in comparable form, with the ids from the end of the word before to its own.
    private struct Word: Equatable {
        let plain: String
        var tokenCount: Int

        static func == (left: Word, right: Word) -> Bool { left.plain == right.plain }
    }

    private func words(of tokens: [Int]) -> [Word] {
        var words: [Word] = []
        for word in tokenizer.splitIntoWords(tokens.filter { $0 < tokenizer.special.endOfText }, language: language) {
            let plain = SpeakingRate.plain(word.word)
            if plain.isEmpty, let last = words.indices.last {
                words[last].tokenCount += word.tokens.count
            } else {
                words.append(Word(plain: plain, tokenCount: word.tokens.count))
            }
        }
        return words
    }
}

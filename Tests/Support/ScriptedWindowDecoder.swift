package import EngineModels
package import EngineTranscripts
package import EngineWhisper

/// A window decoder that returns scripted results and records its calls.
package final class ScriptedWindowDecoder: WindowDecoder {
    package struct Call: Equatable {
        package let window: WindowSpan
        package let options: DecodingOptions
    }

    package struct Alignment: Equatable {
        package let window: WindowSpan
        package let textTokens: [Int]
        package let language: String?
        package let task: TranscriptionTask
    }

    package struct Scoring: Equatable {
        package let tokens: [Int]
        package let first: Int
        package let options: DecodingOptions
    }

    package private(set) var calls: [Call] = []
    package private(set) var scorings: [Scoring] = []
    /// The log probabilities that a scoring returns.
    package var scores: (Scoring) -> [Float] = { scoring in scoring.tokens[scoring.first...].map { _ in 0 } }
    package private(set) var alignments: [Alignment] = []
    /// The languages of windows by their first frame, each until the next.
    package var languages: [Int: DetectedLanguage] = [:]
    private let answer: (Int, Call) -> DecodingResult
    private let align: (Int, Alignment) -> [WordTiming]

    /// - Parameters:
    ///   - answer: returns the result of a call, given its number.
    ///   - align: returns the words of an alignment, given its number.
    package init(
        answer: @escaping (Int, Call) -> DecodingResult,
        align: @escaping (Int, Alignment) -> [WordTiming] = { _, _ in [] }
    ) {
        self.answer = answer
        self.align = align
    }

    package func decode(_ window: WindowSpan, options: DecodingOptions) throws -> DecodingResult {
        let call = Call(window: window, options: options)
        calls.append(call)
        return answer(calls.count - 1, call)
    }

    package func logprobs(
        of tokens: [Int], from first: Int, in window: WindowSpan, options: DecodingOptions
    ) -> [Float] {
        scorings.append(Scoring(tokens: tokens, first: first, options: options))
        return scores(scorings[scorings.count - 1])
    }

    package func detectLanguage(of window: WindowSpan, isDecoded: Bool) -> DetectedLanguage {
        let start = languages.keys.filter { $0 <= window.seek }.max()
        return start.flatMap { languages[$0] } ?? DetectedLanguage(code: "en", probability: 1)
    }

    package func align(_ window: WindowSpan, textTokens: [Int], language: String?, task: TranscriptionTask) throws
        -> [WordTiming]
    {
        let alignment = Alignment(window: window, textTokens: textTokens, language: language, task: task)
        alignments.append(alignment)
        return align(alignments.count - 1, alignment)
    }
}

extension DecodingResult {
    /// A good result by default.
    package static func scripted(
        _ tokens: [Int], temperature: Double = 0, avgLogprob: Double = -0.3, noSpeechProb: Double = 0.01,
        compressionRatio: Double = 1.2
    ) -> DecodingResult {
        DecodingResult(
            tokens: tokens, logprobs: tokens.indices.map { -Float($0) }, text: "", avgLogprob: avgLogprob,
            noSpeechProb: noSpeechProb, temperature: temperature, compressionRatio: compressionRatio)
    }
}

import EngineAudio
import EngineBasics
import EngineModels
import EngineTranscripts
import EngineVocabulary
import EngineWeights

/// Hears live audio: each pass decodes its whole window, whose encoder is cheap.
final class ParakeetLiveDecoder: LiveDecoder {
    private let model: ParakeetModel
    private let traits: ModelTraits
    private var options: TranscriptionOptions
    private let cancellation: CancellationFlag
    private var decoder: PieceDecoder?
    private var terms: [Term]
    private(set) var spokenLanguage: DetectedLanguage?

    init(_ model: ParakeetModel, options: StreamingOptions, cancellation: CancellationFlag) {
        self.model = model
        traits = model.traits
        self.options = options.transcription
        terms = options.transcription.terms
        self.options.wordTimestamps = true
        self.cancellation = cancellation
        spokenLanguage = traits.language(for: self.options).map { DetectedLanguage(code: $0, probability: 1) }
    }

    /// The words do not depend on the language, so they need not wait until it is found.
    var languageCertainty: LanguageCertainty { traits.language(for: options) == nil ? .clear : .given }

    func change(_ change: SessionChange) {
        guard let more = change.terms else { return }
        terms = options.terms + more
        decoder?.terms = terms
    }

    func decode(_ request: LiveRequest) throws -> LivePass {
        let words = try words(in: request.samples, triesAgain: request.isClosing)
        notice(words)
        let logprobs = words.flatMap(\.logprobs).map { Double($0) }
        var pass = LivePass(words: newWords(words, request))
        pass.avgLogprob = logprobs.reduce(0, +) / Double(max(1, logprobs.count))
        pass.generatedTokens = logprobs.count
        return pass
    }

    /// The words after those that are final already, which the network hears again.
    private func newWords(_ words: [ParakeetWord], _ request: LiveRequest) -> [LiveWord] {
        var found = words.map { LiveWord($0, in: request.range) }
        if let last = request.forced.last {
            // Times differ by a frame or two from pass to pass.
            found.removeAll { ($0.start + $0.end) / 2 < last.end }
            if let first = found.first, first.key == last.key, first.start < last.end { found.removeFirst() }
        }
        guard let rule = request.attention else { return found }
        let limit = request.range.upperBound - AudioChunk.samples(in: 0.02 * Double(rule.threshold))
        for index in found.indices { found[index].isStable = found[index].end < limit }
        // It may be cut off.
        if !request.isClosing, !found.isEmpty { found[found.count - 1].isStable = false }
        return found
    }

    func transcribe(_ samples: [Float]) throws -> [TranscriptSegment] {
        var segments: [TranscriptSegment] = []
        var pieces = SpeechPieces(
            clips: [0..<samples.count], speech: [0..<samples.count], longest: PieceDecoder.longest,
            read: { Array(samples[$0]) })
        while let range = try pieces.next() {
            let words = try words(in: Array(samples[range]), triesAgain: true)
            notice(words)
            segments += PieceSegments(range, options: options).segments(of: words, first: segments.count)
        }
        return segments
    }

    private func words(in samples: [Float], triesAgain: Bool) throws -> [ParakeetWord] {
        let decoder = try decoder ?? PieceDecoder(model, beams: model.beams(options), terms: terms)
        self.decoder = decoder
        return try decoder.words(of: samples, triesAgain: triesAgain) { _ in
            if cancellation.isSet { throw CancellationError() }
        }
    }

    private func notice(_ words: [ParakeetWord]) {
        guard traits.language(for: options) == nil else { return }
        let text = words.map(\.text).joined(separator: " ")
        if let found = TextLanguage(of: text, among: traits.codes(options.languages)) {
            spokenLanguage = DetectedLanguage(code: found.code, probability: found.probability)
        }
    }
}

extension LiveWord {
    /// - Parameter samples: those in which the word was heard.
    init(_ word: ParakeetWord, in samples: Range<Int>, isStable: Bool = false) {
        func sample(_ frames: Double) -> Int {
            min(samples.lowerBound + AudioChunk.samples(in: frames * ParakeetModel.frameSeconds), samples.upperBound)
        }
        self.init(
            text: " " + word.text, tokens: word.tokens, start: sample(word.start), end: sample(word.end),
            probability: word.probability, isStable: isStable)
    }
}

import EngineAudio
import EngineBasics
import EngineModels
import EngineTranscripts
import EngineVocabulary
import EngineWeights

/// Hears live audio with a streaming model: each sample once, and no word is taken back.
final class ParakeetStreamDecoder: LiveDecoder, LiveStream {
    private let model: ParakeetModel
    private var options: TranscriptionOptions
    private let lookahead: Int
    private let cancellation: CancellationFlag
    private var speech: SpeechStream?
    private var terms: [Term]
    /// The first sample of the utterance; `nil` before it is heard.
    private var start: Int?
    private(set) var spokenLanguage: DetectedLanguage?

    init(_ model: ParakeetModel, options: StreamingOptions, cancellation: CancellationFlag) {
        self.model = model
        self.options = options.transcription
        terms = options.transcription.terms
        self.options.wordTimestamps = true
        self.cancellation = cancellation
        lookahead =
            model.dimensions.streaming?.lookahead(within: options.step, frame: ParakeetModel.frameSeconds) ?? 0
        noteGivenLanguage()
    }

    var stream: (any LiveStream)? { self }

    /// `nil` if the network detects it.
    private var givenLanguage: String? { model.traits.language(for: options) }

    private func noteGivenLanguage() {
        spokenLanguage = givenLanguage.map { DetectedLanguage(code: $0, probability: 1) }
    }

    var languageCertainty: LanguageCertainty {
        givenLanguage != nil ? .given : spokenLanguage == nil ? .unclear : .clear
    }

    func startUtterance() { start = nil }

    func change(_ change: SessionChange) {
        if let more = change.terms {
            terms = options.terms + more
            speech?.terms = terms
        }
        guard let languages = change.languages, model.traits.takesLanguage else { return }
        (options.language, options.languages) = (languages.count == 1 ? languages[0] : nil, languages)
        noteGivenLanguage()
        speech?.choose(givenLanguage)
    }

    func hear(_ samples: [Float], from position: Int, isLast: Bool) throws -> LivePass {
        if cancellation.isSet { throw CancellationError() }
        let speech = try heard(), first = start ?? position
        if start == nil {
            speech.start(language: givenLanguage)
            start = first
        }
        let complete = try speech.hear(samples, isLast: isLast)
        if givenLanguage == nil { spokenLanguage = speech.language(among: options.languages) ?? spokenLanguage }
        let heard = first..<(position + samples.count)
        var pass = LivePass(words: complete.map { LiveWord($0, in: heard, isStable: true) })
        if !isLast, let open = speech.open { pass.words.append(LiveWord(open, in: heard)) }
        let logprobs = complete.flatMap(\.logprobs).map { Double($0) }
        pass.avgLogprob = logprobs.reduce(0, +) / Double(max(1, logprobs.count))
        pass.generatedTokens = logprobs.count
        return pass
    }

    func transcribe(_ samples: [Float]) throws -> [TranscriptSegment] {
        start = nil
        let clip = StreamedClip(
            0..<samples.count, by: try heard(), options: options, language: givenLanguage
        ) { [cancellation] range in
            if cancellation.isSet { throw CancellationError() }
            return Array(samples[range])
        }
        return try clip.all()
    }

    private func heard() throws -> SpeechStream {
        let speech = try speech ?? SpeechStream(model, lookahead: lookahead, terms: terms)
        self.speech = speech
        return speech
    }
}

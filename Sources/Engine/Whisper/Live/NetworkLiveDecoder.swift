import EngineAudio
package import EngineBasics
package import EngineModels
package import EngineTranscripts
import EngineVocabulary

/// Decodes live audio with the network: greedy passes whose word times come from the attention of the same pass.
package final class NetworkLiveDecoder: LiveDecoder {
    let model: WhisperModel
    let tokenizer: Tokenizer
    private(set) var options: TranscriptionOptions
    private let doubtfulBeams: Int
    private let detectsEachLanguage: Bool
    private let passContext: AudioContext
    private let closingContext: AudioContext
    /// The number of positions at the end of the last pass that are encoded again.
    private let repeatedPositions: Int
    private let judge: TextJudge
    private let cancellation: CancellationFlag
    private let spectrogram: LogMelSpectrogram
    private let heads: [AlignmentHead]
    private var terms: TermTrie?
    private var scratch: WhisperWorkspace?
    /// The audio that the decoder attends to, how much of its window was encoded, and whether in one pass.
    private var encoded: (samples: [Float], extent: AudioExtent, isWhole: Bool)?
    private(set) var language: SessionLanguage

    package init(
        _ model: WhisperModel, options: StreamingOptions, cancellation: CancellationFlag
    ) {
        self.model = model
        tokenizer = model.tokenizer
        self.options = options.transcription
        self.options.wordTimestamps = true
        self.options.whisper.seeksByWords = false
        // That of an utterance is detected below.
        self.options.multilingual = false
        doubtfulBeams = options.doubtfulBeams
        detectsEachLanguage = options.detectsEachLanguage
        passContext = options.passContext
        closingContext = options.closingContext
        repeatedPositions = Int(50 * options.repeatedAudio)
        judge = TextJudge(options.transcription.whisper)
        self.cancellation = cancellation
        spectrogram = LogMelSpectrogram(bands: model.dimensions.nMels)
        heads = model.alignmentHeads ?? AlignmentHeads.heads(of: model.dimensions)
        terms = TermTrie(options.transcription.terms, model.tokenizer)
        language = Self.language(of: model, options.transcription)
    }

    private static func language(of model: WhisperModel, _ options: TranscriptionOptions) -> SessionLanguage {
        SessionLanguage(fixed: model.dimensions.isMultilingual ? options.language : "en", among: options.languages)
    }

    package func decode(_ request: LiveRequest) throws -> LivePass {
        let context = request.isClosing ? closingContext : passContext
        try encode(request, context, keepsEarlier: !request.isClosing)
        let pass = try search(request)
        guard context == .auto, isMisled(pass, request) else { return pass }
        // By what earlier passes have encoded, or by the stored silence.
        let hasMore = try encode(request, request.isClosing ? .full : context, keepsEarlier: false)
        return hasMore ? try search(request) : pass
    }

    /// Whether a pass over a window of which only the sound, or only the newest sound, was encoded cannot be trusted.
    private func isMisled(_ pass: LivePass, _ request: LiveRequest) -> Bool {
        if pass.isRepetitive || judge.isRepetitive(pass.compressionRatio) { return true }
        // No later pass hears this audio.
        return request.isClosing
            && (pass.isEndless || judge.isImprobable(pass.avgLogprob) || judge.lacksSpeech(pass.noSpeechProb)
                || pass.words.isEmpty && (request.forced.isEmpty || request.expectsText))
    }

    /// Encodes a window unless it is the last one, or that one has more of it.
    ///
    /// - Parameter keepsEarlier: whether positions that an earlier pass has encoded may stay as they are.
    /// - Returns: whether anything was encoded.
    @discardableResult
    private func encode(_ request: LiveRequest, _ context: AudioContext, keepsEarlier: Bool) throws -> Bool {
        let buffers = try buffers()
        let frames = min(WindowSpan.fullFrames, LogMelSpectrogram.contentFrames(samples: request.samples.count))
        let extent = model.extent(context, frames: frames)
        var start = 0
        if let encoded, request.samples.starts(with: encoded.samples) {
            let isSame = encoded.samples.count == request.samples.count
            let hasAll = encoded.extent.positions == model.dimensions.nAudioCtx
            if isSame, hasAll || encoded.extent == extent && (encoded.isWhole || keepsEarlier) { return false }
            if keepsEarlier, encoded.extent.isFollowedBySilence, extent.isFollowedBySilence {
                let end = encoded.samples.count / Self.positionSamples
                start = max(0, end - repeatedPositions) / AudioContext.step * AudioContext.step
            }
        }
        buffers.attend(to: logMel(of: request.samples, frames: frames), extent: extent, from: start)
        encoded = (request.samples, extent, isWhole: start == 0)
        return true
    }

    private func search(_ request: LiveRequest) throws -> LivePass {
        let buffers = try buffers()
        guard let extent = encoded?.extent else { preconditionFailure("nothing encoded") }
        // Final words keep the language of their window, but the next utterance may be in another.
        if request.forced.isEmpty || request.isClosing && language.certainty == .clear || language.best == nil {
            try language.hear(request.range, voice: request.voice, isWhole: request.isClosing) {
                try evidence(of: LanguageDetection(scorer: buffers.decoder, specials: tokenizer.special))
            }
        }
        let initial = try initialTokens(for: request, contextLength: buffers.decoder.contextLength)
        let positions = min(extent.positions, max(1, request.samples.count / Self.positionSamples))
        let monitor = PassMonitor(
            heads: heads.count, positions: positions, rule: request.attention, start: request.range.lowerBound,
            initialRows: initial.tokens.count,
            maxUnstable: request.isClosing || request.attention == nil ? nil : Self.maxUnstable)
        let record = AttentionRecord(heads: heads, columns: positions)
        buffers.decoder.attention = request.beams > 1 ? nil : record
        defer { buffers.decoder.attention = nil }
        let task = try DecodingTask(
            options: decodingOptions(for: request), specials: tokenizer.special,
            nonSpeechTokens: tokenizer.nonSpeechTokens, terms: terms)
        let scorer = DraftScorer(buffers.decoder, draft: request.draft)
        var decoded: DecodedTokens?
        do {
            decoded = try task.run(
                request.beams > 1 ? buffers.decoder : scorer, from: initial, position: request.range.lowerBound,
                onStep: { [cancellation, tokenizer] best in
                    if cancellation.isSet { throw CancellationError() }
                    try monitor.step(
                        best, attention: buffers.decoder.attention, rows: scorer.cachedCount, tokenizer: tokenizer)
                })
            if let decoded, request.beams > 1 {
                // The beams have no common attention: record that of the best text.
                buffers.decoder.attention = record
                _ = try buffers.decoder.start(initial.tokens + decoded.tokens, logitsAt: [initial.tokens.count - 1])
                try monitor.review(
                    decoded.tokens[...], decoded.logprobs[...], attention: buffers.decoder.attention)
            }
        } catch is PassMonitor.Aborted {
            // The text generated so far is judged below.
        }
        scorer.finish()
        guard !monitor.isInvalid else { return LivePass(words: []) }
        var tokens = decoded?.tokens ?? monitor.best.tokens
        var pass = LivePass(words: [])
        if let record = buffers.decoder.attention {
            pass.words = words(of: tokens, request: request, initial: initial, record: record, monitor: monitor)
        }
        if monitor.isEndless {
            pass.words = Array(pass.words.prefix { $0.isStable || $0.end > $0.start })
            tokens = pass.words.flatMap(\.tokens)
            pass.avgLogprob = monitor.meanLogprob
        } else {
            pass.avgLogprob = decoded?.avgLogprob ?? -Double(Float.greatestFiniteMagnitude)
        }
        pass.noSpeechProb = decoded?.noSpeechProb ?? 0
        pass.compressionRatio = CompressionRatio.of(tokenizer.decode(tokens))
        pass.temperature = request.temperature
        pass.isRepetitive = monitor.isRepetitive
        pass.isEndless = monitor.isEndless
        pass.attended = monitor.attended
        pass.generatedTokens = tokens.count
        pass.acceptedDraftTokens = scorer.acceptedCount
        return pass
    }

    package func transcribe(_ samples: [Float]) throws -> [TranscriptSegment] {
        encoded = nil
        let recording = try RecordingSpectrogram(spectrogram, of: RecordedAudio(samples))
        let decoder = NetworkDecoder(
            try buffers(), spectrogram: recording, options: options, terms: terms,
            onStep: { [cancellation] _, _ in if cancellation.isSet { throw CancellationError() } })
        try language.hear(
            0..<samples.count, voice: AudioChunk.seconds(of: samples.count), isWhole: true
        ) {
            try evidence(of: decoder.detection(from: 0))
        }
        var loop = SeekLoop(
            options: options, contentFrames: recording.contentFrames, tokenizer: tokenizer, language: language.code,
            decoder: decoder)
        var segments: [TranscriptSegment] = []
        while let found = try loop.next() { segments += found }
        return segments
    }

    package var spokenLanguage: DetectedLanguage? { language.best }
    package var languageCertainty: LanguageCertainty { language.certainty }

    package func startUtterance() {
        encoded = nil
        if detectsEachLanguage { restartDetection() } else { language.startUtterance() }
    }

    package func change(_ change: SessionChange) {
        if let more = change.terms { terms = TermTrie(options.terms + more, tokenizer) }
        if let prompt = change.initialPrompt { options.whisper.initialPrompt = prompt.isEmpty ? nil : prompt }
        if let languages = change.languages, languages != options.languages {
            options.languages = languages
            options.language = languages.count == 1 ? languages[0] : nil
            restartDetection()
        }
    }

    private func restartDetection() {
        language = Self.language(of: model, options)
    }

    /// More tokens than anyone says in the newest half second, whose tokens are unstable.
    private static let maxUnstable = 16
    /// Samples per audio position of the network.
    private static let positionSamples = 320

    /// Allocates the network's buffers on first use.
    private func buffers() throws -> WhisperWorkspace {
        if let scratch { return scratch }
        let rows = max(doubtfulBeams, options.beamSize ?? WhisperOptions.beams, options.whisper.decoding.bestOf ?? 1)
        let buffers = try WhisperWorkspace(model, rows: rows, windowsGrow: true)
        scratch = buffers
        return buffers
    }

    /// Returns the log-mel spectrogram, scaled by the loudest value of the window: the rest of the session is unknown.
    private func logMel(of samples: [Float], frames: Int) -> [Float] {
        var values = spectrogram.logarithms(0..<frames, sampleCount: samples.count) { Array(samples[$0]) }
        LogMelSpectrogram.scale(&values, loudest: values.max() ?? LogMelSpectrogram.silence)
        return values
    }

    /// What a window says about the languages.
    private func evidence(of detection: LanguageDetection) -> SessionLanguage.Evidence {
        var probabilities: [String: Double] = [:]
        for (token, probability) in detection.probabilities {
            if let code = tokenizer.language(ofToken: token)?.code { probabilities[code] = probability }
        }
        return SessionLanguage.Evidence(probabilities, noSpeechProb: detection.noSpeechProb)
    }

    private func decodingOptions(for request: LiveRequest) -> DecodingOptions {
        var decoding = DecodingOptions()
        decoding.task = options.task
        decoding.temperature = request.temperature
        decoding.beamSize = request.beams > 1 ? request.beams : nil
        // Without the timestamp rules nothing else suppresses timestamps, and here every token becomes text.
        decoding.suppressTokens =
            (options.whisper.decoding.suppressTokens ?? [])
            + Array((tokenizer.special.endOfText + 1)..<tokenizer.special.vocabularySize)
        // A window that starts with final words may well contain nothing else.
        decoding.suppressBlank = request.forced.isEmpty || request.expectsText
        decoding.withoutTimestamps = true
        decoding.seed = options.whisper.decoding.seed
        return decoding
    }
}

import EngineBasics
package import EngineModels
package import EngineTranscripts
package import EngineVocabulary

/// Decodes the windows of one recording with the network and its searches.
package final class NetworkDecoder: WindowDecoder {
    /// Called with the currently best tokens of a window after each step; an error it throws ends the pass.
    package typealias StepHandler = (_ window: WindowSpan, _ tokens: [Int]) throws -> Void

    private let network: any WindowNetwork
    private let spectrogram: any WindowSpectrogram
    private let firstFrame: Int
    private let onStep: StepHandler?
    private let heads: [AlignmentHead]
    private let context: AudioContext
    private let remainderContext: AudioContext
    private let judge: TextJudge
    /// Those that detection chooses from.
    private let languages: [String]
    private let terms: TermTrie?
    /// The window that the network attends to, and how much of it was encoded.
    private var encoded: (window: WindowSpan, extent: AudioExtent)?
    /// Those of all languages, the most probable first, where the language was detected last.
    private(set) var languageProbabilities: [DetectedLanguage]?
    /// The window that `AudioContext.auto` decodes in full.
    private var needsFull: WindowSpan?

    /// - Parameters:
    ///   - options: their audio context, the languages to detect, and the thresholds that make the text of a shortened
    ///     window doubtful.
    ///   - remainderContext: audio context of all windows but the first, if it differs.
    ///   - firstFrame: position of the spectrogram in its recording, so that each window draws different samples.
    ///   - terms: those of the options.
    package init(
        _ network: any WindowNetwork, spectrogram: any WindowSpectrogram,
        options: TranscriptionOptions = TranscriptionOptions(), firstFrame: Int = 0,
        remainderContext: AudioContext? = nil, terms: TermTrie? = nil, onStep: StepHandler? = nil
    ) {
        context = options.whisper.audioContext
        self.remainderContext = remainderContext ?? context
        judge = TextJudge(options.whisper)
        languages = options.languages
        self.terms = terms
        self.network = network
        self.spectrogram = spectrogram
        self.firstFrame = firstFrame
        self.onStep = onStep
        heads = network.model.alignmentHeads ?? AlignmentHeads.heads(of: network.model.dimensions)
    }

    package var tokenizer: Tokenizer { network.model.tokenizer }
    private var dimensions: ModelDimensions { network.model.dimensions }

    package func decode(_ window: WindowSpan, options: DecodingOptions) throws -> DecodingResult {
        let extent = try encode(window)
        let initial = try initialTokens(options)
        let task = try DecodingTask(
            options: options, specials: tokenizer.special, nonSpeechTokens: tokenizer.nonSpeechTokens, terms: terms)
        let decoded = try task.run(
            network.scorer, from: initial, position: firstFrame + window.seek,
            onStep: { [onStep] best in
                try Task.checkCancellation()
                try onStep?(window, best.tokens)
            })
        let result = decoded.result(
            text: WhiteSpace.strip(tokenizer.decode(decoded.tokens)), temperature: options.temperature)
        guard extent.isFollowedBySilence else { return result }
        let maxTokens =
            options.forcedTokenCount ?? options.maxNewTokens ?? options.sampleLength ?? dimensions.nTextCtx / 2
        if judge.trusts(result, maxTokens: maxTokens) { return result }
        needsFull = window
        return try decode(window, options: options)
    }

    package func logprobs(
        of tokens: [Int], from first: Int, in window: WindowSpan, options: DecodingOptions
    ) throws -> [Float] {
        _ = try encode(window)
        let start = try initialTokens(options).tokens
        let all = start + tokens
        guard first < tokens.count, all.count <= dimensions.nTextCtx else { return [] }
        var logprobs: [Float] = []
        _ = try network.align(
            all.dropLast(), heads: [], columns: 0, rows: (start.count + first - 1)..<(all.count - 1)
        ) { position, logits in
            logprobs.append(LogProbabilities(logits)(logits[all[position + 1]]))
        }
        return logprobs
    }

    package func align(
        _ window: WindowSpan, textTokens: [Int], language: String?, task: TranscriptionTask
    ) throws -> [WordTiming] {
        let columns = try encode(window).positions
        let start = try startSequence(language: language, task: task)
        let text = textTokens.prefix(dimensions.nTextCtx - start.count - 2)
        let tokens = start + [tokenizer.special.noTimestamps] + text + [tokenizer.special.endOfText]
        var probabilities: [Float] = []
        let scores = try network.align(
            tokens, heads: heads, columns: columns, rows: start.count..<(start.count + text.count)
        ) { position, logits in
            probabilities.append(
                CrossAttentionAlignment.probability(
                    of: tokens[position + 1], logits: logits, endOfText: tokenizer.special.endOfText))
        }
        let alignment = CrossAttentionAlignment(
            rows: tokens.count, columns: columns, startLength: start.count, frames: window.frames)
        return alignment.timings(
            of: CrossAttentionAlignment.words(
                of: Array(text), tokenizer: tokenizer, language: dimensions.isMultilingual ? language : nil),
            scores: scores, probabilities: probabilities)
    }

    /// Detects the language of the 30 seconds from a frame on, padded with silence after the end of the recording.
    package func detectLanguage(from frame: Int = 0) throws -> DetectedLanguage {
        let detection = try detection(from: frame)
        languageProbabilities = detection.probabilities.compactMap { token, probability in
            tokenizer.language(ofToken: token).map { DetectedLanguage(code: $0.code, probability: probability) }
        }.sorted { ($1.probability, $0.code) < ($0.probability, $1.code) }
        return language(by: detection)
    }

    package func detectLanguage(of window: WindowSpan, isDecoded: Bool) throws -> DetectedLanguage {
        // What is decoded next need not be encoded again.
        _ = try encode(window, isDecoded ? nil : .auto)
        return language(by: try LanguageDetection(scorer: network.scorer, specials: tokenizer.special))
    }

    private func language(by detection: LanguageDetection) -> DetectedLanguage {
        let possible = languages.compactMap { try? tokenizer.languageToken($0) }
        let best = detection.best(among: possible)
        let probability = detection.probabilities[best] ?? 0
        let sum = possible.reduce(0) { $0 + (detection.probabilities[$1] ?? 0) }
        return DetectedLanguage(
            code: tokenizer.language(ofToken: best)?.code ?? "en", probability: probability,
            share: sum > 0 ? probability / sum : probability)
    }

    /// The probabilities of all languages in the 30 seconds from a frame on.
    package func detection(from frame: Int) throws -> LanguageDetection {
        let content = spectrogram.contentFrames
        let frames = min(WindowSpan.fullFrames, max(0, content - frame))
        if context == .auto {
            // The extent of the first window that is decoded, which then need not be encoded again.
            _ = try encode(WindowSpan(seek: frame, frames: frames, contentFrames: content))
        } else {
            network.attend(
                to: try spectrogram.logMel(frame..<(frame + WindowSpan.fullFrames)),
                extent: AudioExtent(positions: dimensions.nAudioCtx))
            encoded = nil
        }
        return try LanguageDetection(scorer: network.scorer, specials: tokenizer.special)
    }

    /// Encodes the next window even if it is the current one: another recording may have used the network since.
    package func forgetWindow() { encoded = nil }

    private func initialTokens(_ options: DecodingOptions) throws -> InitialTokens {
        InitialTokens(
            sotSequence: try startSequence(language: options.language, task: options.task), options: options,
            specials: tokenizer.special, contextLength: dimensions.nTextCtx)
    }

    private func startSequence(language: String?, task: TranscriptionTask) throws -> [Int] {
        try tokenizer.startOfTranscriptSequence(
            language: dimensions.isMultilingual ? language : nil, task: task)
    }

    /// Encodes a window unless it is the current one, as in a retry at another temperature.
    private func encode(_ window: WindowSpan, _ other: AudioContext? = nil) throws -> AudioExtent {
        let context = other ?? (needsFull == window ? .full : window.seek > 0 ? remainderContext : context)
        let extent = network.model.extent(context, frames: window.frames)
        if let encoded, encoded == (window, extent) { return extent }
        network.attend(to: try spectrogram.logMel(window.seek..<(window.seek + window.frames)), extent: extent)
        encoded = (window, extent)
        return extent
    }
}

extension TextJudge {
    /// Whether the result of a window of which only the sound was encoded can be trusted.
    ///
    /// Models are trained with full windows. Such a window may mislead them into repeating themselves or generating
    /// nothing; it is decoded again in full.
    ///
    /// - Parameter maxTokens: the maximum that the search may generate.
    package func trusts(_ result: DecodingResult, maxTokens: Int) -> Bool {
        // Whether a window is silent is decided with its full context, too.
        !lacksSpeech(result.noSpeechProb) && !isImprobable(result.avgLogprob) && !isRepetitive(result.compressionRatio)
            && !result.text.isEmpty && result.tokens.count < maxTokens
    }
}

/// The network over live sound: greedy passes with word times from the attention of the same pass.
package final class NetworkLiveDecoder: LiveDecoder {
    let model: WhisperModel
    let tokenizer: Tokenizer
    private let options: TranscriptionOptions
    private let passContext: AudioContext
    private let closingContext: AudioContext
    private let cancellation: CancellationFlag
    private let spectrogram: LogMelSpectrogram
    private let heads: [AlignmentHead]
    private var scratch: NetworkBuffers?
    private var language: LiveLanguage

    package init(
        _ model: WhisperModel, tokenizer: Tokenizer, options: StreamingOptions, cancellation: CancellationFlag
    ) {
        self.model = model
        self.tokenizer = tokenizer
        self.options = options.transcription
        passContext = options.passContext
        closingContext = options.closingContext
        self.cancellation = cancellation
        spectrogram = LogMelSpectrogram(bands: model.dimensions.nMels)
        heads = model.alignmentHeads ?? AlignmentHeads.heads(of: model.dimensions)
        language = LiveLanguage(given: model.dimensions.isMultilingual ? options.language : "en")
    }

    package func decode(_ request: LiveRequest) throws -> LivePass {
        let buffers = try buffers()
        let frames = min(WindowSpan.fullFrames, LogMelSpectrogram.contentFrames(samples: request.samples.count))
        let context = request.isClosing ? closingContext : passContext
        let heard = context.positions(frames: frames, limit: buffers.encoder.positions)
        let mel = logMel(of: request.samples, frames: frames)
        buffers.decoder.attend(to: buffers.encoder.encode(mel, positions: heard))
        let detected = try language.detect { try detect(buffers.decoder) }
        let initial = try initialTokens(for: request, contextLength: buffers.decoder.contextLength)
        let positions = min(heard, max(1, request.samples.count / Self.positionSamples))
        let watch = PassWatch(
            heads: heads.count, positions: positions, rule: request.attention, start: request.range.lowerBound)
        var sampler = TokenSampler(
            temperature: request.temperature,
            generator: SplitMix64(
                seed: options.decoding.seed, position: request.range.lowerBound, temperature: request.temperature))
        buffers.decoder.attention = AttentionRecord(heads: heads, columns: positions)
        defer { buffers.decoder.attention = nil }
        let task = try DecodingTask(
            options: decodingOptions(for: request), specials: tokenizer.special,
            nonSpeechTokens: tokenizer.nonSpeechTokens)
        let scorer = DraftScorer(buffers.decoder, draft: request.draft)
        var found: DecodedTokens?
        do {
            found = try task.run(
                scorer, from: initial, position: request.range.lowerBound,
                onStep: { [cancellation, tokenizer] tokens in
                    if cancellation.isSet { throw CancellationError() }
                    try watch.step(
                        tokens, attention: buffers.decoder.attention, rows: scorer.taken, tokenizer: tokenizer)
                },
                choose: { logits, _ in
                    let token = request.temperature > 0 ? sampler.draw(from: logits) : LogProbabilities.best(logits)
                    watch.choose(token, from: logits)
                    return token
                })
        } catch is PassWatch.BrokenOff {
            // What was written so far is judged below.
        }
        scorer.finish()
        guard !watch.isVoid else { return LivePass(words: []) }
        let tokens = found?.tokens ?? watch.tokens
        var pass = LivePass(words: [])
        if let record = buffers.decoder.attention {
            pass.words = words(of: tokens, request: request, initial: initial, record: record, watch: watch)
        }
        pass.avgLogprob = found?.avgLogprob ?? -Double(Float.greatestFiniteMagnitude)
        pass.noSpeechProb = found?.noSpeechProb ?? 0
        pass.compressionRatio = CompressionRatio.of(tokenizer.decode(tokens))
        pass.temperature = request.temperature
        pass.isRepetitive = watch.isRepetitive
        pass.attended = watch.attended
        pass.writtenTokens = tokens.count
        pass.foretoldTokens = scorer.foretold
        pass.detected = detected
        return pass
    }

    package func transcribe(_ samples: [Float]) throws -> [TranscriptSegment] {
        let recording = try RecordingSpectrogram(spectrogram, samples: samples)
        let buffers = try buffers()
        let decoder = NetworkDecoder(
            model, tokenizer: tokenizer, encoder: buffers.encoder, network: buffers.decoder, spectrogram: recording,
            options: options, onStep: { [cancellation] _, _ in if cancellation.isSet { throw CancellationError() } })
        _ = try language.detect { try decoder.detectLanguage() }
        var loop = SeekLoop(
            options: options, contentFrames: recording.contentFrames, tokenizer: tokenizer, language: language.code,
            decoder: decoder)
        var segments: [TranscriptSegment] = []
        while let found = try loop.next() { segments += found }
        return segments
    }

    /// Samples of an audio position of the network.
    private static let positionSamples = 320
    /// Tokens that stay free for what is said now.
    private static let newTokens = 120

    private func buffers() throws -> NetworkBuffers {
        if let scratch { return scratch }
        let rows = max(options.decoding.beamSize ?? 1, options.decoding.bestOf ?? 1, 1)
        let made = NetworkBuffers(encoder: try AudioEncoder(model), decoder: try TextDecoder(model, maxRows: rows))
        scratch = made
        return made
    }

    /// Scaled by the loudest moment of the window, which is all that is known.
    private func logMel(of samples: [Float], frames: Int) -> [Float] {
        var values = spectrogram.logarithms(0..<frames, sampleCount: samples.count) { Array(samples[$0]) }
        LogMelSpectrogram.scale(&values, loudest: values.max() ?? LogMelSpectrogram.silence)
        return values
    }

    private func detect(_ decoder: TextDecoder) throws -> DetectedLanguage {
        let detection = try LanguageDetection(scorer: decoder, specials: tokenizer.special)
        return DetectedLanguage(
            code: tokenizer.language(ofToken: detection.best)?.code ?? "en",
            probability: detection.probabilities[detection.best] ?? 0)
    }

    private func decodingOptions(for request: LiveRequest) -> DecodingOptions {
        var decoding = DecodingOptions()
        decoding.task = options.decoding.task
        decoding.temperature = request.temperature
        // Without timestamps nothing else keeps them back; here every token becomes text.
        decoding.suppressTokens =
            (options.decoding.suppressTokens ?? [])
            + Array((tokenizer.special.endOfText + 1)..<tokenizer.special.vocabularySize)
        // An open window that begins with final words may well end with them.
        decoding.suppressBlank = request.forced.isEmpty
        decoding.withoutTimestamps = true
        decoding.seed = options.decoding.seed
        return decoding
    }

    private func initialTokens(for request: LiveRequest, contextLength: Int) throws -> InitialTokens {
        let start = try tokenizer.startOfTranscriptSequence(
            language: model.dimensions.isMultilingual ? language.code : nil, task: options.decoding.task)
        let text = [options.initialPrompt ?? "", request.context].filter { !$0.isEmpty }
            .map { " " + WhiteSpace.strip($0) }.joined()
        let forced = request.forced.flatMap(\.tokens)
        let room = min(contextLength / 2 - 1, contextLength - start.count - 2 - forced.count - Self.newTokens)
        let prompt = text.isEmpty ? [] : tokenizer.encode(text).suffix(max(0, room))
        let opening = prompt.isEmpty ? [] : [tokenizer.special.startOfPrevious] + prompt
        // Forced words never leave less than one token to be written.
        let begin = opening + start + [tokenizer.special.noTimestamps]
        return InitialTokens(
            tokens: begin + forced.suffix(max(0, contextLength - begin.count - 1)), sotIndex: opening.count)
    }

    private func words(
        of tokens: [Int], request: LiveRequest, initial: InitialTokens, record: AttentionRecord, watch: PassWatch
    ) -> [LiveWord] {
        let complete = request.isClosing ? tokens : wholeCharacters(tokens)
        // Rows before the start of the transcript are those of previous text, which is not in the sound.
        let first = initial.sotIndex
        let rows = min(record.rows, initial.tokens.count + complete.count) - first
        let forcedCount = request.forced.reduce(0) { $0 + $1.tokens.count }
        let startLength = initial.tokens.count - first - forcedCount - 1
        guard !complete.isEmpty, rows > startLength, startLength >= 0 else { return [] }
        let alignment = CrossAttentionAlignment(
            rows: rows, columns: record.columns, startLength: startLength, frames: 2 * record.columns, trailing: 0)
        let new = CrossAttentionAlignment.words(
            of: complete, tokenizer: tokenizer, language: model.dimensions.isMultilingual ? language.code : nil)
        let timings = alignment.timings(
            of: request.forced.map { WordTokens(word: $0.text, tokens: $0.tokens) } + new,
            scores: record.scores.map { Array($0[(first * record.columns)..<((first + rows) * record.columns)]) },
            probabilities: [Float](repeating: 1, count: forcedCount) + watch.probabilities.prefix(complete.count))
        let punctuation = PunctuationMerging(
            prepended: options.prependPunctuations, appended: options.appendPunctuations)
        let found = WordTimings(Array(timings.dropFirst(request.forced.count)), merging: punctuation).words
        return liveWords(found, request: request, stable: watch.stableCount)
    }

    /// - Parameter stable: tokens at the beginning that are certain; the last word never is, it may be cut.
    private func liveWords(_ timings: [WordTiming], request: LiveRequest, stable: Int) -> [LiveWord] {
        var words: [LiveWord] = []
        var tokens = 0
        for timing in timings where !timing.word.isEmpty {
            tokens += timing.tokens.count
            words.append(
                LiveWord(
                    text: timing.word, tokens: timing.tokens, start: place(timing.start, in: request.range),
                    end: place(timing.end, in: request.range), probability: timing.probability,
                    isStable: tokens <= stable))
        }
        if let last = words.indices.last { words[last].isStable = false }
        return words
    }

    private func place(_ seconds: Double, in range: Range<Int>) -> Int {
        min(range.lowerBound + max(0, Int((seconds * 16_000).rounded())), range.upperBound)
    }

    /// Without tokens at the end that begin a character and do not complete it.
    private func wholeCharacters(_ tokens: [Int]) -> [Int] {
        var assembler = UTF8Assembler()
        var count = 0
        for (index, token) in tokens.enumerated() {
            _ = assembler.append(tokenizer.bytes(of: token))
            if assembler.pending.isEmpty { count = index + 1 }
        }
        return Array(tokens.prefix(count))
    }
}

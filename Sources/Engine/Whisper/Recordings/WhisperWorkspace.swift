import EngineCompute
package import EngineModels
package import EngineTranscripts
import EngineVocabulary
import EngineVoices

/// The network's buffers, which one recording after another uses.
package final class WhisperWorkspace: DecodingWorkspace, WindowNetwork {
    package let model: WhisperModel
    let encoder: AudioEncoder
    let decoder: TextDecoder
    package var scorer: any TokenScorer { decoder }

    /// - Parameters:
    ///   - rows: hypotheses that a search keeps at a time.
    ///   - windowsGrow: as for `AudioEncoder`.
    init(_ model: WhisperModel, rows: Int, encoder: AudioEncoder? = nil, windowsGrow: Bool = false) throws {
        self.model = model
        self.encoder = try encoder ?? AudioEncoder(model, windowsGrow: windowsGrow)
        decoder = try TextDecoder(model, maxRows: rows)
    }

    package func attend(to logMel: [Float], extent: AudioExtent) { attend(to: logMel, extent: extent, from: 0) }

    /// - Parameter start: the first position to encode; those before stay as they are.
    func attend(to logMel: [Float], extent: AudioExtent, from start: Int) {
        let silence = model.silence(after: extent)
        precondition(start == 0 || silence != nil, "only before silence")
        let audio = encoder.encode(logMel, positions: extent.positions, from: start, then: silence)
        decoder.attend(to: audio, at: start, then: silence)
    }

    package func align(
        _ tokens: [Int], heads: [AlignmentHead], columns: Int, rows: Range<Int>,
        eachRow: (_ position: Int, _ logits: [Float]) -> Void
    ) throws -> [[Float]] {
        try decoder.align(tokens, heads: heads, columns: columns, rows: rows, eachRow: eachRow)
    }

    package func decoder(
        for recording: RecordedAudio, options: TranscriptionOptions,
        onTokens: @escaping (LikelyTokens) -> Void, updates: (TranscriptUpdate) -> Void
    ) throws -> any RecordingDecoder {
        var options = options
        if let speech = recording.summary.speech { options.clipTimestamps = speech.clips }
        let spectrogram = RecordingSpectrogram(
            LogMelSpectrogram(bands: model.dimensions.nMels), of: recording, ahead: model.backend.threads > 1)
        let windows = NetworkDecoder(
            self, spectrogram: spectrogram, options: options, terms: TermTrie(options.terms, model.tokenizer),
            onStep: { window, tokens in
                onTokens(
                    LikelyTokens(seek: window.seek, start: window.start, duration: window.duration, tokens: tokens))
            })
        let language =
            try model.traits.language(for: options, hearing: recording.summary)
            ?? windows.detectLanguage(of: recording.summary, options, updates: updates)
        return WhisperRecordingDecoder(spectrogram, windows: windows, options: options, language: language)
    }
}

extension WhisperWorkspace {
    package func forcedAligner(
        for recording: RecordedAudio, options: TranscriptionOptions, language: String
    ) -> (any ForcedAligner)? {
        let spectrogram = RecordingSpectrogram(LogMelSpectrogram(bands: model.dimensions.nMels), of: recording)
        return WhisperForcedAligner(
            NetworkDecoder(self, spectrogram: spectrogram, options: options), spectrogram: spectrogram,
            language: language, maxTokens: model.dimensions.nTextCtx / 2 - 8)
    }
}

/// Decodes a recording window by window.
final class WhisperRecordingDecoder: RecordingDecoder {
    let language: String
    private let spectrogram: RecordingSpectrogram
    private let windows: NetworkDecoder
    private var loop: SeekLoop
    private var isAtEnd = false

    init(
        _ spectrogram: RecordingSpectrogram, windows: NetworkDecoder, options: TranscriptionOptions, language: String
    ) {
        self.spectrogram = spectrogram
        self.windows = windows
        self.language = language
        let voiced = spectrogram.recording.summary.voiced
        loop = SeekLoop(
            options: options, contentFrames: spectrogram.contentFrames, tokenizer: windows.tokenizer,
            language: language, decoder: windows,
            guards: options.isGuarded ? Guards(speech: voiced, options: options) : nil, speech: voiced,
            suggestions: TermSuggestions(options.terms, windows.tokenizer))
    }

    var languageProbabilities: [DetectedLanguage]? { windows.languageProbabilities }
    var position: Double { Double(loop.position) / 100 }
    var text: String { loop.text }

    func next() throws -> DecodedWindow? {
        guard !isAtEnd else { return nil }
        windows.forgetWindow()
        guard let segments = try loop.next() else {
            isAtEnd = true
            return nil
        }
        // All full windows of silence are the same, so that hours of it are decoded only once.
        isAtEnd = spectrogram.isLongSilence && segments.allSatisfy(\.text.isEmpty)
        var window = DecodedWindow(segments: segments, events: loop.events)
        window.language = loop.language
        return window
    }
}

extension NetworkDecoder {
    /// Detects the language in the first window; with guards in the first windows that contain speech, until one result
    /// is confident. A window with little speech, such as a short sound at the start, shows it less.
    ///
    /// - Returns: its code.
    func detectLanguage(
        of recording: RecordingSummary, _ options: TranscriptionOptions, updates: (TranscriptUpdate) -> Void
    ) throws -> String {
        if options.whisper.languageThreshold != nil || options.whisper.languageWindows > 1 {
            let best = try detectLanguage(inWindowsOf: recording, options.whisper)
            updates(.language(code: best.code, probability: best.probability))
            return best.code
        }
        let starts =
            options.isGuarded
            ? recording.voiced.windowStarts(ofFrames: WindowSpan.fullFrames, limit: Guards.languageWindows) : []
        var best: (language: DetectedLanguage, confidence: Double)?
        for start in starts.isEmpty ? [0] : starts {
            if start > 0 {
                let time = options.offset + Double(start) / 100
                updates(.event(TranscriptUpdate.Event(.guarded(.languageDetected(at: time)))))
            }
            let detected = try detectLanguage(from: start)
            let speech = recording.voiced.count(in: start..<(start + WindowSpan.fullFrames))
            let confidence =
                options.isGuarded ? detected.share * min(1, Double(speech) / Double(Guards.languageSpeech)) : 1
            if best.map({ $0.confidence < confidence }) ?? true { best = (detected, confidence) }
            if confidence >= Guards.languageProbability { break }
        }
        guard let best = best?.language else { return "en" }
        updates(.language(code: best.code, probability: best.probability))
        return best.code
    }

    /// Detects the language in consecutive windows until one is probable enough; if none is, chooses that of most windows.
    private func detectLanguage(
        inWindowsOf recording: RecordingSummary, _ options: WhisperOptions
    ) throws -> DetectedLanguage {
        let frames = (recording.speech?.kept.count ?? recording.count) / LogMelSpectrogram.hop
        let windows = max(1, min(options.languageWindows, (frames + WindowSpan.fullFrames - 1) / WindowSpan.fullFrames))
        var found: [DetectedLanguage] = []
        for window in 0..<windows {
            let detected = try detectLanguage(from: window * WindowSpan.fullFrames)
            if detected.probability > options.languageThreshold ?? 0.5 { return detected }
            found.append(detected)
        }
        func votes(_ code: String) -> Int { found.count { $0.code == code } }
        // The first of several with as many windows, where it is most probable.
        var best = found[0]
        for language in found where votes(language.code) > votes(best.code) { best = language }
        return found.filter { $0.code == best.code }.max { $0.probability < $1.probability } ?? best
    }
}

import WhisperEngine

/// Checks for options of `transcribe` that contradict each other. Only options given on the command line can: they
/// override settings of the config file.
struct TranscribeChecks {
    let options: TranscribeOptions

    func check() throws(UsageError) {
        try Verbosity.check(options.given)
        try options.spoken.check(options.given)
        if has("--word-timestamps"), words, options.engine.whisper.decoding.withoutTimestamps {
            throw .contradiction("--word-timestamps", "--without-timestamps", why: "words are timed within segments")
        }
        if has("--translate"), has("--task"), options.engine.task == .transcribe {
            throw .contradiction("--translate", "--task transcribe", why: "they are different tasks")
        }
        try checkSpeakerOptions()
        try checkWordOptions()
        try checkVoiceOptions()
        try checkSearchOptions()
        if has("--carry-initial-prompt"), options.engine.whisper.carryInitialPrompt,
            options.engine.whisper.initialPrompt == nil
        {
            throw .needs("--carry-initial-prompt", "--initial-prompt")
        }
        if has("--beside"), has("--output-dir") {
            throw .contradiction("--beside", "--output-dir", why: "files have one folder")
        }
        if has("--skip-existing"), !options.writesFiles { throw .needs("--skip-existing", "--output-format") }
        for name in ["--null", "--shard"] where has(name) && options.filesFrom == nil {
            throw .needs(name, "--files-from")
        }
    }

    private func checkSpeakerOptions() throws(UsageError) {
        if has("--speaker-names"), options.channels == .mix, !options.speakers.isOn {
            throw .needs("--speaker-names", "--speakers or --channels split")
        }
        try options.speakers.checkKnownVoices(options.given)
        for name in ["--min-speakers", "--max-speakers"] where has(name) {
            if !options.speakers.isOn { throw .needs(name, "--speakers") }
            if has("--speakers"), options.speakers.count != nil {
                throw .contradiction("--speakers N", name, why: "N is the exact number")
            }
        }
        if let least = options.speakers.minimum, let most = options.speakers.maximum, least > most {
            throw .contradiction(
                "--min-speakers \(least)", "--max-speakers \(most)", why: "the minimum is above the maximum")
        }
        guard has("--speakers") else { return }
        if options.channels == .split {
            throw .contradiction("--speakers", "--channels split", why: "each channel is one speaker")
        }
        if options.engine.whisper.decoding.withoutTimestamps {
            throw .contradiction(
                "--speakers", "--without-timestamps", why: "words are assigned to speakers by their times")
        }
    }

    private func checkWordOptions() throws(UsageError) {
        guard options.timesSubtitleWords, options.engine.whisper.decoding.withoutTimestamps else { return }
        let given: [(name: String, isSet: Bool)] = [
            ("--highlight-words", options.subtitles.highlightWords),
            ("--max-line-width", options.subtitles.maxLineWidth != nil),
            ("--max-line-count", options.subtitles.maxLineCount != nil),
            ("--max-words-per-line", options.subtitles.maxWordsPerLine != nil),
        ]
        for option in given where has(option.name) && option.isSet {
            throw .contradiction(option.name, "--without-timestamps", why: "words are timed within segments")
        }
    }

    private func checkVoiceOptions() throws(UsageError) {
        let others = [
            "--vad-min-speech-ms", "--vad-min-silence-ms", "--vad-speech-pad-ms",
        ]
        for name in others where has(name) && !options.findsSpeech { throw .needs(name, "--vad-filter") }
        let detects = options.findsSpeech || (options.engine.guards ?? (options.vad.detector != .energy))
        for name in ["--vad-model", "--vad-threshold"] where has(name) && !detects {
            throw .needs(name, "--vad-filter or --guard")
        }
        if options.isBatched, has("--condition-on-previous-text"), options.engine.whisper.conditionOnPreviousText {
            throw .contradiction(
                "--batch-size", "--condition-on-previous-text",
                why: "windows decoded in parallel do not know each other's text")
        }
        if options.isBatched, has("--vad-filter"), !options.vad.isOn, options.engine.clipTimestamps.isEmpty {
            throw .contradiction(
                "--batch-size", "--vad-filter false", why: "the windows of a batch are chunks of speech, or clips")
        }
        if has("--vad-threshold"), options.vad.detector == .energy, has("--vad-model") {
            throw .contradiction(
                "--vad-threshold", "--vad-model energy", why: "only a neural network outputs speech probabilities")
        }
    }

    private func checkSearchOptions() throws(UsageError) {
        let samples = options.transcription.whisper.temperatures.contains { $0 > 0 }
        if has("--best-of"), options.engine.whisper.decoding.bestOf != nil, !samples {
            throw .contradiction(
                "--best-of", "--temperature 0 without fallback", why: "samples are drawn only at temperatures above 0")
        }
        if has("--patience"), options.engine.whisper.decoding.patience != nil, options.beamSize == 1 {
            throw .contradiction("--patience", "--beam-size 1", why: "patience applies only to beam search")
        }
    }

    /// Warnings about options that have no effect in this combination.
    var warnings: [String] {
        var warnings: [String] = []
        if has("--hallucination-silence-threshold"), options.engine.whisper.hallucinationSilenceThreshold != nil, !words
        {
            warnings.append("--hallucination-silence-threshold has no effect without --word-timestamps")
        }
        let isWhispers = options.shapedSubtitles.chosenStyle == .whisper
        if isWhispers, has("--max-line-count"), options.subtitles.maxLineCount != nil,
            options.subtitles.maxLineWidth == nil
        {
            warnings.append("--max-line-count has no effect without --max-line-width")
        }
        if isWhispers, has("--max-words-per-line"), options.subtitles.maxWordsPerLine != nil,
            options.subtitles.maxLineWidth != nil
        {
            warnings.append("--max-words-per-line has no effect with --max-line-width")
        }
        if options.halfPrecision { warnings.append("FP16 is not supported on CPU; using float32 instead") }
        return warnings
    }

    private var words: Bool { options.engine.wordTimestamps || options.speakers.isOn || options.timesSubtitleWords }

    private func has(_ name: String) -> Bool { options.given.contains(name) }
}

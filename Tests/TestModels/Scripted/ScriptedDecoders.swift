import EngineAudio
import EngineBasics
import EngineModels
import EngineTranscripts
import EngineVoices

/// Hears one recording after another.
final class ScriptedWorkspace: DecodingWorkspace {
    let model: ScriptedModel

    init(model: ScriptedModel) { self.model = model }

    func decoder(
        for recording: RecordedAudio, options: TranscriptionOptions,
        onTokens: @escaping (LikelyTokens) -> Void, updates: (TranscriptUpdate) -> Void
    ) throws -> any RecordingDecoder {
        let language =
            try model.traits.language(for: options, hearing: recording.summary)
            ?? model.detectLanguage(of: recording, updates: updates)
        return ScriptedRecordingDecoder(
            model, recording, options: options, language: language, onTokens: onTokens)
    }
}

extension ScriptedModel {
    /// That of the first word.
    func detectLanguage(of recording: RecordedAudio, updates: (TranscriptUpdate) -> Void) throws -> String {
        let first = ScriptedSpeech.words(in: try recording.read(0..<recording.count)).first
        let code = first.map { language(of: $0.index) } ?? traits.silentLanguage
        updates(.language(code: code, probability: 1))
        return code
    }
}

/// Hears a recording window by window; a word at the end of a window is left to the next.
final class ScriptedRecordingDecoder: RecordingDecoder {
    let language: String
    private(set) var text = ""
    private let model: ScriptedModel
    private let recording: RecordedAudio
    private let options: TranscriptionOptions
    private let onTokens: (LikelyTokens) -> Void
    private var clips: ClipTimestamps
    /// In frames of 10 ms.
    private var frame: Int
    private var count = 0

    init(
        _ model: ScriptedModel, _ recording: RecordedAudio, options: TranscriptionOptions, language: String,
        onTokens: @escaping (LikelyTokens) -> Void
    ) {
        self.model = model
        self.recording = recording
        self.options = options
        self.language = language
        self.onTokens = onTokens
        clips = ClipTimestamps(
            recording.summary.speech?.clips ?? options.clipTimestamps,
            // The last frame may be incomplete.
            contentFrames: (recording.count + ClipTimestamps.frameSamples - 1) / ClipTimestamps.frameSamples)
        frame = clips.start
    }

    var position: Double { Double(frame) / 100 }

    func next() throws -> DecodedWindow? {
        try Task.checkCancellation()
        guard let end = clips.end(from: &frame) else { return nil }
        let start = frame * ClipTimestamps.frameSamples
        let window = start + Int(ScriptedModel.window) * AudioChunk.sampleRate
        let limit = min(end * ClipTimestamps.frameSamples, recording.count)
        let samples = try recording.read(start..<min(window, limit))
        var heard = ScriptedSpeech.words(in: samples)
        frame = min(end, window / ClipTimestamps.frameSamples)
        if window < limit, let last = heard.last, last.range.upperBound == samples.count, heard.count > 1 {
            heard.removeLast()
            frame = (start + last.range.lowerBound) / ClipTimestamps.frameSamples
        }
        for length in heard.indices {
            onTokens(
                LikelyTokens(
                    seek: start / ClipTimestamps.frameSamples, start: AudioChunk.seconds(of: start),
                    duration: AudioChunk.seconds(of: samples.count), tokens: heard[...length].map(\.index)))
        }
        let segments = model.segment(heard, from: start, id: count, hasWords: options.wordTimestamps)
        count += segments.count
        text += segments.map(\.text).joined()
        return DecodedWindow(segments: segments)
    }
}

/// Hears several chunks at a time.
final class ScriptedBatch: BatchDecoder {
    private let model: ScriptedModel

    init(model: ScriptedModel) { self.model = model }

    func detectLanguage(
        of recording: RecordedAudio, options: TranscriptionOptions, updates: (TranscriptUpdate) -> Void
    ) throws -> String { try model.detectLanguage(of: recording, updates: updates) }

    func decode(
        _ chunk: RecordingChunk, of samples: SampleStore, slot: Int, options: TranscriptionOptions, language: String
    ) throws -> DecodedChunk {
        let heard = ScriptedSpeech.words(in: try samples.read(0..<chunk.audio.count, of: chunk.audio))
        let segments = model.segment(heard, id: 0, hasWords: options.wordTimestamps)
        return DecodedChunk(window: DecodedWindow(segments: segments), text: segments.map(\.text).joined())
    }

    func leave() {}
    func stop() {}
}

/// Hears live audio. A word at the end of an open window may still be cut off.
final class ScriptedLiveDecoder: LiveDecoder {
    private let model: ScriptedModel
    private var language: String?

    init(model: ScriptedModel, options: StreamingOptions) {
        self.model = model
        language = model.traits.language(for: options.transcription)
    }

    var spokenLanguage: DetectedLanguage? { language.map { DetectedLanguage(code: $0, probability: 1) } }

    func decode(_ request: LiveRequest) throws -> LivePass {
        let start = request.range.lowerBound
        let heard = ScriptedSpeech.words(in: request.samples, startsInside: start > 0)
        notice(heard)
        let forced = request.forced.last?.end ?? 0
        let words = heard.filter { start + $0.range.lowerBound >= forced }.compactMap { word -> LiveWord? in
            let isWhole = request.isClosing || word.range.upperBound < request.samples.count
            guard isWhole else { return nil }
            return LiveWord(
                text: " " + model.words[word.index], tokens: [word.index], start: start + word.range.lowerBound,
                end: start + word.range.upperBound, isStable: true)
        }
        return LivePass(words: words)
    }

    func transcribe(_ samples: [Float]) throws -> [TranscriptSegment] {
        let heard = ScriptedSpeech.words(in: samples)
        notice(heard)
        return model.segment(heard, id: 0, hasWords: true)
    }

    private func notice(_ heard: [ScriptedSpeech.Word]) {
        if language == nil, let first = heard.first { language = model.language(of: first.index) }
    }
}

/// Measures how long it takes to hear the words.
final class ScriptedTimer: WindowTimer {
    private let samples: [Float]

    init(samples: [Float]) { self.samples = samples }

    func measure(in stopwatch: Stopwatch) -> WindowTimes {
        var times = WindowTimes()
        times.decode = stopwatch.measure { times.tokens = ScriptedSpeech.words(in: samples).count }
        return times
    }
}

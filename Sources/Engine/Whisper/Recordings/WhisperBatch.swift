import EngineAudio
import EngineModels
import EngineTranscripts
import EngineVocabulary
import EngineVoices
import Synchronization

/// Decodes the windows of several chunks together. Fallback, word times and everything else that a window may need work as
/// for a single one; only the steps of the network are computed for all at once.
final class WhisperBatch: BatchDecoder {
    private let network: BatchNetwork
    private let spectrogram: LogMelSpectrogram
    private let terms: TermTrie?
    private let suggestions: TermSuggestions?
    private let probabilities = Mutex<[DetectedLanguage]?>(nil)

    /// Audio context of what the first window of a chunk leaves over: a few seconds, in every second chunk. In full
    /// windows they would take as long to encode as the chunk itself.
    private static let remainderContext = AudioContext.auto

    init(_ model: WhisperModel, slots: Int, rowsPerWindow: Int, terms: [Term]) throws {
        network = try BatchNetwork(model, slots: slots, rowsPerWindow: rowsPerWindow)
        spectrogram = LogMelSpectrogram(bands: model.dimensions.nMels)
        self.terms = TermTrie(terms, model.tokenizer)
        suggestions = TermSuggestions(terms, model.tokenizer)
    }

    func detectLanguage(
        of recording: RecordedAudio, options: TranscriptionOptions, updates: (TranscriptUpdate) -> Void
    ) throws -> String {
        let decoder = NetworkDecoder(
            network.slot(0, order: 0), spectrogram: RecordingSpectrogram(spectrogram, of: recording), options: options)
        defer { probabilities.withLock { $0 = decoder.languageProbabilities } }
        return try decoder.detectLanguage(of: recording.summary, options, updates: updates)
    }

    var languageProbabilities: [DetectedLanguage]? { probabilities.withLock(\.self) }

    func decode(
        _ chunk: RecordingChunk, of samples: SampleStore, slot: Int, options: TranscriptionOptions, language: String
    ) throws -> DecodedChunk {
        try network.checkStopped()
        let tokenizer = network.model.tokenizer
        let spectrogram = try ChunkSpectrogram(chunk.audio, of: samples, spectrogram)
        let firstFrame = (chunk.audio.ranges.first?.lowerBound ?? 0) / LogMelSpectrogram.hop
        let isOneWindow = spectrogram.contentFrames <= WindowSpan.fullFrames
        let decoder = NetworkDecoder(
            network.slot(slot, order: chunk.number), spectrogram: spectrogram, options: options, firstFrame: firstFrame,
            remainderContext: isOneWindow && options.whisper.audioContext == .full ? Self.remainderContext : nil,
            terms: terms,
            onStep: { [network] _, _ in try network.checkStopped() })
        var options = options
        options.clipTimestamps = []
        options.whisper.conditionOnPreviousText = false
        if chunk.number > 0 { options.whisper.prefix = nil }
        let guards = options.isGuarded ? Guards(speech: chunk.speech, options: options) : nil
        var loop = SeekLoop(
            options: options, contentFrames: spectrogram.contentFrames, tokenizer: tokenizer, language: language,
            decoder: decoder, guards: guards,
            // In batches, faster-whisper encodes the prompt without adding a leading space.
            initialPrompt: options.whisper.initialPrompt.map { tokenizer.encode($0) }, suggestions: suggestions)
        var window = DecodedWindow(segments: [])
        while let segments = try loop.next() {
            window.segments += segments
            window.events += loop.events
            window.language = loop.language ?? window.language
        }
        return DecodedChunk(window: window, text: loop.text)
    }

    func leave() { network.leave() }
    func stop() { network.stop() }
}

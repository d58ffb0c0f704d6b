import EngineAudio
import EngineBasics
import EngineModels
import EngineTranscripts
import EngineVocabulary
import EngineVoices
import Synchronization

/// Decodes chunks one after another, each as a stream of its own.
final class StreamBatch: BatchDecoder {
    /// Allows only one thread at a time to use what it protects.
    private final class Shared: @unchecked Sendable {
        let stream: SpeechStream
        init(_ stream: SpeechStream) { self.stream = stream }
    }

    private let shared: Mutex<Shared>
    private let cancellation = CancellationFlag()

    init(_ model: ParakeetModel, terms: [Term]) throws {
        shared = Mutex(Shared(try SpeechStream(model, lookahead: model.longestLookahead, terms: terms)))
    }

    func detectLanguage(
        of recording: RecordedAudio, options: TranscriptionOptions, updates: (TranscriptUpdate) -> Void
    ) throws -> String {
        try shared.withLock { shared in
            let decoder = StreamRecordingDecoder(shared.stream, recording, options: options, onTokens: { _ in })
            try decoder.detectLanguage(updates: updates)
            return decoder.language
        }
    }

    func decode(
        _ chunk: RecordingChunk, of samples: SampleStore, slot: Int, options: TranscriptionOptions, language: String
    ) throws -> DecodedChunk {
        try shared.withLock { shared in
            let clip = StreamedClip(
                0..<chunk.audio.count, by: shared.stream, options: options,
                language: options.multilingual ? nil : language
            ) { [cancellation] range in
                if cancellation.isSet { throw CancellationError() }
                return try samples.read(range, of: chunk.audio)
            }
            var window = DecodedWindow(segments: try clip.all())
            if options.multilingual {
                window.language = shared.stream.language(among: options.languages)
                for index in window.segments.indices {
                    window.segments[index].language = window.language?.code ?? language
                }
            }
            return DecodedChunk(window: window, text: window.segments.map(\.text).joined())
        }
    }

    func leave() {}
    func stop() { cancellation.set() }
}

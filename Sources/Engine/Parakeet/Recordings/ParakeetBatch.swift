import EngineAudio
import EngineBasics
import EngineModels
import EngineTranscripts
import EngineVocabulary
import EngineVoices
import Synchronization

/// Decodes chunks one after another, whichever thread they are for: the encoder uses all threads by itself.
final class ParakeetBatch: BatchDecoder {
    /// Allows only one thread at a time to use what it protects.
    private final class Shared: @unchecked Sendable {
        let decoder: PieceDecoder
        init(_ decoder: PieceDecoder) { self.decoder = decoder }
    }

    private let decoder: Mutex<Shared>
    private let cancellation = CancellationFlag()

    init(_ model: ParakeetModel, beams: Int, terms: [Term]) throws {
        decoder = Mutex(Shared(try PieceDecoder(model, beams: beams, terms: terms)))
    }

    func detectLanguage(
        of recording: RecordedAudio, options: TranscriptionOptions, updates: (TranscriptUpdate) -> Void
    ) throws -> String {
        try decoder.withLock {
            try ParakeetRecordingDecoder.language(of: recording, $0.decoder, options: options, updates: updates)
        }
    }

    func decode(
        _ chunk: RecordingChunk, of samples: SampleStore, slot: Int, options: TranscriptionOptions, language: String
    ) throws -> DecodedChunk {
        try decoder.withLock { shared in
            let read = { (range: Range<Int>) in try samples.read(range, of: chunk.audio) }
            var pieces = SpeechPieces(chunk, longest: PieceDecoder.longest, read: read)
            var segments: [TranscriptSegment] = []
            while let range = try pieces.next() {
                let words = try shared.decoder.words(of: read(range)) { _ in
                    if cancellation.isSet { throw CancellationError() }
                }
                segments += PieceSegments(range, options: options).segments(of: words, first: segments.count)
            }
            var window = DecodedWindow(segments: [])
            if options.multilingual {
                let codes = shared.decoder.model.traits.codes(options.languages)
                window.language = segments.name(language, among: codes)
            }
            window.segments = segments
            return DecodedChunk(window: window, text: segments.map(\.text).joined())
        }
    }

    func leave() {}
    func stop() { cancellation.set() }
}

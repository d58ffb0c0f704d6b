import EngineAudio
import EngineModels
import EngineTranscripts

/// A streaming model's buffers, which one recording after another uses.
final class StreamWorkspace: DecodingWorkspace {
    private var stream: SpeechStream

    init(_ model: ParakeetModel) throws { stream = try SpeechStream(model, lookahead: model.longestLookahead) }

    func decoder(
        for recording: RecordedAudio, options: TranscriptionOptions,
        onTokens: @escaping (LikelyTokens) -> Void, updates: (TranscriptUpdate) -> Void
    ) throws -> any RecordingDecoder {
        // A recording that is decoded in turns with this one keeps its own.
        if !isKnownUniquelyReferenced(&stream) {
            stream = try SpeechStream(stream.model, lookahead: stream.model.longestLookahead)
        }
        stream.terms = options.terms
        let result = StreamRecordingDecoder(stream, recording, options: options, onTokens: onTokens)
        try result.detectLanguage(updates: updates)
        return result
    }
}

extension ParakeetModel {
    /// The look-ahead for recordings: words are best with the longest.
    var longestLookahead: Int { dimensions.streaming?.lookaheads.last ?? 0 }
}

/// Decodes a recording as one stream, or each of its clips.
final class StreamRecordingDecoder: RecordingDecoder {
    private(set) var language: String
    private(set) var text = ""
    private let stream: SpeechStream
    private let options: TranscriptionOptions
    private let isDetecting: Bool
    private let onTokens: (LikelyTokens) -> Void
    /// In reverse order; the last is being heard.
    private var clips: [StreamedClip]
    private var segmentCount = 0
    /// What was heard to find the language.
    private var ready: [DecodedWindow] = []
    private let end: Int

    /// Blocks of samples, at most, that are heard for the language.
    private static let blocksForLanguage = 10

    init(
        _ stream: SpeechStream, _ recording: RecordedAudio, options: TranscriptionOptions,
        onTokens: @escaping (LikelyTokens) -> Void
    ) {
        let traits = stream.model.traits, given = traits.language(for: options, hearing: recording.summary)
        self.stream = stream
        self.options = options
        self.onTokens = onTokens
        isDetecting = given == nil
        language = given ?? traits.silentLanguage
        end = recording.count
        clips = SpeechPieces.clips(of: recording, options).reversed().map {
            StreamedClip($0, by: stream, options: options, language: given, read: { try recording.read($0) })
        }
    }

    var position: Double {
        ready.lazy.flatMap(\.segments).first?.start ?? clips.last?.settled ?? AudioChunk.seconds(of: end)
    }

    func next() throws -> DecodedWindow? { ready.isEmpty ? try hear() : ready.removeFirst() }

    private func hear() throws -> DecodedWindow? {
        while let clip = clips.last {
            try Task.checkCancellation()
            let start = clip.position
            guard var segments = try clip.next(first: segmentCount) else {
                clips.removeLast()
                continue
            }
            let found = isDetecting ? stream.language(among: options.languages) : nil
            if let found { language = found.code }
            if options.multilingual {
                for index in segments.indices { segments[index].language = language }
            }
            segmentCount += segments.count
            text += segments.map(\.text).joined()
            onTokens(
                LikelyTokens(
                    seek: start / ParakeetFeatures.hop, start: AudioChunk.seconds(of: start),
                    duration: AudioChunk.seconds(of: clip.position - start), tokens: clip.tokens))
            var window = DecodedWindow(segments: segments)
            if options.multilingual { window.language = found }
            return window
        }
        return nil
    }

    /// The network names the language in the text.
    func detectLanguage(updates: (TranscriptUpdate) -> Void) throws {
        guard isDetecting else { return }
        while ready.count < Self.blocksForLanguage, let window = try hear() {
            ready.append(window)
            guard let found = stream.language(among: options.languages) else { continue }
            return updates(.language(code: found.code, probability: found.probability))
        }
    }
}

import EngineAudio
import EngineModels
import EngineTranscripts
import EngineVoices
import EngineWeights

/// The network's buffers, which one recording after another uses.
final class ParakeetWorkspace: DecodingWorkspace {
    let decoder: PieceDecoder

    init(_ model: ParakeetModel, beams: Int) throws { decoder = try PieceDecoder(model, beams: beams) }

    func decoder(
        for recording: RecordedAudio, options: TranscriptionOptions,
        onTokens: @escaping (LikelyTokens) -> Void, updates: (TranscriptUpdate) -> Void
    ) throws -> any RecordingDecoder {
        decoder.terms = options.terms
        let pieces = try SpeechPieces(recording, options: options, longest: PieceDecoder.longest)
        let result = ParakeetRecordingDecoder(
            decoder, recording, pieces: pieces, options: options, onTokens: onTokens)
        try result.detectLanguage(decoder.model.traits, updates: updates)
        return result
    }
}

/// Decodes a recording piece by piece.
final class ParakeetRecordingDecoder: RecordingDecoder {
    private(set) var language = ""
    private(set) var text = ""
    private let decoder: PieceDecoder
    private let recording: RecordedAudio
    private let options: TranscriptionOptions
    private let onTokens: (LikelyTokens) -> Void
    private var pieces: SpeechPieces
    private var segmentCount = 0
    /// Pieces that were decoded to find the language.
    private var ready: [(range: Range<Int>, words: [ParakeetWord])] = []
    private var end = 0

    init(
        _ decoder: PieceDecoder, _ recording: RecordedAudio, pieces: SpeechPieces, options: TranscriptionOptions,
        onTokens: @escaping (LikelyTokens) -> Void
    ) {
        self.decoder = decoder
        self.recording = recording
        self.pieces = pieces
        self.options = options
        self.onTokens = onTokens
    }

    var position: Double { AudioChunk.seconds(of: ready.first?.range.lowerBound ?? pieces.start ?? end) }

    func next() throws -> DecodedWindow? {
        guard let (range, words) = try ready.isEmpty ? decodePiece() : ready.removeFirst() else { return nil }
        var segments = PieceSegments(range, options: options).segments(of: words, first: segmentCount)
        var window = DecodedWindow(segments: [])
        if options.multilingual {
            window.language = segments.name(language, among: decoder.model.traits.codes(options.languages))
            language = window.language?.code ?? language
        }
        window.segments = segments
        segmentCount += segments.count
        text += segments.map(\.text).joined()
        return window
    }

    private func decodePiece() throws -> (range: Range<Int>, words: [ParakeetWord])? {
        try Task.checkCancellation()
        // If decoding fails, the same piece is next again.
        let before = pieces
        do {
            guard let range = try pieces.next() else {
                end = recording.count
                return nil
            }
            let words = try decoder.words(of: recording.read(range)) { tokens in
                try Task.checkCancellation()
                onTokens(
                    LikelyTokens(
                        seek: range.lowerBound / ParakeetFeatures.hop,
                        start: AudioChunk.seconds(of: range.lowerBound),
                        duration: AudioChunk.seconds(of: range.count), tokens: tokens))
            }
            end = range.upperBound
            return (range, words)
        } catch {
            pieces = before
            throw error
        }
    }

    /// The network does not say which language it hears, but its text does. A given language is noted in the transcript;
    /// the network has no input for it.
    fileprivate func detectLanguage(_ traits: ModelTraits, updates: (TranscriptUpdate) -> Void) throws {
        let given = traits.language(for: options, hearing: recording.summary)
        language = given ?? traits.silentLanguage
        guard given == nil else { return }
        var heard = ""
        while ready.count < TextLanguage.pieces, let piece = try decodePiece() {
            ready.append(piece)
            heard += piece.words.map { $0.text + " " }.joined()
            guard let found = TextLanguage(of: heard, among: traits.codes(options.languages)) else { continue }
            language = found.code
            updates(.language(code: found.code, probability: found.probability))
            return
        }
    }
}

extension [TranscriptSegment] {
    /// Gives the segments of a piece its language, as far as its text shows it.
    ///
    /// - Parameters:
    ///   - last: the language before.
    ///   - codes: the possible languages.
    /// - Returns: the language that was found; `nil` if it is still `last`, or the text has too few words for a guess.
    mutating func name(_ last: String, among codes: [String]) -> DetectedLanguage? {
        let found = TextLanguage(of: map(\.text).joined(), among: codes)
        for index in indices { self[index].language = found?.code ?? last }
        return found.map { DetectedLanguage(code: $0.code, probability: $0.probability) }
    }
}

extension ParakeetRecordingDecoder {
    /// The language of a recording for batches.
    static func language(
        of recording: RecordedAudio, _ decoder: PieceDecoder, options: TranscriptionOptions,
        updates: (TranscriptUpdate) -> Void
    ) throws -> String {
        let result = ParakeetRecordingDecoder(
            decoder, recording,
            pieces: try SpeechPieces(recording, options: options, longest: PieceDecoder.longest), options: options,
            onTokens: { _ in })
        try result.detectLanguage(decoder.model.traits, updates: updates)
        return result.language
    }
}

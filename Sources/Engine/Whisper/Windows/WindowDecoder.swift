package import EngineModels
package import EngineTranscripts

/// The position of a window in its recording.
package struct WindowSpan: Hashable, Sendable {
    /// Number of 10 ms frames of a full window: 30 s.
    package static let fullFrames = AudioContext.windowFrames

    /// First frame.
    package let seek: Int
    /// Number of audio frames, at most `fullFrames`; the rest of the window is padded with the value 0.
    package let frames: Int
    /// Number of frames of the recording.
    package let contentFrames: Int

    package init(seek: Int, frames: Int, contentFrames: Int) {
        self.seek = seek
        self.frames = frames
        self.contentFrames = contentFrames
    }

    /// Start in seconds.
    package var start: Double { Double(seek) / 100 }
    /// Seconds of audio.
    package var duration: Double { Double(frames) / 100 }
    /// End of a full window with this start, in seconds.
    var fullEnd: Double { Double(seek + Self.fullFrames) / 100 }
    /// Length of the recording in seconds.
    var contentDuration: Double { Double(contentFrames) / 100 }
}

/// What the seek loop needs from the network and its searches. Tests script it.
package protocol WindowDecoder: AnyObject {
    /// Makes one decoding pass at `options.temperature`.
    func decode(_ window: WindowSpan, options: DecodingOptions) throws -> DecodingResult

    /// The log probabilities of the tokens of a window's text from the one at `first` on, before any filter; none if the text
    /// is too long.
    func logprobs(
        of tokens: [Int], from first: Int, in window: WindowSpan, options: DecodingOptions
    ) throws -> [Float]

    /// Detects the language of a window.
    ///
    /// - Parameter isDecoded: whether it is decoded next; otherwise only its sound is encoded.
    func detectLanguage(of window: WindowSpan, isDecoded: Bool) throws -> DetectedLanguage

    /// Times the words that `textTokens` (ids below end of text) consist of, relative to the start of the window, before
    /// punctuation is merged.
    func align(_ window: WindowSpan, textTokens: [Int], language: String?, task: TranscriptionTask) throws
        -> [WordTiming]
}

/// Encodes one window at a time and scores its tokens: a network of its own, or a slot of a batch.
package protocol WindowNetwork: AnyObject {
    var model: WhisperModel { get }
    /// Scores the tokens of the current window.
    var scorer: any TokenScorer { get }

    /// Encodes the audio of a window and makes it the current one.
    ///
    /// - Parameters:
    ///   - logMel: scaled log-mel spectrogram as `[frames, n_mels]`.
    ///   - extent: what the encoder computes; missing frames are padded.
    func attend(to logMel: [Float], extent: AudioExtent)

    /// Same as `TextDecoder.align`.
    func align(
        _ tokens: [Int], heads: [AlignmentHead], columns: Int, rows: Range<Int>,
        eachRow: (_ position: Int, _ logits: [Float]) -> Void
    ) throws -> [[Float]]
}

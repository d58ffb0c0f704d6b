/// A stretch of the log-mel spectrogram that one pass of the network sees.
package struct MelWindow: Hashable, Sendable {
    /// First frame (10 ms each).
    package let seek: Int
    /// Frames of sound, at most 3000; what is missing to 3000 is padded with the value 0.
    package let frames: Int

    package init(seek: Int, frames: Int) {
        self.seek = seek
        self.frames = frames
    }
}

/// What the seek loop needs below it: the network with its searches. Tests script it.
package protocol WindowDecoder: AnyObject {
    /// One decoding pass at `options.temperature`.
    func decode(_ window: MelWindow, options: DecodingOptions) throws -> DecodingResult

    /// Times of the words that `textTokens` (ids below end of text) make, relative to the window's start, before
    /// punctuation is merged.
    func align(_ window: MelWindow, textTokens: [Int], language: String?, task: TranscriptionTask) throws
        -> [WordTiming]
}

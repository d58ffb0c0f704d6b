/// A stretch of live sound to be decoded.
package struct LiveRequest: Sendable {
    /// Samples on the session's clock.
    package var range: Range<Int>
    /// As many samples as `range` holds.
    package var samples: [Float]
    /// Words already final whose sound is in the range: the text begins with them and they are not given again.
    package var forced: [LiveWord] = []
    /// Tokens that are likely to follow the forced words: they save time where they are right and change nothing.
    package var draft: [Int] = []
    /// Text before the range; empty is none.
    package var context = ""
    /// The utterance ends with the range.
    package var isClosing = false
    /// 0 takes the best token each time.
    package var temperature = 0.0
    /// Where attention ends what is certain; `nil` where nobody asks.
    package var attention: AttentionRule?

    package init(range: Range<Int>, samples: [Float]) {
        self.range = range
        self.samples = samples
    }
}

/// When attention tells that a word is not certain (AlignAtt). Frames of 20 ms.
package struct AttentionRule: Sendable, Hashable {
    /// A token that attends so close to the end of the sound ends what is certain.
    package var threshold: Int
    /// Attention that falls back further than this makes the pass void; `nil` where it may fall as it likes.
    package var rewind: Int?
    /// Where the last pass attended, in samples on the session's clock.
    package var last: Int?
}

/// What a pass found.
package struct LivePass: Sendable, Equatable {
    /// The words behind the forced ones, in order.
    package var words: [LiveWord]
    package var avgLogprob = 0.0
    package var noSpeechProb = 0.0
    package var compressionRatio = 0.0
    package var temperature = 0.0
    /// The text began to repeat itself and was broken off.
    package var isRepetitive = false
    /// Where the last certain token attended, for the next pass.
    package var attended: Int?
    /// Tokens written, and how many of them the draft had foretold.
    package var generatedTokens = 0
    package var acceptedDraftTokens = 0
    /// The language, where it was detected just now.
    package var detected: DetectedLanguage?

    package init(words: [LiveWord]) { self.words = words }
}

/// What a live session needs below it: the network with its searches. Tests plant words instead.
package protocol LiveDecoder: AnyObject {
    /// One pass.
    func decode(_ request: LiveRequest) throws -> LivePass

    /// What `Recognizer.transcribe` gives for these samples as a recording of their own; times from its start.
    func transcribe(_ samples: [Float]) throws -> [TranscriptSegment]
}

package import EngineTranscripts

/// A window of live audio to decode.
package struct LiveRequest: Sendable {
    /// Samples on the session clock.
    package var range: Range<Int>
    /// The samples of `range`.
    package var samples: [Float]
    /// Words in the range that are already final. The decoder is forced to start with them and does not return them.
    package var forced: [LiveWord] = []
    /// Seconds of voice in the range.
    package var voice = 0.0
    /// Tokens likely to follow the forced words. A correct draft saves time; no draft changes the result.
    package var draft: [Int] = []
    /// The text before the range, used as the prompt; may be empty.
    package var context = ""
    /// Whether there is so much voice after the forced words that text must follow them.
    package var expectsText = false
    /// Whether the utterance ends with the range.
    package var isClosing = false
    /// Width of the search; above 1, the draft is not used and the temperature must be 0.
    package var beams = 1
    /// 0 selects greedy decoding.
    package var temperature = 0.0
    /// When attention makes words unstable; `nil` to skip the check.
    package var attention: AttentionRule?

    package init(range: Range<Int>, samples: [Float]) {
        self.range = range
        self.samples = samples
    }
}

/// When attention makes words unstable (AlignAtt). Frames are 20 ms.
package struct AttentionRule: Sendable, Hashable {
    /// A token that attends within this many frames of the end of the audio, and all tokens after it, are unstable.
    package var threshold: Int
    /// Attention that jumps back by more frames than this invalidates the pass; `nil` for no limit.
    package var rewind: Int?
    /// Where the last pass attended, in samples on the session clock.
    package var last: Int?

    package init(threshold: Int, rewind: Int?, last: Int?) {
        self.threshold = threshold
        self.rewind = rewind
        self.last = last
    }
}

/// The result of a pass.
package struct LivePass: Sendable, Equatable {
    /// The words after the forced ones, in order.
    package var words: [LiveWord]
    package var avgLogprob = 0.0
    /// The next three are `nil` if the model does not compute them.
    package var noSpeechProb: Double?
    package var compressionRatio: Double?
    package var temperature: Double?
    /// Whether the pass was aborted because its text started to repeat.
    package var isRepetitive = false
    /// Whether the pass was aborted because its text went on past the end of the audio.
    package var isEndless = false
    /// Where the last stable token attended, for the next pass.
    package var attended: Int?
    /// Number of generated tokens.
    package var generatedTokens = 0
    /// Number of generated tokens that came from the draft.
    package var acceptedDraftTokens = 0

    package init(words: [LiveWord]) { self.words = words }
}

/// The network and search behind a live session. Tests substitute a decoder with known words.
package protocol LiveDecoder: AnyObject {
    /// Runs one pass over a window.
    func decode(_ request: LiveRequest) throws -> LivePass

    /// Transcribes samples like `Recognizer.transcribe` would transcribe them as a recording of their own; times count
    /// from the first sample.
    func transcribe(_ samples: [Float]) throws -> [TranscriptSegment]

    /// The same decoder if it hears each sample once; else `nil`, and each pass hears its whole window.
    var stream: (any LiveStream)? { get }

    /// Called before the first pass over each utterance.
    func startUtterance()

    /// Changes the prompt and the languages for the passes that follow.
    func change(_ change: SessionChange)

    /// The language of the last pass with its probability, 1 if it was given; `nil` if it is unknown.
    var spokenLanguage: DetectedLanguage? { get }

    /// Whether later passes may find that another language is spoken.
    var languageCertainty: LanguageCertainty { get }
}

/// A decoder that hears each sample once and never takes a word back.
package protocol LiveStream: AnyObject {
    /// Hears the samples that follow those heard since `LiveDecoder.startUtterance`.
    ///
    /// - Parameters:
    ///   - position: of the first sample on the session clock.
    ///   - isLast: whether the utterance ends with them.
    /// - Returns: the words that are complete since the last call, which are stable, and the one that may still go on,
    ///   which is not.
    /// - Throws: any error; the samples are then heard in the next call.
    func hear(_ samples: [Float], from position: Int, isLast: Bool) throws -> LivePass
}

extension LiveDecoder where Self: LiveStream {
    /// Hears the window as an utterance of its own.
    package func decode(_ request: LiveRequest) throws -> LivePass {
        startUtterance()
        return try hear(request.samples, from: request.range.lowerBound, isLast: true)
    }
}

/// What is known of the language of a session.
package enum LanguageCertainty: Sendable, Hashable {
    /// The user or the model determines it.
    case given
    /// It was detected in enough speech.
    case clear
    /// More speech may change it.
    case unclear
}

/// A decoder with known words has neither languages nor a prompt.
extension LiveDecoder {
    package var stream: (any LiveStream)? { nil }
    package func startUtterance() {}
    package func change(_ change: SessionChange) {}
    package var spokenLanguage: DetectedLanguage? { nil }
    package var languageCertainty: LanguageCertainty { .given }
}

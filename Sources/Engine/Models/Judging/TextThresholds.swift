/// The limits by which text is judged, for recordings and live audio alike. The first four are openai-whisper's.
package enum TextThresholds {
    /// Temperatures to try until a text passes the tests.
    package static let temperatures: [Double] = [0, 0.2, 0.4, 0.6, 0.8, 1]
    /// UTF-8 bytes per zlib byte; text with a greater ratio repeats itself.
    package static let compressionRatio = 2.4
    /// Text with a lower mean log probability is improbable.
    package static let logprob = -1.0
    /// Improbable text with a greater no-speech probability is silence.
    package static let noSpeech = 0.6

    /// Announcements that really repeat themselves stay below this ratio.
    package static let impossibleCompressionRatio = 4.0
    /// Where hardly anything but the text itself shows that there is speech, its mean log probability must be at least this.
    package static let sureLogprob = -0.7
    /// A phrase that models invent in silence is dropped if the no-speech probability is greater.
    package static let phraseNoSpeech = 0.3
    /// A word less probable than this is dropped if it lies in silence.
    package static let wordProbability = 0.3
    /// A run of tokens or words that occurs this many times in a row is a loop.
    package static let repetitions = 6
}

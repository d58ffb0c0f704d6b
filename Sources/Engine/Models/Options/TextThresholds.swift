/// openai-whisper's limits for the text of a window, for recordings and live audio alike.
package enum TextThresholds {
    /// Temperatures to try until a text passes the tests.
    package static let temperatures: [Double] = [0, 0.2, 0.4, 0.6, 0.8, 1]
    /// UTF-8 bytes per zlib byte; text with a greater ratio repeats itself.
    package static let compressionRatio = 2.4
    /// Text with a lower mean log probability is improbable.
    package static let logprob = -1.0
    /// Improbable text with a greater no-speech probability is silence.
    package static let noSpeech = 0.6
}

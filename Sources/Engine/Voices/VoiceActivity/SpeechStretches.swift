import EngineAudio

/// The stretches of speech in a recording between even short pauses, without the margins that recognition needs: where
/// subtitles begin and end.
package struct SpeechStretches: Sendable {
    /// In samples, in order and disjoint.
    package private(set) var ranges: [Range<Int>] = []
    private var segmenter: SpeechSegmentation.Segmenter

    /// - Parameter threshold: the speech probability from which a window counts as speech.
    init(threshold: Float) {
        var rules = SpeechSegmentation()
        rules.threshold = threshold
        rules.minSpeechMilliseconds = 100
        rules.minSilenceMilliseconds = 150
        rules.padMilliseconds = 30
        segmenter = SpeechSegmentation.Segmenter(rules)
    }

    /// Adds the probability of the next window of Silero's network.
    mutating func add(_ probability: Float) { ranges += segmenter.add(probability) }

    mutating func finish(sampleCount: Int) { ranges += segmenter.finish(sampleCount: sampleCount) }
}

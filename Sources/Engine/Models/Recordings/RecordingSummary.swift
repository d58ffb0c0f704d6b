package import EngineAudio
import EngineBasics
package import EngineTranscripts
package import EngineVoices

/// What is known of a recording after reading it, or the part of it to transcribe.
package struct RecordingSummary: Sendable {
    /// Number of samples read.
    package private(set) var count = 0
    private var minimum = Float.infinity
    private var maximum = -Float.infinity
    /// Why reading stopped before the end of the recording.
    package var failure: AudioFormatError?
    /// The speech to transcribe; `nil` is everything.
    package var speech: SelectedSpeech?
    /// Where the audio to transcribe contains speech, if requested.
    package var voiced = SpeechIntervals()
    /// All speech, in samples and more exactly, if a network was used that finds it.
    package var stretches: [Range<Int>]?

    package init() {}

    /// Of a recording that is already in memory.
    package init(_ samples: [Float]) { add(samples) }

    /// All samples are zero or one constant value.
    package var isSilence: Bool { maximum - minimum <= 2 / 32_768 }

    /// All samples are zero, so that hours of them need not be analyzed.
    package var isZero: Bool { maximum == 0 && minimum == 0 }

    /// Seconds of audio read.
    package var duration: Double { AudioChunk.seconds(of: count) }

    /// Counts the next samples.
    package mutating func add(_ samples: [Float]) {
        SampleKernels.extremes(of: samples, minimum: &minimum, maximum: &maximum)
        count += samples.count
    }

    /// Reports what is not transcribed.
    package func report(to updates: (TranscriptUpdate) -> Void) {
        if isSilence { updates(.event(TranscriptUpdate.Event(.silence))) }
        if let speech {
            let kept = AudioChunk.seconds(of: speech.kept.count)
            updates(.event(TranscriptUpdate.Event(.removedSilence(kept: kept, of: duration))))
        }
    }
}

/// The speech of a recording that was selected for transcription.
package struct SelectedSpeech: Sendable {
    package let kept: KeptAudio
    /// The clips in seconds of the kept audio; empty without clips.
    package let clips: [Double]

    package init(kept: KeptAudio, clips: [Double]) {
        self.kept = kept
        self.clips = clips
    }
}

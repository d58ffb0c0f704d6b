package import EngineAudio
package import EngineTranscripts
package import EngineVoices

/// Decodes several chunks of a recording at a time: each slot has a thread, which decodes one chunk after another.
package protocol BatchDecoder: AnyObject, Sendable {
    /// Detects the language of a recording that has been read, before the first chunk is decoded.
    ///
    /// - Returns: its code.
    func detectLanguage(
        of recording: RecordedAudio, options: TranscriptionOptions, updates: (TranscriptUpdate) -> Void
    ) throws -> String

    /// Of the recording whose language was detected last, as for a `RecordingDecoder`.
    var languageProbabilities: [DetectedLanguage]? { get }

    /// Decodes a chunk as if it were a recording of its own.
    ///
    /// - Parameters:
    ///   - samples: of the whole recording, as far as it has been read.
    ///   - slot: the number of the calling thread.
    ///   - options: those of the recording; clips do not apply.
    ///   - language: the code of the spoken language.
    /// - Throws: `CancellationError` after `stop`.
    func decode(
        _ chunk: RecordingChunk, of samples: SampleStore, slot: Int, options: TranscriptionOptions, language: String
    ) throws -> DecodedChunk

    /// Called once by each slot's thread when it will decode no more.
    func leave()

    /// Asks all threads to stop.
    func stop()
}

extension BatchDecoder {
    package var languageProbabilities: [DetectedLanguage]? { nil }
}

/// A part of a recording that is transcribed on its own: speech that fits into a window, or a clip of any length.
package struct RecordingChunk: Sendable {
    /// Its position among all chunks, from 0.
    package var number = 0
    package let audio: KeptAudio
    /// Where it contains speech, relative to its start.
    package let speech: SpeechIntervals
    /// The same in samples of the recording and more exactly, if a network was used that finds it.
    package let stretches: [Range<Int>]?

    /// Audio that is speech from start to end.
    ///
    /// - Parameter stretches: of the recording, as far as they are known.
    package init(speech audio: KeptAudio, stretches: [Range<Int>]? = nil) {
        self.audio = audio
        let whole = (audio.ranges.first?.lowerBound ?? 0)..<(audio.ranges.last?.upperBound ?? 0)
        self.stretches = stretches.map { Self.inside(whole, $0) }
        var speech = SpeechIntervals()
        speech.add([.opened(at: 0), .closed(at: audio.count)])
        self.speech = speech
    }

    /// - Parameters:
    ///   - clip: samples of the recording.
    ///   - speech: of the whole recording, and so are the stretches.
    package init(clip: Range<Int>, speech: SpeechIntervals, stretches: [Range<Int>]?) {
        audio = KeptAudio([clip])
        self.stretches = stretches.map { Self.inside(clip, $0) }
        self.speech = speech.within(clip)
    }

    private static func inside(_ clip: Range<Int>, _ stretches: [Range<Int>]) -> [Range<Int>] {
        stretches.map { $0.clamped(to: clip) }.filter { !$0.isEmpty }
    }
}

/// The result of a chunk, with times from its start.
package struct DecodedChunk: Sendable {
    package var window: DecodedWindow
    package var text: String

    package init(window: DecodedWindow, text: String) {
        self.window = window
        self.text = text
    }
}

import EngineAudio
import EngineBasics
import EngineVoices

/// The saved audio of a session after its last final.
package struct UnrecognizedAudio: Sendable {
    /// Where the audio is saved, from the start of the session.
    private let path: FilePath
    /// The sample at which the last final ends.
    let finalEnd: Int
    /// The number of saved samples.
    package let end: Int

    /// Minimum number of samples after the last final.
    static let minimumSamples = AudioChunk.sampleRate

    /// Seconds of padding that the detector adds after speech.
    private static let padding = 0.2

    /// Returns `nil` if no audio is saved. Repairs the header of the file, so that readers see all samples.
    init?(_ path: FilePath, after finalEnd: Int) {
        guard let end = SavedAudio.sampleCount(of: path) else { return nil }
        try? SavedAudio.repair(path)
        (self.path, self.finalEnd, self.end) = (path, finalEnd, end)
    }

    /// Whether there is more audio after the last final than the tail of its last word, which would make a model
    /// hallucinate.
    var isLongEnough: Bool { end - finalEnd >= Self.minimumSamples }

    /// Returns the first sample of speech after the last final, or `nil` if there is none.
    ///
    /// This is the end of the last final, unless only the tail of its last word remains of the speech around it. The end
    /// of a word is less exact than the end of speech, and a model hallucinates from a fragment of a word.
    package func firstSpeech() async throws -> Int? {
        guard isLongEnough else { return nil }
        var detector = EnergyDetector()
        var speech = SpeechIntervals()
        for try await chunk in try AudioFile.open(path).chunks() {
            speech.add(detector.feed(chunk.samples))
        }
        speech.add(detector.finish())
        let frameSamples = AudioChunk.sampleRate / 100
        let frame = finalEnd / frameSamples
        let open = speech.ranges.first { $0.contains(frame) }
        let rest = open.map { Double($0.upperBound - frame) / 100 } ?? 0
        guard let open, rest < AudioChunk.seconds(of: Self.minimumSamples) + Self.padding else {
            return speech.firstSpeech(from: frame) == nil ? nil : finalEnd
        }
        return speech.firstSpeech(from: open.upperBound) == nil ? nil : open.upperBound * frameSamples
    }

    /// Passes on the samples from `start` to the end, in order.
    package func read(from start: Int, _ receive: ([Float]) throws -> Void) async throws {
        var position = 0
        for try await chunk in try AudioFile.open(path).chunks() {
            // The file may be growing again.
            let samples = chunk.samples.prefix(end - position).dropFirst(max(0, start - position))
            position += chunk.samples.count
            if !samples.isEmpty { try receive(Array(samples)) }
            if position >= end { return }
        }
    }
}

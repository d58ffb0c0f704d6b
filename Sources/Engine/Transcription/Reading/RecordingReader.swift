/// Reads a recording, or a part of it, and notes what can be known of it while its samples pass by.
package struct RecordingReader: Sendable {
    /// Seconds left out at the start.
    private let offset: Double
    /// Seconds to read behind them; `nil` reads to the end.
    private let duration: Double?
    /// Whether it is wanted where somebody speaks.
    private let hearsSpeech: Bool
    /// What is to be recognized; `nil` is all.
    let speech: SpeechSelection?

    package init(
        offset: Double = 0, duration: Double? = nil, hearsSpeech: Bool = false, speech: SpeechSelection? = nil
    ) {
        self.offset = offset
        self.duration = duration
        self.hearsSpeech = hearsSpeech
        self.speech = speech
    }

    /// What was read.
    package struct Found: Sendable {
        package private(set) var count = 0
        var quietest = Float.infinity
        var peak = -Float.infinity
        /// Why reading ended before the recording did.
        var failure: AudioFormatError?
        /// The part of the sound that is recognized; `nil` is all of it.
        var speech: SpeechSelection.Found?
        /// The greatest logarithm of the spectrogram, if that was asked for.
        package fileprivate(set) var loudest: Float?
        /// Where in the sound that is recognized somebody speaks, if that was asked for.
        var voiced = SpeechIntervals()

        init() {}

        /// All of a recording at hand.
        init(_ samples: [Float]) { note(samples) }

        /// Nothing but zeros or one constant value.
        var isSilence: Bool { peak - quietest <= 2 / 32_768 }

        /// Nothing but zeros, of which hours need not be looked at.
        var isZero: Bool { peak == 0 && quietest == 0 }

        /// Seconds of all that was read.
        var duration: Double { Double(count) / Double(AudioChunk.sampleRate) }

        fileprivate mutating func note(_ part: [Float]) {
            SampleKernels.extremes(of: part, least: &quietest, greatest: &peak)
            count += part.count
        }
    }

    /// Reads `source` to its end, or to where reading fails midway (`Found.failure`).
    ///
    /// - Parameters:
    ///   - samples: take what is read.
    ///   - scan: finds the loudest moment meanwhile.
    ///   - onPart: told the parts of the speech for batches, as soon as they are known and their samples are there.
    /// - Throws: what `source` throws before its first sample, and what is no failure of reading.
    package func read(
        _ source: some AudioSource, into samples: SampleStore, scan: LoudnessScan? = nil,
        onPart: (KeptAudio) -> Void = { _ in }
    ) async throws -> Found {
        var found = Found()
        var selection = speech
        var detector = hearsSpeech ? EnergyDetector() : nil
        do {
            try await eachPart(of: source) { part in
                found.note(part)
                try samples.append(part)
                if !found.isZero { scan?.hear(upTo: found.count) }
                found.voiced.add(detector?.feed(part) ?? [])
                selection?.feed(part).forEach(onPart)
            }
        } catch let error as AudioFormatError where error.isReadError && found.count > 0 {
            found.failure = error
        }
        if let scan {
            found.loudest = found.isZero ? LogMelSpectrogram.silence : try scan.finish(sampleCount: found.count)
        }
        found.voiced.add(detector?.finish() ?? [])
        if let (speech, parts) = selection?.finish(sampleCount: found.count) {
            parts.forEach(onPart)
            found.speech = speech
            // What was kept was kept because somebody speaks there.
            found.voiced = SpeechIntervals()
            found.voiced.add([.opened(at: 0), .closed(at: speech.kept.count)])
        }
        return found
    }

    private func eachPart(of source: some AudioSource, _ take: ([Float]) throws -> Void) async throws {
        let first = Self.sample(at: offset)
        let end = duration.map { first + Self.sample(at: $0) } ?? Int.max
        for try await chunk in source.chunks() {
            try Task.checkCancellation()
            let range = (chunk.start..<(chunk.start + chunk.samples.count)).clamped(to: first..<max(first, end))
            if !range.isEmpty {
                try take(Array(chunk.samples[(range.lowerBound - chunk.start)..<(range.upperBound - chunk.start)]))
            }
            if chunk.start + chunk.samples.count >= end { break }
        }
    }

    private static func sample(at seconds: Double) -> Int {
        Int(min(max(0, seconds) * Double(AudioChunk.sampleRate), 1e15).rounded())
    }
}

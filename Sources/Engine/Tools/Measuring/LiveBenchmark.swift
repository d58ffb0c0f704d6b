import EngineAudio
package import EngineBasics
package import EngineModels
import EngineStreaming
package import EngineTranscription
package import EngineVoices

/// Plays recordings to a live session in simulated time and measures its output and latency.
///
/// A simulated pass starts when its audio is available and the previous pass has finished, and takes as long as the real
/// one. An hour of audio is measured in a few minutes, and a slow pass delays everything after it.
package struct LiveBenchmark: Sendable {
    package struct Options: Sendable {
        package var streaming = StreamingOptions()
        /// Separates speech from silence; `nil` makes all audio one utterance.
        package var detector: (any VoiceActivityDetector)? = EnergyDetector()
        /// The reference text of each recording, for the word error rate; empty if unknown.
        package var texts: [String] = []
        /// Seconds to play: the recordings repeat in random order with pauses between them. 0 plays each once, in order.
        package var duration = 0.0
        package var seed: UInt64 = 1
        /// How passes are measured.
        package var stopwatch = Stopwatch.elapsed

        package init() {
            streaming.isDeterministic = true
        }
    }

    package struct Result: Sendable, Hashable {
        package var policy: String
        package var step: Double
        /// Seconds of audio.
        package var duration: Double
        package var utterances: Int
        package var passes: Int
        /// Metrics including the time that passes take.
        package var aware: LiveMetrics
        /// Metrics as if passes took no time.
        package var unaware: LiveMetrics
        /// Seconds that a pass waited for previous ones.
        package var lag: LiveMetrics.Spread
        package var greatestLag: Double
        /// Seconds per pass.
        package var pass: LiveMetrics.Spread
        /// The same for passes over 9.5 to 10.5 s of an utterance that is still open; `nil` if there was none.
        package var longPass: LiveMetrics.Spread?
        /// Number of generated tokens.
        package var tokens: Int
        /// Number of generated tokens that came from the draft of the previous pass.
        package var acceptedDraftTokens: Int
        /// Seconds of passes per second of audio.
        package var realTimeFactor: Double
        package var peakMemoryBytes: Int
        /// The accuracy of the finals against the reference texts; `nil` if they are unknown.
        package var finals: LiveMetrics.Accuracy?
        /// The accuracy of the same utterances decoded as recordings; `nil` if the texts are unknown.
        package var recordings: LiveMetrics.Accuracy?
        /// The text of all finals.
        package var text: String
        /// Memory and latency every ten minutes.
        package var intervals: [Interval]
    }

    /// Ten minutes of a session, or the rest at its end.
    package struct Interval: Sendable, Hashable {
        /// The end of the interval, in seconds on the session clock.
        package var end: Double
        /// Resident memory at the end.
        package var residentBytes: Int
        /// Mean time from the end of a word to its final, in seconds.
        package var finalLatency: Double
    }

    private let model: any SpeechModel
    private let options: Options

    package init(_ recognizer: Recognizer, options: Options) throws {
        try options.streaming.validate()
        model = recognizer.model
        self.options = options
    }

    /// Plays the recordings twice: with the policy `utterance` for reference, and with the given options.
    ///
    /// - Parameter recordings: the samples of each recording, 16 kHz mono.
    /// - Throws: errors of decoding; `CancellationError`.
    package func run(_ recordings: [[Float]]) throws -> Result {
        let order = playlist(recordings)
        var reference = options.streaming
        reference.policy = .utterance
        // Only finals matter here, so run only the passes that end utterances.
        reference.minimumAudio = reference.maxWindow
        let baseline = try play(recordings, order: order, options: reference)
        let words = baseline.words
        let live = try play(recordings, order: order, options: options.streaming)
        var aware = LiveMetrics(live.moments(\.aware), reference: words, duration: live.position)
        let peak = ProcessMemory.peakBytes
        var unaware = LiveMetrics(live.moments(\.unaware), reference: words, duration: live.position)
        aware.averageLagging = live.averageLagging(\.aware, reference: baseline)
        unaware.averageLagging = live.averageLagging(\.unaware, reference: baseline)
        let expected = options.texts.isEmpty ? [] : order.flatMap { Self.keys(of: options.texts[$0.recording]) }
        return Result(
            policy: options.streaming.policy.rawValue, step: options.streaming.step, duration: live.position,
            utterances: baseline.utterances, passes: live.costs.count,
            aware: aware, unaware: unaware,
            lag: LiveMetrics.Spread(live.lags), greatestLag: live.lags.max() ?? 0,
            pass: LiveMetrics.Spread(live.costs),
            longPass: live.longCosts.isEmpty ? nil : LiveMetrics.Spread(live.longCosts),
            tokens: live.generatedTokens,
            acceptedDraftTokens: live.acceptedDraftTokens,
            realTimeFactor: live.costs.reduce(0, +) / max(1, live.position),
            peakMemoryBytes: peak,
            finals: expected.isEmpty ? nil : LiveMetrics.Accuracy(of: Self.keys(of: live.text), against: expected),
            recordings: expected.isEmpty
                ? nil : LiveMetrics.Accuracy(of: Self.keys(of: baseline.text), against: expected),
            text: live.text,
            intervals: intervals(of: live, words: words))
    }

    private func intervals(of live: LiveSimulation, words: [LiveMetrics.ReferenceWord]) -> [Interval] {
        let latencies = LiveMetrics.finalLatencies(live.moments(\.aware), reference: words)
        var start = 0.0
        return live.memory.map { end, bytes in
            defer { start = end }
            let inside = latencies.filter { $0.end > start && $0.end <= end }.map(\.latency)
            return Interval(end: end, residentBytes: bytes, finalLatency: LiveMetrics.Spread(inside).mean)
        }
    }

    private static func keys(of text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map { LiveMetrics.key(String($0)) }
    }

    /// Returns the order of the recordings, each with the number of samples of silence after it.
    private func playlist(_ recordings: [[Float]]) -> [(recording: Int, pause: Int)] {
        guard options.duration > 0, recordings.contains(where: { !$0.isEmpty }) else {
            return recordings.indices.map { ($0, AudioChunk.sampleRate) }
        }
        var random = SplitMix64(seed: options.seed)
        var list: [(recording: Int, pause: Int)] = []
        var samples = 0.0
        while samples < options.duration * Double(AudioChunk.sampleRate) {
            let next = Int.random(in: recordings.indices, using: &random)
            let pause = Int.random(in: 4_800...48_000, using: &random)
            list.append((next, pause))
            samples += Double(recordings[next].count + pause)
        }
        return list
    }

    private func play(_ recordings: [[Float]], order: [(recording: Int, pause: Int)], options: StreamingOptions) throws
        -> LiveSimulation
    {
        let network = model.liveDecoder(options, cancellation: CancellationFlag())
        let simulation = LiveSimulation(network, stopwatch: self.options.stopwatch)
        var loop = LiveLoop(
            options: options, detector: self.options.detector, decoder: simulation,
            emit: { simulation.record($0) })
        for (recording, pause) in order {
            // Faint noise, as in a room.
            let silence = (0..<pause).map { $0 % 2 == 0 ? Float(3) / 32_768 : Float(-3) / 32_768 }
            for audio in [recordings[recording], silence] {
                for first in stride(from: 0, to: audio.count, by: 320) {
                    try Task.checkCancellation()
                    let block = audio[first..<min(first + 320, audio.count)]
                    simulation.position += AudioChunk.seconds(of: block.count)
                    try loop.feed(Array(block))
                    simulation.recordMemory(isAtEnd: false)
                }
            }
        }
        try loop.close()
        simulation.recordMemory(isAtEnd: true)
        return simulation
    }
}

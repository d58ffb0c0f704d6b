/// Plays recordings to a live session in simulated time and measures what it told and when.
///
/// A pass may start when its sound is there and the pass before is done; it takes as long as it really does. So an hour
/// is measured in a few minutes, and waiting is charged once, with all that waits behind it.
public struct LiveBenchmark: Sendable {
    public struct Options: Sendable, Hashable {
        public var streaming = StreamingOptions()
        /// Parts speech from silence; without it all sound is one utterance.
        public var usesDetector = true
        /// Seconds to play; the recordings are repeated in random order with pauses between. 0: each once, in order.
        public var duration = 0.0
        public var seed: UInt64 = 1
        /// Takes the processor's time for the time that a pass took: no other work on the machine counts, but more than
        /// one thread does.
        public var usesProcessorTime = false

        public init() {
            streaming.isDeterministic = true
        }
    }

    /// What came out.
    public struct Result: Sendable, Hashable, Codable {
        public var policy: String
        public var step: Double
        /// Seconds of sound.
        public var duration: Double
        public var utterances: Int
        public var passes: Int
        /// With the time that passes took.
        public var aware: LiveMetrics
        /// As if they took none.
        public var unaware: LiveMetrics
        /// Seconds that a pass waited for those before it.
        public var lag: LiveMetrics.Spread
        public var greatestLag: Double
        /// Seconds of a pass.
        public var pass: LiveMetrics.Spread
        /// Seconds of passes for a second of sound.
        public var realTimeFactor: Double
        public var peakMemoryBytes: Int
    }

    private let model: WhisperModel
    private let tokenizer: Tokenizer
    private let options: Options

    public init(_ recognizer: Recognizer, options: Options) throws {
        try options.streaming.validate()
        model = recognizer.model
        tokenizer = recognizer.tokenizer
        self.options = options
    }

    /// - Parameter recordings: samples of each, 16 kHz mono.
    public func run(_ recordings: [[Float]]) throws -> Result {
        let order = playlist(recordings)
        var reference = options.streaming
        reference.policy = .utterance
        reference.transcription.wordTimestamps = true
        let spoken = try play(recordings, order: order, options: reference)
        let words = spoken.words
        let heard = try play(recordings, order: order, options: options.streaming)
        var aware = LiveMetrics(heard.moments(\.aware), reference: words, duration: heard.duration)
        var unaware = LiveMetrics(heard.moments(\.unaware), reference: words, duration: heard.duration)
        aware.averageLagging = heard.averageLagging(\.aware, spoken: spoken)
        unaware.averageLagging = heard.averageLagging(\.unaware, spoken: spoken)
        return Result(
            policy: options.streaming.policy.rawValue, step: options.streaming.step, duration: heard.duration,
            utterances: spoken.utterances, passes: heard.costs.count,
            aware: aware, unaware: unaware,
            lag: LiveMetrics.Spread(heard.lags), greatestLag: heard.lags.max() ?? 0,
            pass: LiveMetrics.Spread(heard.costs), realTimeFactor: heard.costs.reduce(0, +) / max(1, heard.duration),
            peakMemoryBytes: ProcessMemory.peakBytes)
    }

    /// Which recordings follow each other, each with the samples of silence behind it.
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
        -> LivePlay
    {
        let network = NetworkLiveDecoder(
            model, tokenizer: tokenizer, options: options, cancellation: CancellationFlag())
        let play = LivePlay(network, usesProcessorTime: self.options.usesProcessorTime)
        var loop = LiveLoop(
            options: options, detector: self.options.usesDetector ? EnergyDetector() : nil, decoder: play,
            tell: { play.hear($0) })
        for (recording, pause) in order {
            // A murmur, as a room has.
            let silence = (0..<pause).map { $0 % 2 == 0 ? Float(3) / 32_768 : Float(-3) / 32_768 }
            for part in [recordings[recording], silence] {
                for first in stride(from: 0, to: part.count, by: 320) {
                    try Task.checkCancellation()
                    let piece = part[first..<min(first + 320, part.count)]
                    play.position += Double(piece.count) / Double(AudioChunk.sampleRate)
                    try loop.hear(Array(piece))
                }
            }
        }
        try loop.close()
        return play
    }
}

/// Plays recordings to a live session in simulated time and measures what it told and when.
///
/// A pass may start when its sound is there and the pass before is done; it takes as long as it really does. So an hour
/// is measured in a few minutes, and waiting is charged once, with all that waits behind it.
public struct LiveBenchmark: Sendable {
    public struct Options: Sendable {
        public var streaming = StreamingOptions()
        /// Parts speech from silence; without it all sound is one utterance.
        public var detector: (any VoiceActivityDetector)? = EnergyDetector()
        /// What is said in each recording, to count wrong words against; empty where it is not known.
        public var texts: [String] = []
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
        /// Tokens that the passes wrote, and how many of them the pass before had foretold.
        public var tokens: Int
        public var acceptedDraftTokens: Int
        /// Seconds of passes for a second of sound.
        public var realTimeFactor: Double
        public var peakMemoryBytes: Int
        /// The finals against what was said, and so the same utterances decoded as recordings; `nil` where the texts
        /// are not known.
        public var finals: LiveMetrics.Accuracy?
        public var recordings: LiveMetrics.Accuracy?
        /// How it went on, every ten minutes.
        public var intervals: [Interval]
    }

    /// Ten minutes of a session, or what was left at its end.
    public struct Interval: Sendable, Hashable, Codable {
        /// Seconds of the session's clock at which it ends.
        public var end: Double
        /// Resident memory at that moment.
        public var residentBytes: Int
        /// Mean, from the end of a word to its final.
        public var finalLatency: Double
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
        // Only what becomes final is wanted.
        reference.step = 2
        reference.minimumAudio = 2
        reference.transcription.wordTimestamps = true
        let spoken = try play(recordings, order: order, options: reference)
        let words = spoken.words
        let heard = try play(recordings, order: order, options: options.streaming)
        var aware = LiveMetrics(heard.moments(\.aware), reference: words, duration: heard.duration)
        let peak = ProcessMemory.peakBytes
        var unaware = LiveMetrics(heard.moments(\.unaware), reference: words, duration: heard.duration)
        aware.averageLagging = heard.averageLagging(\.aware, spoken: spoken)
        unaware.averageLagging = heard.averageLagging(\.unaware, spoken: spoken)
        let said = options.texts.isEmpty ? [] : order.flatMap { Self.keys(of: options.texts[$0.recording]) }
        return Result(
            policy: options.streaming.policy.rawValue, step: options.streaming.step, duration: heard.duration,
            utterances: spoken.utterances, passes: heard.costs.count,
            aware: aware, unaware: unaware,
            lag: LiveMetrics.Spread(heard.lags), greatestLag: heard.lags.max() ?? 0,
            pass: LiveMetrics.Spread(heard.costs), tokens: heard.generatedTokens,
            acceptedDraftTokens: heard.acceptedDraftTokens, realTimeFactor: heard.costs.reduce(0, +) / max(1, heard.duration),
            peakMemoryBytes: peak,
            finals: said.isEmpty ? nil : LiveMetrics.Accuracy(of: Self.keys(of: heard.text), against: said),
            recordings: said.isEmpty ? nil : LiveMetrics.Accuracy(of: Self.keys(of: spoken.text), against: said),
            intervals: intervals(of: heard, words: words))
    }

    private func intervals(of heard: LivePlay, words: [LiveMetrics.ReferenceWord]) -> [Interval] {
        let latencies = LiveMetrics.finalLatencies(heard.moments(\.aware), reference: words)
        var start = 0.0
        return heard.memory.map { end, bytes in
            defer { start = end }
            let inside = latencies.filter { $0.end > start && $0.end <= end }.map(\.latency)
            return Interval(end: end, residentBytes: bytes, finalLatency: LiveMetrics.Spread(inside).mean)
        }
    }

    private static func keys(of text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map { LiveMetrics.key(String($0)) }
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
            options: options, detector: self.options.detector, decoder: play,
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
                    play.noteMemory(isAtEnd: false)
                }
            }
        }
        try loop.close()
        play.noteMemory(isAtEnd: true)
        return play
    }
}

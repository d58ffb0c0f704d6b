import Glibc

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
        return Result(
            policy: options.streaming.policy.rawValue, step: options.streaming.step, duration: heard.duration,
            utterances: spoken.utterances, passes: heard.costs.count,
            aware: LiveMetrics(heard.moments(\.aware), reference: words, duration: heard.duration),
            unaware: LiveMetrics(heard.moments(\.unaware), reference: words, duration: heard.duration),
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

/// A decoder that takes the time of what it does, and a listener that writes down when it was told what.
final class LivePlay: LiveDecoder {
    private struct Told {
        let aware: Double
        let unaware: Double
        let output: LiveLoop.Output
    }

    struct Times {
        let aware: Double
        let unaware: Double
    }

    private let network: any LiveDecoder
    private let usesProcessorTime: Bool
    private var told: [Told] = []
    /// Seconds of sound played.
    var position = 0.0
    /// When the last pass was done.
    private var free = 0.0
    private(set) var costs: [Double] = []
    private(set) var lags: [Double] = []

    init(_ network: any LiveDecoder, usesProcessorTime: Bool) {
        self.network = network
        self.usesProcessorTime = usesProcessorTime
    }

    var duration: Double { position }

    func decode(_ request: LiveRequest) throws -> LivePass { try timed { try network.decode(request) } }

    func transcribe(_ samples: [Float]) throws -> [TranscriptSegment] { try timed { try network.transcribe(samples) } }

    func hear(_ output: LiveLoop.Output) {
        told.append(Told(aware: max(free, position), unaware: position, output: output))
    }

    private func timed<R>(_ work: () throws -> R) rethrows -> R {
        let start = max(position, free)
        let wall = ContinuousClock.now
        let processor = clock()
        let result = try work()
        let cost =
            usesProcessorTime
            ? Double(clock() - processor) / 1_000_000 : (ContinuousClock.now - wall) / .seconds(1)
        costs.append(cost)
        lags.append(start - position)
        free = start + cost
        return result
    }

    /// Outputs of one time put together.
    func moments(_ time: KeyPath<Times, Double>) -> [LiveMetrics.Moment] {
        var moments: [LiveMetrics.Moment] = []
        for one in told {
            let at = Times(aware: one.aware, unaware: one.unaware)[keyPath: time]
            if moments.last?.time != at {
                moments.append(LiveMetrics.Moment(time: at, finals: [], volatile: moments.last?.volatile ?? []))
            }
            switch one.output {
            case .finals(let segments):
                moments[moments.count - 1].finals += segments.flatMap(Self.words)
                moments[moments.count - 1].volatile = []
            case .volatile(let segment):
                moments[moments.count - 1].volatile = segment.map(Self.words) ?? []
            case .language: break
            }
        }
        return moments
    }

    private static func words(of segment: TranscriptSegment) -> [String] {
        segment.text.split(separator: " ").map(String.init)
    }

    private var finals: [TranscriptSegment] {
        told.flatMap { one -> [TranscriptSegment] in
            if case .finals(let segments) = one.output { return segments }
            return []
        }
    }

    var utterances: Int { Set(finals.map(\.utterance)).count }

    /// The finals' words with their times.
    var words: [LiveMetrics.ReferenceWord] {
        finals.flatMap { segment in
            (segment.words ?? []).map {
                LiveMetrics.ReferenceWord(
                    text: WhiteSpace.strip($0.word), start: $0.start, end: $0.end)
            }
        }
    }
}

/// Measures one model on this machine: load time, and spectrogram, encoder and decoder for a 30-second window.
public struct Benchmark: Sendable {
    /// What to measure.
    public struct Options: Sendable, Hashable {
        /// The exact number of text tokens to generate, so that models with any weights can be compared.
        public var tokens = 100
        /// Beam size; 1 for greedy decoding.
        public var beamSize = 1
        /// Number of measured rounds, after one to warm up.
        public var rounds = 5
        public var compute = ComputeOptions()

        public init() {}
    }

    /// Medians over the rounds, in milliseconds.
    public struct Result: Sendable, Hashable {
        /// Time from opening the file until the network and the tokenizer are ready; measured once.
        public var loadMilliseconds: Double
        public var melMilliseconds: Double
        /// The encoder and the keys and values of cross-attention.
        public var encodeMilliseconds: Double
        /// One step of all beams. The prompt counts as part of the first token.
        public var decodeMillisecondsPerToken: Double
        /// Spectrogram, encoder and decoder.
        public var windowMilliseconds: Double
        public var options: Options
        public var backend: String
        public var computeType: String
        public var threads: Int
        /// Processing time per second of audio.
        public var realTimeFactor: Double
        public var peakMemoryBytes: Int
    }

    private let options: Options
    private let model: WhisperModel
    private let tokenizer: Tokenizer
    private let load: Duration

    /// Loads the model.
    ///
    /// - Throws: `ModelError`, `ComputeError`.
    public init(model path: FilePath, options: Options) throws {
        self.options = options
        let start = ContinuousClock.now
        model = try WhisperModel(try GGMLFile(path), options: options.compute)
        tokenizer = Tokenizer(vocabulary: model.vocabulary)
        load = ContinuousClock.now - start
    }

    private struct Round {
        var mel = Duration.zero
        var encode = Duration.zero
        var decode = Duration.zero
    }

    /// Runs all rounds.
    ///
    /// - Parameter onRound: called with the number of each round before it starts; 0 is the warm-up.
    public func run(onRound: (Int) throws -> Void = { _ in }) throws -> Result {
        let samples = Self.noise(seconds: 30)
        let spectrogram = LogMelSpectrogram(bands: model.dimensions.nMels)
        let encoder = try AudioEncoder(model)
        let decoder = try TextDecoder(model, maxRows: options.beamSize)
        var decoding = DecodingOptions()
        decoding.forcedTokenCount = options.tokens
        decoding.beamSize = options.beamSize > 1 ? options.beamSize : nil
        let task = try DecodingTask(
            options: decoding, specials: tokenizer.special, nonSpeechTokens: tokenizer.nonSpeechTokens)
        let initial = InitialTokens(
            sotSequence: try tokenizer.startOfTranscriptSequence(), options: decoding, specials: tokenizer.special,
            contextLength: decoder.contextLength)
        var rounds: [Round] = []
        for number in 0...options.rounds {
            try onRound(number)
            try Task.checkCancellation()
            var round = Round()
            let clock = ContinuousClock()
            var window: [Float] = []
            round.mel = clock.measure {
                window = spectrogram.logarithms(0..<3000, sampleCount: samples.count) { Array(samples[$0]) }
                LogMelSpectrogram.scale(&window, loudest: LogMelSpectrogram.loudest(of: window))
            }
            round.encode = clock.measure { decoder.attend(to: encoder.encode(window)) }
            round.decode = try clock.measure {
                _ = try task.run(decoder, from: initial, onStep: { _ in try Task.checkCancellation() })
            }
            if number > 0 { rounds.append(round) }
        }
        let window = Self.median(rounds.map { $0.mel + $0.encode + $0.decode })
        return Result(
            loadMilliseconds: Self.milliseconds(load), melMilliseconds: Self.median(rounds.map(\.mel)),
            encodeMilliseconds: Self.median(rounds.map(\.encode)),
            decodeMillisecondsPerToken: Self.median(rounds.map(\.decode)) / Double(max(1, options.tokens)),
            windowMilliseconds: window, options: options, backend: model.backend.name,
            computeType: model.backend.computeType.rawValue,
            threads: model.backend.threads, realTimeFactor: window / 30_000, peakMemoryBytes: ProcessMemory.peakBytes)
    }

    /// Returns reproducible noise. The content of the audio does not affect the time.
    private static func noise(seconds: Int) -> [Float] {
        var generator = SplitMix64(seed: 1)
        return (0..<(seconds * AudioChunk.sampleRate)).map { _ in Float.random(in: -0.1...0.1, using: &generator) }
    }

    private static func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }

    private static func median(_ durations: [Duration]) -> Double {
        let sorted = durations.map(milliseconds).sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

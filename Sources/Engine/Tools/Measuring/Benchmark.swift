import EngineAudio
package import EngineBasics
package import EngineCompute
import EngineModels
import EngineWeights
import EngineWhisper

/// Measures one model on this machine: load time, and spectrogram, encoder and decoder for a 30-second window.
package struct Benchmark: Sendable {
    /// What to measure.
    package struct Options: Sendable, Hashable {
        /// The exact number of text tokens to generate, so that models with any weights can be compared.
        package var tokens = 100
        /// Beam size; 1 for greedy decoding.
        package var beamSize = 1
        /// Number of measured rounds, after one to warm up.
        package var rounds = 5
        package var compute = ComputeOptions()

        package init() {}
    }

    /// Medians over the rounds, in milliseconds.
    package struct Result: Sendable, Hashable {
        /// Time from opening the file until the network and the tokenizer are ready; measured once.
        package var loadMilliseconds: Double
        package var melMilliseconds: Double
        /// The encoder and the keys and values of cross-attention.
        package var encodeMilliseconds: Double
        /// One step of all beams. The prompt counts as part of the first token.
        package var decodeMillisecondsPerToken: Double
        /// Spectrogram, encoder and decoder.
        package var windowMilliseconds: Double
        package var options: Options
        package var backend: String
        /// The formats and instructions of many-row products; see `ComputeBackend.kernels`.
        package var kernels: String
        package var computeType: String
        package var threads: Int
        /// Processing time per second of audio.
        package var realTimeFactor: Double
        package var peakMemoryBytes: Int
    }

    private let options: Options
    private let model: WhisperModel
    private var tokenizer: Tokenizer { model.tokenizer }
    private let load: Duration

    /// Loads the model.
    ///
    /// - Throws: `ModelError`, `ComputeError`.
    package init(model path: FilePath, options: Options) throws {
        self.options = options
        let start = ContinuousClock.now
        model = try WhisperModel.load(try WhisperFiles.open(path), options: options.compute)
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
    package func run(onRound: (Int) throws -> Void = { _ in }) throws -> Result {
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
            kernels: model.backend.kernels,
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

import EngineAudio
package import EngineBasics
package import EngineCompute
import EngineInstalled
package import EngineModels
import EngineTranscription

/// Measures one model on this machine: load time, and spectrogram, encoder and decoder for a window, of 30 seconds if the
/// model can hear them at once.
package struct Benchmark: Sendable {
    /// What to measure.
    package struct Options: Sendable, Hashable {
        /// The exact number of text tokens to generate, so that Whisper models with any weights can be compared.
        package var tokens = 100
        /// Beam size of models that have a beam search; 1 for greedy decoding.
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
        /// The number of tokens decoded in a round.
        package var tokens: Int
        package var backend: String
        /// The formats and instructions of many-row products; see `ComputeBackend.kernels`.
        package var kernels: String
        package var computeType: String
        package var threads: Int
        /// Processing time per second of audio.
        package var realTimeFactor: Double
        package var peakMemoryBytes: Int
    }

    let options: Options
    let model: any SpeechModel
    private let load: Duration
    package var traits: ModelTraits { model.traits }

    /// Loads the model.
    ///
    /// - Throws: `ModelError`, `ComputeError`.
    package init(model path: FilePath, options: Options) throws {
        self.options = options
        let start = ContinuousClock.now
        model = try ModelFamilies.open(path).load(options.compute)
        load = ContinuousClock.now - start
    }

    /// Runs all rounds.
    ///
    /// - Parameter onRound: called with the number of each round before it starts; 0 is the warm-up.
    package func run(onRound: (Int) throws -> Void = { _ in }) throws -> Result {
        let timer = try timer()
        var rounds: [WindowTimes] = []
        for number in 0...options.rounds {
            try onRound(number)
            try Task.checkCancellation()
            let times = try timer.measure(in: .elapsed)
            if number > 0 { rounds.append(times) }
        }
        let window = Self.median(rounds.map { $0.mel + $0.encode + $0.decode }), tokens = rounds.last?.tokens ?? 0
        return Result(
            loadMilliseconds: Self.milliseconds(load), melMilliseconds: Self.median(rounds.map(\.mel)),
            encodeMilliseconds: Self.median(rounds.map(\.encode)),
            decodeMillisecondsPerToken: Self.median(rounds.map(\.decode)) / Double(max(1, tokens)),
            windowMilliseconds: window, options: options, tokens: tokens, backend: model.backend.name,
            kernels: model.backend.kernels,
            computeType: model.backend.computeType.rawValue,
            threads: model.backend.threads, realTimeFactor: window / (1000 * windowSeconds),
            peakMemoryBytes: ProcessMemory.peakBytes)
    }

    /// Seconds of the window.
    private var windowSeconds: Double { min(30, traits.longestWindow) }

    func timer() throws -> any WindowTimer {
        try model.timer(
            of: Self.noise(seconds: windowSeconds), tokens: options.tokens, beamSize: options.beamSize)
    }

    /// Returns reproducible noise. The content of the audio does not affect the time.
    private static func noise(seconds: Double) -> [Float] {
        var generator = SplitMix64(seed: 1)
        let count = Int(seconds * Double(AudioChunk.sampleRate))
        return (0..<count).map { _ in Float.random(in: -0.1...0.1, using: &generator) }
    }

    static func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }

    private static func median(_ durations: [Duration]) -> Double {
        let sorted = durations.map(milliseconds).sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

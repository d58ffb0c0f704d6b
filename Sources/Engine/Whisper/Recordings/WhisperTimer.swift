import EngineBasics
import EngineCompute
import EngineModels

/// Measures spectrogram, encoder and decoder.
final class WhisperTimer: WindowTimer {
    private let samples: [Float]
    private let tokens: Int
    private let spectrogram: LogMelSpectrogram
    private let encoder: AudioEncoder
    private let decoder: TextDecoder
    private let task: DecodingTask
    private let initial: InitialTokens

    init(_ model: WhisperModel, samples: [Float], tokens: Int, beamSize: Int) throws {
        self.samples = samples
        self.tokens = tokens
        spectrogram = LogMelSpectrogram(bands: model.dimensions.nMels)
        encoder = try AudioEncoder(model)
        decoder = try TextDecoder(model, maxRows: beamSize)
        let tokenizer = model.tokenizer
        var options = DecodingOptions()
        options.forcedTokenCount = tokens
        options.beamSize = beamSize > 1 ? beamSize : nil
        task = try DecodingTask(
            options: options, specials: tokenizer.special, nonSpeechTokens: tokenizer.nonSpeechTokens)
        initial = InitialTokens(
            sotSequence: try tokenizer.startOfTranscriptSequence(), options: options, specials: tokenizer.special,
            contextLength: decoder.contextLength)
    }

    var features: OperationWork { spectrogram.work(frames: WindowSpan.fullFrames) }

    func measure(in stopwatch: Stopwatch) throws -> WindowTimes {
        var times = WindowTimes()
        var window: [Float] = []
        times.mel = stopwatch.measure {
            window = spectrogram.logarithms(0..<WindowSpan.fullFrames, sampleCount: samples.count) {
                Array(samples[$0])
            }
            LogMelSpectrogram.scale(&window, loudest: LogMelSpectrogram.loudest(of: window))
        }
        times.encode = stopwatch.measure { decoder.attend(to: encoder.encode(window)) }
        times.decode = try stopwatch.measure {
            _ = try task.run(decoder, from: initial, onStep: { _ in try Task.checkCancellation() })
        }
        times.tokens = tokens
        return times
    }
}

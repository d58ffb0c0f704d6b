import EngineBasics
import EngineCompute
import EngineModels

/// Measures spectrogram, encoder and decoder of a streaming model.
final class StreamTimer: WindowTimer {
    private let samples: [Float]
    private let stream: SpeechStream

    init(_ model: ParakeetModel, lookahead: Int, samples: [Float]) throws {
        self.samples = samples
        stream = try SpeechStream(model, lookahead: lookahead)
    }

    var features: OperationWork {
        stream.model.features.work(frames: ParakeetFeatures.frames(samples: samples.count))
    }

    func measure(in stopwatch: Stopwatch) throws -> WindowTimes {
        stream.start(language: nil)
        return try stream.measure(samples, in: stopwatch)
    }
}

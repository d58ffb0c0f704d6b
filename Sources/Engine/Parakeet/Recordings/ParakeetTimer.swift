import EngineBasics
import EngineCompute
import EngineModels

/// Measures spectrogram, encoder and decoder.
final class ParakeetTimer: WindowTimer {
    private let samples: [Float]
    private let decoder: PieceDecoder

    init(_ model: ParakeetModel, samples: [Float], beams: Int) throws {
        self.samples = samples
        decoder = try PieceDecoder(model, beams: beams)
    }

    var features: OperationWork {
        decoder.model.features.work(frames: ParakeetFeatures.frames(samples: samples.count))
    }

    func measure(in stopwatch: Stopwatch) throws -> WindowTimes {
        var times = WindowTimes()
        var features: [Float] = []
        times.mel = stopwatch.measure { features = decoder.model.features.normalized(samples) }
        let start = stopwatch.now
        let encoded = try decoder.encoder.encode(features)
        times.encode = stopwatch.now - start
        times.decode = try stopwatch.measure {
            times.tokens = try decoder.tokens(in: encoded) { _ in try Task.checkCancellation() }.count
        }
        return times
    }
}

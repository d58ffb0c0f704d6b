import EngineModels

/// Measures spectrogram, encoder and decoder.
final class ParakeetTimer: WindowTimer {
    private let samples: [Float]
    private let decoder: PieceDecoder

    init(_ model: ParakeetModel, samples: [Float], beams: Int) throws {
        self.samples = samples
        decoder = try PieceDecoder(model, beams: beams)
    }

    func measure() throws -> WindowTimes {
        var times = WindowTimes()
        let clock = ContinuousClock()
        var features: [Float] = []
        times.mel = clock.measure { features = decoder.model.features.normalized(samples) }
        let start = clock.now
        let encoded = try decoder.encoder.encode(features)
        times.encode = clock.now - start
        times.decode = try clock.measure {
            times.tokens = try decoder.tokens(in: encoded) { _ in try Task.checkCancellation() }.count
        }
        return times
    }
}

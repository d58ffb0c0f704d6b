import EngineBasics
import EngineCompute
import EngineWeights
import Glibc

/// The log-mel features of audio: pre-emphasis, power spectrum, mel bands, logarithm. As in NVIDIA's NeMo.
package struct ParakeetFeatures: Sendable {
    /// Samples between frames.
    package static let hop = 160
    /// Samples of the shortest piece: the deviation of a single frame is undefined.
    package static let leastSamples = 2 * hop

    package let bands: Int
    private let kernel: LogMelKernel

    private static let preEmphasis: Float = 0.97
    /// Samples on both sides of the first of a frame, half a window.
    fileprivate static let reach = LogMelKernel.frameLength / 2
    /// Points of the Fourier transform.
    private static let points = 512
    /// A symmetric Hann window.
    private static let hann = (0..<(2 * reach)).map { 0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(2 * reach - 1)) }
    /// Added to the deviation of a band: NeMo adds 10⁻⁵ to that of the natural logarithm.
    private static let leastDeviation = 1e-5 / log(10)

    package init(bands: Int) {
        self.bands = bands
        kernel = LogMelKernel(
            window: Self.hann, hop: Self.hop, points: Self.points,
            filters: MelFilterBank.filters(bands: bands, points: Self.points), floor: .added(0x1p-24))
    }

    /// The work of a number of frames, which is done in float64: half as many numbers at a time as in float32.
    func work(frames: Int) -> OperationWork {
        OperationWork(operations: frames * kernel.operations, kind: .float32, passes: 2)
    }

    /// The number of frames of a piece.
    package static func frames(samples: Int) -> Int { samples / hop }

    /// Computes the features of a piece of a recording, `[frames, bands]`, and normalizes each band over the piece, which
    /// makes the base of the logarithm irrelevant.
    ///
    /// - Parameter samples: at least `leastSamples`, -1…1; zero before and after.
    package func normalized(_ samples: [Float]) -> [Float] {
        precondition(samples.count >= Self.leastSamples, "\(samples.count) samples")
        let frames = Self.frames(samples: samples.count)
        var values = logMel(0..<frames, of: samples, from: 0)
        for band in 0..<bands { normalize(band, of: &values, frames: frames) }
        return values
    }

    /// Decimal logarithms for a range of frames.
    ///
    /// - Parameter samples: those from `start` on; zero before and after.
    fileprivate func logMel(_ frames: Range<Int>, of samples: [Float], from start: Int) -> [Float] {
        kernel.logMel(emphasized(frames, of: samples, from: start), frames: frames.count)
    }

    /// The samples of these frames, each of which begins half a window early, with their high frequencies raised.
    private func emphasized(_ frames: Range<Int>, of samples: [Float], from start: Int) -> [Float] {
        let first = Self.firstSample(of: frames.lowerBound)
        var emphasized = [Float](repeating: 0, count: Self.hop * (frames.count - 1) + 2 * Self.reach)
        let known = (start..<(start + samples.count)).clamped(to: first..<(first + emphasized.count))
        for i in known {
            let before = i == start ? 0 : samples[i - 1 - start]
            emphasized[i - first] = samples[i - start] - Self.preEmphasis * before
        }
        return emphasized
    }

    fileprivate static func firstSample(of frame: Int) -> Int { hop * frame - reach }

    /// Sets mean and deviation of a band to 0 and 1.
    private func normalize(_ band: Int, of values: inout [Float], frames: Int) {
        let indices = stride(from: band, to: values.count, by: bands)
        let mean = indices.reduce(0.0) { $0 + Double(values[$1]) } / Double(frames)
        let squares = indices.reduce(0.0) { $0 + (Double(values[$1]) - mean) * (Double(values[$1]) - mean) }
        let deviation = (squares / Double(frames - 1)).squareRoot() + Self.leastDeviation
        for index in indices { values[index] = Float((Double(values[index]) - mean) / deviation) }
    }
}

extension ParakeetFeatures {
    /// What is computed here and may also be in a model's file.
    package enum Table: String, CaseIterable, Sendable {
        case filters = "mel filters"
        case window = "window"

        package func shape(bands: Int) -> [Int] {
            switch self {
            case .filters: [bands, points / 2 + 1]
            case .window: [2 * reach]
            }
        }

        func values(bands: Int) -> [Float] {
            switch self {
            case .filters: MelFilterBank.filters(bands: bands, points: points).flatMap { $0 }
            case .window: hann.map { Float($0) }
            }
        }
    }

    /// Throws unless the tables in a model's file are those that are computed here, but for rounding.
    static func check(_ tables: [Table: WeightTensor], bands: Int) throws {
        for (table, tensor) in tables {
            let stored = try tensor.floats(), values = table.values(bands: bands)
            guard let index = values.indices.first(where: { abs(values[$0] - stored[$0]) > 1e-6 }) else { continue }
            throw ModelError.badTensor(
                path: tensor.file.path, tensor: tensor.name,
                problem: "has other values than this program's \(table.rawValue): \(stored[index]) at \(index), "
                    + "expected \(values[index])")
        }
    }
}

/// The features of audio that arrives part by part: natural logarithms, not normalized, so that they depend on nothing
/// later.
package struct FeatureStream: Sendable {
    private let features: ParakeetFeatures
    /// The samples from `start` on that frames to come depend on.
    private var samples: [Float] = []
    private var start = 0
    private var frames = 0

    package init(_ features: ParakeetFeatures) { self.features = features }

    /// Adds samples.
    ///
    /// - Parameter isLast: whether there are no more, so that zeros follow.
    /// - Returns: the features of the frames that are complete now, `[frames, bands]`.
    package mutating func add(_ new: [Float], isLast: Bool) -> [Float] {
        samples += new
        let count = start + samples.count, later = count - ParakeetFeatures.reach
        let whole = later < 0 ? 0 : later / ParakeetFeatures.hop + 1
        let end = isLast ? ParakeetFeatures.frames(samples: count) : whole
        guard end > frames else { return [] }
        let found = features.logMel(frames..<end, of: samples, from: start)
        frames = end
        // One more for pre-emphasis.
        let unused = min(samples.count, ParakeetFeatures.firstSample(of: end) - 1 - start)
        if unused > 0 {
            samples.removeFirst(unused)
            start += unused
        }
        return found.map { $0 * Float(log(10.0)) }
    }
}

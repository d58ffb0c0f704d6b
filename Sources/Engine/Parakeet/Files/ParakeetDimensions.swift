import EngineBasics
import EngineCompute
import EngineWeights

/// What a FastConformer recognizer's decoder looks like.
package enum ParakeetHead: Hashable, Sendable {
    /// A token or a blank for each frame.
    case ctc
    /// A prediction network, and at each step a token or a blank.
    case rnnt
    /// The same, and at each step how many frames to advance: one of these durations.
    case tdt(durations: [Int])
}

/// The sizes of a FastConformer recognizer.
package struct ParakeetDimensions: Hashable, Sendable {
    package var head: ParakeetHead
    /// Mel bands.
    package var bands: Int
    /// Encoder layers, their width, attention heads, and the width between the two halves of a feed-forward module.
    package var layers: Int
    package var width: Int
    package var heads: Int
    package var feedForward: Int
    /// Channels of the convolutions that halve the number of frames and bands three times.
    package var channels: Int
    /// Frames that a convolution module sees.
    package var taps: Int
    /// Whether linear layers and convolutions of the encoder's layers have a bias.
    package var hasLinearBias: Bool
    package var hasConvolutionBias: Bool
    /// Whether the first layer's input is multiplied by the root of the width.
    package var scalesInput: Bool
    /// Tokens without the blank, which is the one after them.
    package var vocabulary: Int
    /// The prediction network: its width and layers. 0 with CTC.
    package var prediction: Int
    package var predictionLayers: Int
    /// Tokens at one frame after which the next frame follows in any case.
    package var maxSymbols: Int
    /// Of a model that hears audio as it arrives: its convolutions see no later frames.
    package var streaming: StreamingDimensions?

    /// The id of the blank.
    package var blank: Int { vocabulary }
    /// What the decoder chooses from at each step: tokens and the blank.
    package var choices: Int { vocabulary + 1 }

    /// Zeros before the images that are halved, see `ImageKernels`.
    var imageBorder: Int { streaming == nil ? 1 : 2 }

    /// Bands after three convolutions that halve them.
    package var subsampledBands: Int {
        (0..<3).reduce(bands) { bands, _ in ImageRows.half(bands, before: imageBorder) }
    }

    /// The number of encoder frames of a number of feature frames, which are all that there are.
    package func frames(features: Int) -> Int {
        features == 0 ? 0 : (0..<3).reduce(features) { frames, _ in ImageRows.half(frames, before: imageBorder) }
    }

    /// Outputs of the joint network.
    package var jointOutputs: Int {
        if case .tdt(let durations) = head { choices + durations.count } else { choices }
    }

    /// Checks that the sizes are possible; vectorized code needs widths that are multiples of 16.
    ///
    /// - Parameter names: the keys of the sizes in the file.
    func check(path: FilePath, names: [PartialKeyPath<ParakeetDimensions>: String]) throws(ModelError) {
        let vector = 16
        var limits: [(WritableKeyPath<ParakeetDimensions, Int>, ClosedRange<Int>, multiple: Int)] = [
            (\.bands, 8...256, 1), (\.layers, 1...100, 1), (\.width, vector...8192, vector), (\.heads, 1...128, 1),
            (\.feedForward, vector...65_536, vector), (\.channels, vector...2048, vector), (\.taps, 1...63, 1),
            (\.vocabulary, 1...200_000, 1),
        ]
        if head != .ctc {
            limits += [
                (\.prediction, vector...8192, vector), (\.predictionLayers, 1...8, 1), (\.maxSymbols, 1...1000, 1),
            ]
        }
        for (size, range, multiple) in limits
        where !range.contains(self[keyPath: size]) || self[keyPath: size] % multiple != 0 {
            throw .badSetting(
                path: path, key: names[size] ?? "\(size)", found: "\(self[keyPath: size])",
                expected: "\(range.lowerBound) to \(range.upperBound)"
                    + (multiple > 1 ? ", a multiple of \(multiple)" : ""))
        }
        if width % heads != 0 {
            throw .badSetting(
                path: path, key: names[\.heads] ?? "heads", found: "\(heads)", expected: "a divisor of \(width)")
        }
        if taps % 2 == 0, streaming == nil {
            throw .badSetting(
                path: path, key: names[\.taps] ?? "taps", found: "\(taps)", expected: "an odd number")
        }
        if case .tdt(let durations) = head,
            !(1...32).contains(durations.count) || durations.contains(where: { !(0...100).contains($0) })
        {
            throw .badSetting(
                path: path, key: "durations", found: "\(durations.prefix(8))",
                expected: "1 to 32 numbers from 0 to 100")
        }
    }
}

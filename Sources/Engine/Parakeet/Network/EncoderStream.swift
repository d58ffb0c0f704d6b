import EngineCompute

/// What an encoder remembers of audio that it hears part by part: the same whatever the parts.
package final class EncoderStream {
    package let lookahead: Int
    /// The index of the language prompt.
    package var prompt: Int
    /// Frames encoded so far.
    package private(set) var frames = 0
    let layers: [LayerPast]
    private let dimensions: ParakeetDimensions
    /// Features that frames to come depend on, from those of frame `firstFeatures` on.
    private var features: [Float] = []
    private var firstFeatures = 0

    /// Feature frames before the first of its own 8 that a frame depends on.
    private static let earlierFeatures = 14

    /// - Parameters:
    ///   - lookahead: one of `StreamingDimensions.lookaheads`.
    ///   - prompt: of `PromptDimensions.numbers`; `nil` if the language is unknown.
    package init(_ dimensions: ParakeetDimensions, lookahead: Int, prompt: Int? = nil) throws {
        guard let streaming = dimensions.streaming else { preconditionFailure("no streaming model") }
        self.dimensions = dimensions
        self.lookahead = lookahead
        self.prompt = prompt ?? streaming.prompts?.unknown ?? 0
        layers = try (0..<dimensions.layers).map { _ in
            try LayerPast(
                width: dimensions.width, chunk: lookahead + 1, most: streaming.past(lookahead: lookahead),
                taps: dimensions.taps)
        }
    }

    /// The number of floats of a stream.
    static func numbers(for d: ParakeetDimensions) -> Int {
        d.streaming.map { d.layers * d.width * (2 * $0.leftContext + d.taps - 1) } ?? 0
    }

    /// Forgets everything.
    package func restart() {
        frames = 0
        features = []
        firstFeatures = 0
        for layer in layers { layer.restart() }
    }

    /// Adds features.
    ///
    /// - Parameters:
    ///   - new: `[frames, bands]`.
    ///   - isLast: whether there are no more.
    /// - Returns: the frames that can be encoded, whole chunks unless these are the last features, and the features that
    ///   they depend on.
    func add(_ new: [Float], isLast: Bool) throws -> (frames: Range<Int>, image: ImageRows) {
        let all = features + new, bands = dimensions.bands, count = firstFeatures + all.count / bands
        let image = ImageRows(
            try Tensor(all), range: firstFeatures..<count, of: count, columns: bands, channels: 1)
        features = all
        let complete = count == 0 ? 0 : (count - 1) / 8 + 1, chunk = lookahead + 1
        return (frames..<(isLast ? dimensions.frames(features: count) : complete / chunk * chunk), image)
    }

    /// Forgets the features that only frames before `end` depend on.
    func didEncode(to end: Int) {
        for layer in layers { layer.advance(by: end - frames) }
        frames = end
        let unused = min(8 * end - Self.earlierFeatures - firstFeatures, features.count / dimensions.bands)
        guard unused > 0 else { return }
        features.removeFirst(unused * dimensions.bands)
        firstFeatures += unused
    }
}

/// What a layer remembers of the frames before those that it sees.
final class LayerPast {
    /// The number of frames whose keys are remembered.
    private(set) var frames = 0
    private let chunk: Int
    /// The most frames before a chunk that it sees.
    private let most: Int
    /// `[most, 2n]`, of which the first `frames` rows are in use.
    private let keysAndValues: Tensor
    /// The input of the convolution, `[taps − 1, n]`, zeros before the start.
    private let gated: Tensor
    private let width: Int

    init(width: Int, chunk: Int, most: Int, taps: Int) throws {
        self.width = width
        self.chunk = chunk
        self.most = most
        keysAndValues = try Tensor(count: 2 * width * most)
        gated = try Tensor(count: width * (taps - 1))
    }

    func restart() {
        frames = 0
        gated.fill(0..<gated.count, with: 0)
    }

    func advance(by count: Int) { frames = min(most, frames + count) }

    /// The chunks of frames after those that are remembered, which begin with a chunk.
    ///
    /// - Returns: rows of queries, and rows of keys that they see, counting those remembered.
    func chunks(of count: Int) -> [(queries: Range<Int>, keys: Range<Int>)] {
        stride(from: 0, to: count, by: chunk).map { first in
            let end = min(first + chunk, count)
            return (first..<end, max(0, frames + first - most)..<(frames + end))
        }
    }

    func recallKeys(into all: TensorView) {
        keysAndValues.rows(frames, columns: 2 * width).copy(into: all.slice(rows: 0..<frames))
    }

    func keepKeys(of all: TensorView) {
        let count = min(most, all.rows)
        all.slice(rows: (all.rows - count)..<all.rows).copy(into: keysAndValues.rows(count, columns: 2 * width))
    }

    func recallGated(into all: TensorView) {
        let rows = gated.count / width
        gated.rows(rows, columns: width).copy(into: all.slice(rows: 0..<rows))
    }

    func keepGated(of all: TensorView) {
        let rows = gated.count / width
        all.slice(rows: (all.rows - rows)..<all.rows).copy(into: gated.rows(rows, columns: width))
    }
}

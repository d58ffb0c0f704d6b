import Foundation
import Testing

/// A small model with random weights, and what the reference computes with it from a clip.
struct ParakeetFixture: CustomTestStringConvertible, Sendable {
    /// The folder in `Tests/Fixtures/parakeet`.
    let name: String

    static let all = ["tdt", "tdt-bias", "rnnt", "ctc"].map { ParakeetFixture(name: $0) }
    /// They hear audio as it arrives.
    static let streaming = ["streaming", "streaming35"].map { ParakeetFixture(name: $0) }
    /// Their format has durations.
    static let tdt = ["tdt", "tdt-bias"].map { ParakeetFixture(name: $0) }

    var testDescription: String { name }

    private var path: String { "parakeet/\(name)" }
    var folder: FilePath { FilePath(Fixtures.url("\(path)/model").path(percentEncoded: false)) }

    func model(
        _ backend: ComputeOptions.Backend = .auto, type: ComputeType = .float32, threads: Int = 2
    ) throws -> ParakeetModel {
        try ParakeetModel.load(
            ParakeetFolder(folder), options: ComputeOptions(backend: backend, computeType: type, threads: threads))
    }

    /// Values in one of the fixture's files, row by row.
    func values(_ file: String) throws -> [Float] { try Fixtures.floats("\(path)/\(file).f32") }

    func has(_ file: String) -> Bool {
        FileManager.default.fileExists(atPath: Fixtures.url("\(path)/\(file).f32").path(percentEncoded: false))
    }

    /// Compares the words of the whole clip with the reference's. There, words may overlap, take no time or end after the
    /// clip; here, those share the time that there is.
    func compareWords(_ found: [TranscriptWord]) throws {
        let words = try result.whole.words, end = AudioChunk.seconds(of: try samples.count)
        #expect(found.map { String($0.word.dropFirst()) } == words.map(\.text))
        for (index, (found, word)) in zip(found, words).enumerated() {
            let before = index == 0 ? 0 : words[index - 1].end
            let after = index + 1 < words.count ? words[index + 1].start : end
            if before <= word.start, word.start < min(word.end, end), word.end <= after {
                #expect(found.start == word.start && found.end == min(word.end, end), "\(word)")
            }
            #expect(found.start >= min(word.start, end - 0.08) && found.start < found.end, "\(word) \(found)")
            #expect(found.end <= min(max(word.end, found.start + 0.08), end), "\(word) \(found)")
        }
        #expect(zip(found, found.dropFirst()).allSatisfy { $0.end <= $1.start })
    }

    private static let modules = [
        "after-feed-forward-1", "after-attention", "after-convolution", "after-feed-forward-2",
    ]

    /// Compares what an encoder has after a stage with the reference's values.
    ///
    /// - Returns: whether there are any.
    func compare(_ stage: ParakeetEncoder.Stage, _ found: TensorView) -> Bool {
        let (file, tolerance): (String, Float) =
            switch stage {
            case .subsampled: ("subsampled", 2e-4)
            case .module(let layer, let module): ("layer-\(layer)-\(Self.modules[module])", 2e-4)
            case .layer(let layer): ("layer-\(layer)", 1e-4)
            }
        guard has(file) else { return false }
        do {
            let difference = greatestDifference(found.values, try values(file))
            #expect(difference < tolerance, "\(file): \(difference)")
        } catch { Issue.record(error) }
        return true
    }

    /// The features of the valid frames.
    func features(_ model: ParakeetModel) throws -> [Float] {
        try Array(values("features").prefix(result.valid_feature_frames * model.dimensions.bands))
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    struct Result: Decodable {
        struct Text: Decodable {
            let sequence: [Int]
            let advances: [Int]?
            let tokens: [Int]
            let frames: [Int]
            let durations: [Int]?
            let text: String
            let words: [Word]
        }

        /// What is decoded chunk by chunk.
        struct Stream: Decodable {
            let feature_frames: Int
            let sequence: [Int]
        }

        let clip: String
        let samples: Int
        let valid_feature_frames: Int
        let encoder_frames: Int
        let whole: Text
        /// By look-ahead.
        let streams: [String: Stream]?
        /// Frames of clips of eight lengths.
        let endings: [Int]?
    }

    /// Text, start and end in seconds.
    struct Word: Decodable, Equatable {
        let text: String
        let start: Double
        let end: Double

        init(_ text: String, _ start: Double, _ end: Double) { (self.text, self.start, self.end) = (text, start, end) }

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            text = try values.decode(String.self)
            start = try values.decode(Double.self)
            end = try values.decode(Double.self)
        }
    }

    var result: Result { get throws { try Fixtures.json("\(path)/result.json") } }

    /// The samples of the clip.
    var samples: [Float] {
        get throws {
            let all = try MelFixture.samples("clips/" + (result.clip.split(separator: "/").last ?? ""))
            return try Array(all.prefix(result.samples))
        }
    }
}

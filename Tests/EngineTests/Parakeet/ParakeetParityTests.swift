import Foundation
import Testing

private let parityFolder = ProcessInfo.processInfo.environment["WHISPER_LOCAL_TEST_PARAKEET"]

/// Compares tokens and times with what transformers hears with a model of any size, if `WHISPER_LOCAL_TEST_PARAKEET`
/// names a folder that `Tests/Oracles/parakeet_parity.py` has written.
@Suite(
    "Parity of Parakeet",
    .enabled(if: parityFolder != nil, "optional: compares with an hour that transformers heard; no folder is named"))
struct ParakeetParityTests {
    private struct Piece: Decodable {
        let start: Int
        let end: Int
        let tokens: [Int]
        let starts: [Int]
        let ends: [Int]
    }

    @Test("all tokens and frames are the reference's")
    func tokens() throws {
        let folder = URL(filePath: try #require(parityFolder))
        let pieces = try JSONDecoder().decode(
            [Piece].self, from: Data(contentsOf: folder.appending(path: "cases.json")))
        let audio = try Data(contentsOf: folder.appending(path: "audio.wav")).dropFirst(44)
        let model = try ParakeetModel.load(
            ParakeetFolder(FilePath(folder.appending(path: "model").path(percentEncoded: false))),
            options: ComputeOptions(computeType: .float32))
        let features = ParakeetFeatures(bands: model.dimensions.bands), encoder = try ParakeetEncoder(model)
        let transducer = try TransducerNetwork(model), ctc = try CTCNetwork(model)
        var search = GreedySearch(model.dimensions), different = 0, count = 0
        for piece in pieces {
            let bytes = [UInt8](audio.dropFirst(2 * piece.start).prefix(2 * (piece.end - piece.start)))
            let samples = stride(from: 0, to: bytes.count, by: 2).map {
                Float(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)) / 32_768
            }
            let encoded = try encoder.encode(features.normalized(samples))
            let tokens =
                if let transducer {
                    try search.tokens(of: encoded, transducer)
                } else {
                    try search.tokens(of: encoded, #require(ctc))
                }
            count += piece.tokens.count
            let isEqual =
                tokens.map(\.id) == piece.tokens && tokens.map(\.start) == piece.starts
                && tokens.map(\.end) == piece.ends
            if !isEqual { different += 1 }
        }
        print("\(pieces.count) pieces with \(count) tokens, \(different) of them different")
        #expect(count > 0 && different == 0)
    }
}

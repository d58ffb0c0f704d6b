import Foundation
import Testing

/// Golden data from whisper.cpp's quantizer (`Tests/Oracles/real/conversions.py`).
@Suite("Conversion of real models", .enabled(if: RealSpeech.models != nil, RealSpeech.reason))
struct RealConversionTests {
    private struct Golden: Decodable {
        struct File: Decodable {
            let bytes: Int
            let sha256: String
            /// The largest error of a quantized weight, and the root of the mean squared error.
            let largest: Double
            let rms: Double
        }

        /// By model and number format.
        let models: [String: [String: File]]
    }

    @Test("a quantized file has the bytes of whisper.cpp's quantizer", arguments: ["tiny.en", "base"])
    func bytes(model: String) throws {
        let golden: Golden = try Fixtures.json("real/conversions.json")
        let files = try #require(golden.models[model])
        #expect(files.count == 5)
        let path = try #require(RealSpeech.models).appending(path: "ggml-\(model).bin").path
        let input = try GGMLFile(FilePath(path)), folder = try TemporaryFolder()
        let backend = try ComputeOptions(computeType: .float32, threads: 2).makeBackend()
        for (format, expected) in files {
            let type = try #require(ElementType(rawValue: format.uppercased())), output = folder.path(format)
            let report = try ModelConverter(input, matrices: type).write(to: output, by: backend)
            #expect(report.bytesAfter == expected.bytes, "\(format)")
            #expect(try SHA256.hexadecimal(of: ReadOnlyFile(output)) == expected.sha256, "\(format)")
            let error = try #require(report.groups.first { $0.to == type }).error
            #expect(abs(error.largest / expected.largest - 1) < 1e-5, "\(format)")
            #expect(abs(error.rootMeanSquare / expected.rms - 1) < 1e-5, "\(format)")
        }
    }
}

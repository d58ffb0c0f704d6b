import Foundation
import Testing

/// One model in all storage formats.
@Suite("Models in other number formats")
struct ConvertedModelTests {
    static let types: [ElementType] = [.f32, .bf16, .q4_0, .q4_1, .q5_0, .q5_1, .q8_0]
    static let original = Result {
        GGMLContents([UInt8](try Data(contentsOf: Fixtures.url("models/ggml-micro.en.bin"))))
    }

    private static func output(_ path: FilePath) throws -> [Float] {
        let model = try WhisperModel(
            try GGMLFile(path), backend: try ComputeOptions(backend: .openblas, threads: 1).makeBackend())
        return try AudioEncoder(model).encode(try NetworkFixture.window("micro.en")).values
    }

    @Test("a converted model loads with the exact values of its blocks", arguments: types)
    func values(type: ElementType) throws {
        let original = try Self.original.get()
        let converted = original.converted(to: type)
        let folder = try TemporaryFolder()
        let file = try GGMLFile(folder.write(converted.bytes))
        #expect(file.vocabulary.pieces == original.pieces)
        var changed = 0
        for record in converted.records {
            let tensor = try file.tensor(record.name)
            let values = try tensor.floats()
            #expect(tensor.type == Quantizer.numbers.first { $0.value == record.type }?.key)
            let expected: [Float]
            switch tensor.type {
            case .f32:
                expected = stride(from: 0, to: record.data.count, by: 4).map { at in
                    Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(record.data[at + $1]) << (8 * $1) })
                }
            case .f16: expected = GGMLContents.halves(record.data)
            case .bf16:
                expected = stride(from: 0, to: record.data.count, by: 2).map {
                    Float(bitPattern: (UInt32(record.data[$0]) | UInt32(record.data[$0 + 1]) << 8) << 16)
                }
            default:
                expected = stride(from: 0, to: record.data.count, by: type.blockBytes).flatMap {
                    Quantizer.values(ofBlock: Array(record.data[$0..<($0 + type.blockBytes)]), as: type)
                }
            }
            #expect(values.values(0..<values.count) == expected, "\(record.name)")
            if record.type != original[record.name].type { changed += 1 }
        }
        // 2 + 2 layers with 6 and 10 matrices each, the token table, and the convolutions if they are converted.
        #expect(changed == 2 * 6 + 2 * 10 + 1 + (type == .f32 ? 2 : 0))
    }

    @Test("the encoder output of a converted model is within the precision of its format")
    func encoder() throws {
        let path = FilePath(Fixtures.url("models/ggml-micro.en.bin").path(percentEncoded: false))
        let expected = try Self.output(path)
        // Random weights have no structure, so each bit less doubles the error.
        let bounds: [ElementType: Float] = [
            .f32: 0, .bf16: 0.02, .q8_0: 0.03, .q5_1: 0.2, .q5_0: 0.2, .q4_1: 0.4, .q4_0: 0.4,
        ]
        let folder = try TemporaryFolder()
        for type in Self.types {
            let converted = try folder.write(try Self.original.get().converted(to: type).bytes)
            let error = NetworkFixture.error(try Self.output(converted), expected)
            #expect(error <= (bounds[type] ?? 0), "\(type)")
            #expect((error == 0) == (type == .f32), "\(type)")
        }
    }
}

import Foundation
import Testing

@Suite("Conversion of Parakeet models")
struct ParakeetConversionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func path(_ name: String) -> FilePath {
        FilePath(Fixtures.url("parakeet/\(name)").path(percentEncoded: false))
    }

    private func convert(_ name: String, to type: ElementType) throws -> ParakeetGGMLFile {
        let input = try #require(try ModelFamilies.open(Self.path(name)) as? any ParakeetFile)
        let path = folder.path("out.bin")
        let report = try ModelConverter(input, matrices: type).write(to: path)
        let file = try ParakeetGGMLFile(path)
        #expect(
            try report.bytesAfter == ReadOnlyFile(path).count && report.groups.allSatisfy { $0.error.largest < 0.1 })
        return file
    }

    @Test(
        "the file is whisper.cpp's, whatever the format it is made of",
        arguments: ["tdt/model", "tdt/f16.nemo", "tdt/f16.gguf", "tdt/ggml-f16.bin"], [ElementType.f16, .q8_0])
    func same(name: String, type: ElementType) throws {
        let file = try convert(name, to: type), expected = try ParakeetGGMLFile(Self.path("tdt/ggml-\(type.name).bin"))
        #expect(file.dimensions == expected.dimensions && file.vocabulary.pieces == expected.vocabulary.pieces)
        for (name, tensor) in expected.tensors {
            let other = try file.tensor(name), one = try tensor.floats(), two = try other.floats()
            #expect(other.type == tensor.type, "\(name)")
            #expect(one.values(0..<one.count) == two.values(0..<two.count), "\(name)")
        }
        _ = try file.load(ComputeOptions(threads: 1))
    }

    @Test(
        "models that whisper.cpp's format cannot hold are refused",
        arguments: ["tdt-bias/model", "rnnt/model", "ctc/model"])
    func refused(name: String) throws {
        let input = try ParakeetFolder(Self.path(name))
        #expect(throws: ConversionError.noRoom(path: input.path)) { _ = try ModelConverter(input, matrices: .f16) }
    }

    @Test("8 bits are not converted without a warning")
    func warning() throws {
        let input = try ParakeetGGUFFile(Self.path("tdt/q8_0.gguf"))
        #expect(
            try ModelConverter(input, matrices: .f16).warnings == [
                .alreadyQuantized(path: input.path, from: .q8_0, to: .f16)
            ])
        #expect(try ModelConverter(input, matrices: .q8_0).warnings.isEmpty)
    }
}

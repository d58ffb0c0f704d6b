import Foundation
import Testing

@Suite("Weights that are not finite")
struct NotFiniteTests {
    private static let name = "decoder.ln.weight"

    /// A type of safetensors, and the bytes of its NaN or infinity, or of a number too large for float32.
    static let numbers: [(String, [UInt8])] = [
        ("F32", [0, 0, 0xc0, 0x7f]), ("F32", [0, 0, 0x80, 0xff]), ("F16", [0, 0x7e]), ("F16", [0, 0xfc]),
        ("BF16", [0xc0, 0x7f]), ("F64", [0, 0, 0, 0, 0, 0, 0xf8, 0x7f]),
        ("F64", (0..<8).map { UInt8(truncatingIfNeeded: 1e300.bitPattern >> (8 * $0)) }),
    ]

    /// Expects that loading a model fails for one of its tensors.
    private func check(_ path: FilePath, _ tensor: String, index: Int) throws {
        let file = try WhisperFiles.open(path)
        let expected = ModelError.notFinite(path: try file.tensor(tensor).file.path, tensor: tensor, index: index)
        for backend in [ComputeOptions.Backend.auto, .reference] {
            let backend = try ComputeOptions(backend: backend, computeType: .float32, threads: 1).makeBackend()
            #expect(throws: expected) { try WhisperModel(file, backend: backend) }
        }
    }

    @Test("NaN, infinity and overflow in safetensors are reported with tensor and index", arguments: numbers)
    func safetensors(type: String, number: [UInt8]) throws {
        let folder = try TemporaryFolder()
        var contents = HuggingFaceFolderTests.good
        let index = contents.index(of: HuggingFaceContents.name(Self.name))
        contents.tensors[index].type = type
        contents.tensors[index].data = [UInt8](repeating: 0, count: number.count) + number
        try contents.write(to: folder)
        try check(folder.path, Self.name, index: 1)
    }

    @Test("NaN in a checkpoint is reported with tensor and index, even in a strided one", arguments: [nil, 8, 11, 13])
    func checkpoint(stride: Int?) throws {
        let folder = try TemporaryFolder(), half: [UInt8] = [0, 0x7e], matrix = "decoder.blocks.0.mlp.0.weight"
        var contents = PyTorchContents(GGMLContents(width: 2))
        // [8, 2]: contiguous, or with rows next to each other and `stride` numbers between columns of a row.
        let strides = stride.map { [1, $0] } ?? [2, 1], index = 11, count = 8 + (stride ?? 8)
        let at = stride == nil ? index : index / 2 + index % 2 * strides[1]
        var storage = [UInt8](repeating: 0, count: 2 * count)
        storage.replaceSubrange((2 * at)..<(2 * at + 2), with: half)
        contents.storages.append(storage)
        contents[matrix] = .tensor(
            storage: .storage("HalfStorage", "\(contents.storages.count - 1)", count), offset: 0, sizes: [8, 2],
            strides: strides)
        try check(folder.write(contents.bytes, to: "tiny.pt"), matrix, index: index)
    }
}

import EngineBasics

/// The numbers of the storage formats in ggml files. Tensors and files number them differently.
extension ElementType {
    private static let ggmlNumbers: [(type: ElementType, tensor: Int, file: Int)] = [
        (.f32, 0, 0), (.f16, 1, 1), (.q4_0, 2, 2), (.q4_1, 3, 3), (.q5_0, 6, 8), (.q5_1, 7, 9), (.q8_0, 8, 7),
        (.bf16, 30, 24),
    ]

    /// The format with this number in a tensor record.
    init?(ggmlTensor number: Int) {
        guard let entry = Self.ggmlNumbers.first(where: { $0.tensor == number }) else { return nil }
        self = entry.type
    }

    /// The format with this number in the record of a tensor.
    ///
    /// - Throws: `ModelError.unsupportedType`.
    init(ggmlTensor number: Int, of tensor: String, path: FilePath) throws(ModelError) {
        guard let type = ElementType(ggmlTensor: number) else {
            let name =
                switch number {
                case 9: "Q8_1"
                case 10...14: "Q\(number - 8)_K"
                case 15: "Q8_K"
                default: "type \(number)"
                }
            throw .unsupportedType(path: path, tensor: tensor, type: name)
        }
        self = type
    }

    /// The format of the matrices in a file of this kind, which is the remainder of the file type by 1000.
    package init?(ggmlFile kind: Int) {
        guard let entry = Self.ggmlNumbers.first(where: { $0.file == kind }) else { return nil }
        self = entry.type
    }

    /// The number in a tensor record.
    var ggmlTensor: Int? { Self.ggmlNumbers.first { $0.type == self }?.tensor }

    /// The file type: version · 1000 + kind. The block layouts are those of version 2; other files have version 0.
    package var ggmlFile: Int? {
        Self.ggmlNumbers.first { $0.type == self }.map { $0.file + (isQuantized ? 2000 : 0) }
    }
}

package import EngineBasics

/// The tensors of a ggml file: records from the end of its header, which each family of models has of its own, to the end
/// of the file.
package struct GGMLContainer: TensorFile {
    package let path: FilePath
    package let tensors: [String: WeightTensor]

    /// Reads the records.
    ///
    /// - Parameters:
    ///   - start: where the first record begins.
    ///   - expected: the tensors that the file must have, each exactly once and in any order. Their types are only those by
    ///     which the size of a truncated file is predicted.
    package init(_ file: ReadOnlyFile, from start: Int, expecting expected: [GGMLRecord]) throws(ModelError) {
        path = file.path
        var reader = GGMLRecordReader(
            FileReader(file: file, offset: start),
            shapes: Dictionary(uniqueKeysWithValues: expected.map { ($0.name, $0.shape) }))
        var tensors: [String: WeightTensor] = [:]
        while reader.offset < file.count {
            if tensors.count == expected.count {
                throw .trailingBytes(path: path, count: file.count - reader.offset, offset: reader.offset)
            }
            let start = reader.offset
            guard let tensor = try reader.next() else {
                let rest = expected.filter { tensors[$0.name] == nil }.reduce(0) { $0 + $1.size }
                throw .truncated(path: path, bytes: file.count, promised: start + rest)
            }
            try tensors.add(tensor)
        }
        let missing = expected.map(\.name).filter { tensors[$0] == nil }
        if !missing.isEmpty { throw .missingTensors(path: path, names: missing) }
        self.tensors = tensors
    }
}

/// Reads one record after another, checking each length before using it.
private struct GGMLRecordReader {
    private var reader: FileReader
    private let shapes: [String: [Int]]
    private var file: ReadOnlyFile { reader.file }
    private var path: FilePath { reader.file.path }
    var offset: Int { reader.offset }

    /// - Parameter shapes: by the names that a record may have.
    init(_ reader: FileReader, shapes: [String: [Int]]) {
        self.reader = reader
        self.shapes = shapes
    }

    /// The next tensor; `nil` if the file ends inside its record.
    mutating func next() throws(ModelError) -> WeightTensor? {
        let start = offset
        var numbers: [Int] = []
        for _ in 0..<3 {
            guard let value = try reader.number(UInt32.self) else { return nil }
            numbers.append(Int(Int32(bitPattern: value)))
        }
        let rank = numbers[0], nameLength = numbers[1], typeNumber = numbers[2]
        guard (0...4).contains(rank) else {
            throw .badRecord(path: path, offset: start, problem: "has \(rank) dimensions")
        }
        guard (1...128).contains(nameLength) else {
            throw .badRecord(path: path, offset: start, problem: "has a name of \(nameLength) bytes")
        }
        var sizes: [Int] = []
        for _ in 0..<rank {
            guard let value = try reader.number(UInt32.self) else { return nil }
            let size = Int(Int32(bitPattern: value))
            guard size > 0 else { throw .badRecord(path: path, offset: start, problem: "has a dimension of \(size)") }
            sizes.append(size)
        }
        guard let nameBytes = try reader.read(nameLength) else { return nil }
        let name = String(decoding: nameBytes, as: UTF8.self)
        guard let shape = shapes[name] else { throw .unknownTensor(path: path, name: name, offset: start) }
        let type = try ElementType(ggmlTensor: typeNumber, of: name, path: path)
        guard WeightTensor.isSame(sizes.reversed(), shape) else {
            throw .wrongShape(path: path, tensor: name, expected: shape, found: sizes.reversed())
        }
        let row = shape.last ?? 1
        guard row % type.blockLength == 0 else {
            throw .oddRow(path: path, tensor: name, row: row, block: type.blockLength)
        }
        // The shape is the expected one, so the product cannot overflow.
        let bytes = shape.reduce(1, *) / type.blockLength * type.blockBytes, data = offset
        guard bytes <= file.count - data else { return nil }
        reader.offset += bytes
        return WeightTensor(name: name, shape: shape, type: type, file: file, bytes: data..<(data + bytes))
    }
}

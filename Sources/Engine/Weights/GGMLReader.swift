import EngineBasics

/// Reads the sections of a ggml file in order, checking each length before using it.
struct GGMLReader {
    private var reader: FileReader
    /// The storage format of matrices according to the header.
    private var matrices = ElementType.f16

    init(file: ReadOnlyFile) { reader = FileReader(file: file, offset: 4) }

    private var file: ReadOnlyFile { reader.file }
    private var path: FilePath { reader.file.path }

    private(set) var offset: Int {
        get { reader.offset }
        set { reader.offset = newValue }
    }

    private mutating func read(_ count: Int) throws(ModelError) -> ArraySlice<UInt8>? { try reader.read(count) }

    private mutating func number() throws(ModelError) -> UInt32? { try reader.number() }

    /// Reads a signed number of the header section called `part`.
    private mutating func next(_ part: String) throws(ModelError) -> Int {
        guard let value = try number() else { throw .headerCut(path: path, bytes: file.count, part: part) }
        return Int(Int32(bitPattern: value))
    }

    /// The first `count` bytes of the file, fewer if it is shorter.
    mutating func firstBytes(_ count: Int) throws(ModelError) -> [UInt8] {
        offset = 0
        let bytes = try read(min(count, file.count)) ?? []
        offset = 4
        return Array(bytes)
    }

    /// Reads the eleven header numbers and skips the mel filters.
    mutating func header() throws(ModelError) -> ModelDimensions {
        var numbers: [Int] = []
        for _ in 0..<11 { numbers.append(try next("header")) }
        let d = Self.dimensions(numbers)
        try d.check(path: path)
        try checkFileType(numbers[10])
        try checkFilters("filters.n_mel", equals: d.nMels, "n_mels")
        try checkFilters("filters.n_fft", equals: 201, "bins of a 400-point transform")
        offset += 4 * d.nMels * 201
        if offset > file.count { throw .headerCut(path: path, bytes: file.count, part: "mel filters") }
        return d
    }

    private static func dimensions(_ numbers: [Int]) -> ModelDimensions {
        ModelDimensions(
            nMels: numbers[9], nAudioCtx: numbers[1], nAudioState: numbers[2], nAudioHead: numbers[3],
            nAudioLayer: numbers[4], nVocab: numbers[0], nTextCtx: numbers[5], nTextState: numbers[6],
            nTextHead: numbers[7], nTextLayer: numbers[8])
    }

    /// The dimensions in the first bytes of a file; `nil` if there are too few.
    static func dimensions(_ first: [UInt8]) -> ModelDimensions? {
        guard first.count >= 48 else { return nil }
        return dimensions(
            (1...11).map { index in
                let bytes = first[4 * index..<4 * index + 4].reversed()
                return Int(Int32(bitPattern: bytes.reduce(0) { $0 << 8 | UInt32($1) }))
            })
    }

    private mutating func checkFilters(_ field: String, equals expected: Int, _ what: String) throws(ModelError) {
        let value = try next("header")
        guard value == expected else {
            throw .badField(path: path, field: field, found: value, expected: "\(expected) (\(what))")
        }
    }

    /// Checks the file type, version · 1000 + kind. The block layouts of version 1 differ from today's. Kinds are
    /// numbered differently from tensor types. Every tensor also has its own type; this one only predicts the size of
    /// truncated files.
    private mutating func checkFileType(_ number: Int) throws(ModelError) {
        let version = number / 1000, kind = number % 1000
        if number < 0 || (kind >= 2 && kind != 24 && version != 2) {
            throw .badField(
                path: path, field: "ftype", found: number, expected: "0, 1 or a quantized format of version 2")
        }
        matrices = ElementType(ggmlFile: kind) ?? .f16
    }

    /// - Parameter size: the number of token IDs according to the header.
    mutating func vocabulary(size: Int) throws(ModelError) -> Vocabulary {
        let count = try next("vocabulary")
        guard (1...size).contains(count) else {
            throw .badField(
                path: path, field: "the number of vocabulary entries", found: count, expected: "1 to \(size)")
        }
        var pieces: [[UInt8]] = []
        // Each takes at least the four bytes of its length field.
        pieces.reserveCapacity(min(count, (file.count - offset) / 4))
        for entry in 0..<count {
            let start = offset
            guard let length = try number() else { throw cutVocabulary }
            if length > 4096 {
                throw .badVocabulary(path: path, entry: entry, offset: start, problem: "has \(length) bytes")
            }
            guard let piece = try read(Int(length)) else { throw cutVocabulary }
            pieces.append(Array(piece))
        }
        return Vocabulary(pieces: pieces, size: size)
    }

    private var cutVocabulary: ModelError { .headerCut(path: path, bytes: file.count, part: "vocabulary") }

    /// Reads all tensor records to the end of the file; each expected name must occur exactly once.
    package mutating func tensors(_ dimensions: ModelDimensions) throws(ModelError) -> [String: WeightTensor] {
        let expected = TensorShapes.all(dimensions)
        let shapes = Dictionary(uniqueKeysWithValues: expected.map { ($0.name, $0.shape) })
        var tensors: [String: WeightTensor] = [:]
        while offset < file.count {
            if tensors.count == expected.count {
                throw .trailingBytes(path: path, count: file.count - offset, offset: offset)
            }
            let start = offset
            guard let tensor = try record(shapes) else {
                let rest = expected.filter { tensors[$0.name] == nil }
                throw .truncated(
                    path: path, bytes: file.count, promised: start + GGMLSize.records(of: rest, matrices: matrices))
            }
            if tensors.updateValue(tensor, forKey: tensor.name) != nil {
                throw .duplicateTensor(path: path, name: tensor.name)
            }
        }
        let missing = expected.map(\.name).filter { tensors[$0] == nil }
        if !missing.isEmpty { throw .missingTensors(path: path, names: missing) }
        return tensors
    }

    /// Reads the next record; `nil` if the file ends inside it.
    private mutating func record(_ shapes: [String: [Int]]) throws(ModelError) -> WeightTensor? {
        let start = offset
        var numbers: [Int] = []
        for _ in 0..<3 {
            guard let value = try number() else { return nil }
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
            guard let value = try number() else { return nil }
            let size = Int(Int32(bitPattern: value))
            guard size > 0 else { throw .badRecord(path: path, offset: start, problem: "has a dimension of \(size)") }
            sizes.append(size)
        }
        guard let nameBytes = try read(nameLength) else { return nil }
        let name = String(decoding: nameBytes, as: UTF8.self)
        guard let shape = shapes[name] else { throw .unknownTensor(path: path, name: name, offset: start) }
        let type = try elementType(typeNumber, tensor: name)
        guard TensorShapes.isSame(sizes.reversed(), shape) else {
            throw .wrongShape(path: path, tensor: name, expected: shape, found: sizes.reversed())
        }
        let row = shape[shape.count - 1]
        guard row % type.blockLength == 0 else {
            throw .oddRow(path: path, tensor: name, row: row, block: type.blockLength)
        }
        // The shape is the expected one, so the product cannot overflow.
        let bytes = shape.reduce(1, *) / type.blockLength * type.blockBytes
        guard bytes <= file.count - offset else { return nil }
        defer { offset += bytes }
        return WeightTensor(name: name, shape: shape, type: type, file: file, bytes: offset..<(offset + bytes))
    }

    private func elementType(_ number: Int, tensor: String) throws(ModelError) -> ElementType {
        if let type = ElementType(ggmlTensor: number) { return type }
        switch number {
        case 9: throw .unsupportedType(path: path, tensor: tensor, type: "Q8_1")
        case 10...14: throw .unsupportedType(path: path, tensor: tensor, type: "Q\(number - 8)_K")
        case 15: throw .unsupportedType(path: path, tensor: tensor, type: "Q8_K")
        default: throw .unsupportedType(path: path, tensor: tensor, type: "type \(number)")
        }
    }
}

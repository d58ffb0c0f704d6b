/// Walks the parts of a ggml file, checking each length before it is used.
struct GGMLReader {
    let file: MappedFile
    let path: FilePath
    var offset: Int

    private mutating func next() throws(ModelError) -> Int {
        guard let value = file.integer(at: offset, as: Int32.self) else {
            throw .truncated(path: path, bytes: file.count, promised: nil)
        }
        offset += 4
        return Int(value)
    }

    private func check(_ field: String, _ value: Int, _ allowed: ClosedRange<Int>) throws(ModelError) {
        guard allowed.contains(value) else {
            throw .badField(
                path: path, field: field, found: value, expected: "\(allowed.lowerBound) to \(allowed.upperBound)")
        }
    }

    private func check(_ field: String, _ value: Int, equals expected: Int, _ what: String) throws(ModelError) {
        guard value == expected else {
            throw .badField(path: path, field: field, found: value, expected: "\(expected) (\(what))")
        }
    }

    /// The eleven numbers and the filters, which are skipped.
    mutating func header() throws(ModelError) -> ModelDimensions {
        var numbers: [Int] = []
        for _ in 0..<11 { numbers.append(try next()) }
        let d = ModelDimensions(
            nMels: numbers[9], nAudioCtx: numbers[1], nAudioState: numbers[2], nAudioHead: numbers[3],
            nAudioLayer: numbers[4], nVocab: numbers[0], nTextCtx: numbers[5], nTextState: numbers[6],
            nTextHead: numbers[7], nTextLayer: numbers[8])
        try check("n_vocab", d.nVocab, 51_864...51_866)
        try check("n_audio_ctx", d.nAudioCtx, 1...8192)
        try check("n_text_ctx", d.nTextCtx, 1...8192)
        try check("n_audio_state", d.nAudioState, 1...8192)
        try check("n_text_state", d.nTextState, equals: d.nAudioState, "the encoder's width")
        try check("n_audio_head", d.nAudioHead, 1...d.nAudioState)
        try check("n_text_head", d.nTextHead, 1...d.nTextState)
        try check("n_audio_layer", d.nAudioLayer, 1...256)
        try check("n_text_layer", d.nTextLayer, 1...256)
        for (field, heads) in [("n_audio_head", d.nAudioHead), ("n_text_head", d.nTextHead)]
        where d.nAudioState % heads != 0 {
            throw .badField(path: path, field: field, found: heads, expected: "a divisor of \(d.nAudioState)")
        }
        guard d.nMels == 80 || d.nMels == 128 else {
            throw .badField(path: path, field: "n_mels", found: d.nMels, expected: "80 or 128")
        }
        try checkFileType(numbers[10])
        try check("filters.n_mel", try next(), equals: d.nMels, "n_mels")
        try check("filters.n_fft", try next(), equals: 201, "bins of a transform of 400")
        offset += 4 * d.nMels * 201
        if offset > file.count { throw .truncated(path: path, bytes: file.count, promised: nil) }
        return d
    }

    /// version · 1000 + kind; block layouts of version 1 differ from today's.
    private func checkFileType(_ number: Int) throws(ModelError) {
        let version = number / 1000, kind = number % 1000
        if number < 0 || (kind >= 2 && kind != 24 && version != 2) {
            throw .badField(
                path: path, field: "ftype", found: number, expected: "0, 1 or a quantisation of version 2")
        }
    }

    mutating func vocabulary(size: Int) throws(ModelError) -> Vocabulary {
        let count = try next()
        try check("the vocabulary's number of entries", count, 1...size)
        var pieces: [[UInt8]] = []
        pieces.reserveCapacity(count)
        for entry in 0..<count {
            guard let length = file.integer(at: offset, as: UInt32.self) else {
                throw .truncated(path: path, bytes: file.count, promised: nil)
            }
            if length > 4096 {
                throw .badVocabulary(path: path, entry: entry, offset: offset, problem: "has \(length) bytes")
            }
            offset += 4
            guard let piece = file.bytes(offset..<(offset + Int(length))) else {
                throw .truncated(path: path, bytes: file.count, promised: nil)
            }
            offset += piece.count
            pieces.append(piece)
        }
        return Vocabulary(pieces: pieces, size: size)
    }

    /// All records to the end of the file, each expected name exactly once.
    mutating func tensors(_ dimensions: ModelDimensions) throws(ModelError) -> [String: WeightTensor] {
        let expected = TensorShapes.all(dimensions)
        let shapes = Dictionary(uniqueKeysWithValues: expected.map { ($0.name, $0.shape) })
        let first = offset
        var found: [String: WeightTensor] = [:]
        var lastType = ElementType.f16
        while offset < file.count {
            if found.count == expected.count {
                throw .trailingBytes(path: path, count: file.count - offset, offset: offset)
            }
            do throws(ModelError) {
                let tensor = try record(shapes)
                if found.updateValue(tensor, forKey: tensor.name) != nil {
                    throw .duplicateTensor(path: path, name: tensor.name)
                }
                if tensor.shape.count == 2, tensor.type != .f32 { lastType = tensor.type }
            } catch .truncated {
                throw .truncated(
                    path: path, bytes: file.count,
                    promised: Self.size(of: expected, matrices: lastType, after: first))
            }
        }
        let missing = expected.map(\.name).filter { found[$0] == nil }
        if !missing.isEmpty { throw .missingTensors(path: path, names: missing) }
        return found
    }

    /// Bytes of a whole file whose matrices have the given type.
    private static func size(
        of tensors: [(name: String, shape: [Int])], matrices: ElementType, after offset: Int
    ) -> Int {
        tensors.reduce(offset) { size, tensor in
            let vector = tensor.shape.count == 1 || tensor.name.hasSuffix("positional_embedding")
            let type: ElementType = vector ? .f32 : tensor.shape.count == 3 && matrices != .f32 ? .f16 : matrices
            let dimensions = tensor.name.hasPrefix("encoder.conv") ? max(2, tensor.shape.count) : tensor.shape.count
            let bytes = tensor.shape.reduce(1, *) / type.blockLength * type.blockBytes
            return size + 12 + 4 * dimensions + tensor.name.utf8.count + bytes
        }
    }

    private mutating func record(_ shapes: [String: [Int]]) throws(ModelError) -> WeightTensor {
        let start = offset
        let rank = try next(), nameLength = try next(), typeNumber = try next()
        guard (0...4).contains(rank) else {
            throw .badRecord(path: path, offset: start, problem: "has \(rank) dimensions")
        }
        guard (1...128).contains(nameLength) else {
            throw .badRecord(path: path, offset: start, problem: "has a name of \(nameLength) bytes")
        }
        var sizes: [Int] = []
        for _ in 0..<rank {
            let size = try next()
            guard size > 0 else { throw .badRecord(path: path, offset: start, problem: "has a dimension of \(size)") }
            sizes.append(size)
        }
        guard let nameBytes = file.bytes(offset..<(offset + nameLength)) else {
            throw .truncated(path: path, bytes: file.count, promised: nil)
        }
        offset += nameLength
        let name = String(decoding: nameBytes, as: UTF8.self)
        guard let shape = shapes[name] else { throw .unknownTensor(path: path, name: name, offset: start) }
        let type = try elementType(typeNumber, tensor: name)
        guard Self.withoutOnes(sizes.reversed()) == Self.withoutOnes(shape) else {
            throw .wrongShape(path: path, tensor: name, expected: shape, found: sizes.reversed())
        }
        let row = shape[shape.count - 1]
        guard row % type.blockLength == 0 else {
            throw .oddRow(path: path, tensor: name, row: row, block: type.blockLength)
        }
        // The shape is the expected one, so the product fits.
        let bytes = shape.reduce(1, *) / type.blockLength * type.blockBytes
        guard bytes <= file.count - offset else { throw .truncated(path: path, bytes: file.count, promised: nil) }
        defer { offset += bytes }
        return WeightTensor(name: name, shape: shape, type: type, file: file, bytes: offset..<(offset + bytes))
    }

    private static func withoutOnes(_ shape: [Int]) -> [Int] { shape.filter { $0 != 1 } }

    private func elementType(_ number: Int, tensor: String) throws(ModelError) -> ElementType {
        switch number {
        case 0: return .f32
        case 1: return .f16
        case 2: return .q4_0
        case 3: return .q4_1
        case 6: return .q5_0
        case 7: return .q5_1
        case 8: return .q8_0
        case 30: return .bf16
        case 10...14: throw .unsupportedType(path: path, tensor: tensor, type: "Q\(number - 8)_K")
        default: throw .unsupportedType(path: path, tensor: tensor, type: "type \(number)")
        }
    }
}

import EngineBasics
import EngineWeights

/// Reads what precedes the tensors of a ggml file in order, checking each length before using it.
struct GGMLHeaderReader {
    private var reader: FileReader
    /// The storage format of matrices according to the header.
    private(set) var matrices = ElementType.f16

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
}

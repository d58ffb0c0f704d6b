package import EngineBasics
import EngineModels
package import EngineWeights

/// A Parakeet-TDT model in whisper.cpp's format.
///
/// Layout, little-endian without padding: magic, 15 header numbers, the mel filters and the window, the durations, the
/// vocabulary without the blank, then tensor records to the end of the file.
package struct ParakeetGGMLFile: ParakeetFile {
    package let path: FilePath
    package let dimensions: ParakeetDimensions
    package let vocabulary: ParakeetVocabulary
    package let tensors: [String: WeightTensor]
    package var recurrence: RecurrenceLayout { Self.layout }
    package let featureTables: [ParakeetFeatures.Table: WeightTensor]
    package var format: String { "ggml" }

    /// whisper.cpp's converter puts the output gate before the cell, and adds the biases.
    static let layout = RecurrenceLayout(gates: [0, 1, 3, 2], hasOneBias: true)

    /// A record that nothing reads: the counter of a batch normalization.
    static func counter(layer: Int) -> GGMLRecord {
        GGMLRecord(name: "encoder.layers.\(layer).conv.batch_norm.num_batches_tracked", shape: [], type: .f32)
    }

    private static let magic = 0x6767_6d6c
    /// The magic and the header.
    private static let headBytes = 64
    private static let points = 512

    /// Whether a file has this format. Whisper's begins alike, but its eighth number is not the length of a Fourier
    /// transform.
    package static func recognizes(_ path: FilePath) -> Bool {
        guard let file = try? ReadOnlyFile(path), let first = try? file.bytes(0..<min(file.count, headBytes)) else {
            return false
        }
        return recognizes(first)
    }

    /// - Parameter first: the first bytes of a file.
    package static func recognizes(_ first: [UInt8]) -> Bool {
        func number(_ index: Int) -> Int { (0..<4).reduce(0) { $0 | Int(first[4 * index + $1]) << (8 * $1) } }
        return first.count >= headBytes && number(0) == magic && number(8) == points
    }

    /// Opens the file and validates everything except the values of the weights.
    package init(_ path: FilePath) throws(ModelError) {
        self.path = path
        let file: ReadOnlyFile
        do throws(FileError) {
            file = try ReadOnlyFile(path)
        } catch { throw ModelError(error, path: path) }
        var sections = Sections(FileReader(file: file, offset: 4))
        dimensions = try sections.header()
        featureTables = sections.tables
        vocabulary = try sections.vocabulary(size: dimensions.vocabulary)
        let shapes = ParakeetShapes.all(dimensions, Self.layout), names = shapes.map { NeMoNames.own($0.name) }
        // Dimensions of 1 are left out, as they are in rows of quantized tensors.
        let records = zip(names, shapes).map { name, tensor in
            let sizes = tensor.shape.filter { $0 != 1 }
            return GGMLRecord(name: name, shape: sizes, type: sizes.count == 1 ? .f32 : sections.matrices)
        }
        let counters = (0..<dimensions.layers).map(Self.counter)
        let stored = try GGMLContainer(file, from: sections.offset, expecting: records + counters)
        tensors = try ParakeetShapes.tensors(
            dimensions, Self.layout, from: stored, name: NeMoNames.own, isSpare: counters.map(\.name).contains)
    }

    /// Reads what precedes the tensors in order, checking each length before using it.
    private struct Sections {
        private var reader: FileReader
        /// The storage format of matrices according to the header.
        private(set) var matrices = ElementType.f16
        private(set) var tables: [ParakeetFeatures.Table: WeightTensor] = [:]
        var offset: Int { reader.offset }
        private var path: FilePath { reader.file.path }
        private var left: Int { reader.file.count - reader.offset }

        init(_ reader: FileReader) { self.reader = reader }

        private func cut(_ part: String) -> ModelError {
            .headerCut(path: path, bytes: reader.file.count, part: part)
        }

        private mutating func next(_ part: String) throws(ModelError) -> Int {
            guard let value = try reader.number(UInt32.self) else { throw cut(part) }
            return Int(Int32(bitPattern: value))
        }

        private mutating func next(_ field: String, equals expected: Int) throws(ModelError) {
            let value = try next("header")
            if value != expected {
                throw .badField(path: path, field: field, found: value, expected: "\(expected)")
            }
        }

        private mutating func skip(_ table: ParakeetFeatures.Table, bands: Int) throws(ModelError) {
            let shape = table.shape(bands: bands), bytes = 4 * shape.reduce(1, *)
            guard bytes <= left else { throw cut(table.rawValue) }
            tables[table] = WeightTensor(
                name: table.rawValue, shape: shape, type: .f32, file: reader.file,
                bytes: offset..<(offset + bytes))
            reader.offset += bytes
        }

        /// Reads the numbers and durations, and notes where filters and window are.
        mutating func header() throws(ModelError) -> ParakeetDimensions {
            let names = [
                "n_vocab", "n_audio_ctx", "n_audio_state", "n_audio_head", "n_audio_layer", "n_mels", "ftype", "n_fft",
                "subsampling_factor", "n_subsampling_channels", "n_conv_kernel", "n_pred_dim", "n_pred_layers",
                "n_tdt_durations", "n_max_tokens",
            ]
            var numbers: [String: Int] = [:]
            for name in names { numbers[name] = try next("header") }
            for (name, expected) in [("n_fft", ParakeetGGMLFile.points), ("subsampling_factor", 8)] {
                if let found = numbers[name], found != expected {
                    throw .badField(path: path, field: name, found: found, expected: "\(expected)")
                }
            }
            func number(_ name: String) -> Int { numbers[name] ?? 0 }
            guard (1...32).contains(number("n_tdt_durations")) else {
                throw .badField(
                    path: path, field: "n_tdt_durations", found: number("n_tdt_durations"), expected: "1 to 32")
            }
            matrices = ElementType(ggmlFile: number("ftype") % 1000) ?? matrices
            var dimensions = ParakeetDimensions(
                head: .tdt(durations: [0]), bands: number("n_mels"), layers: number("n_audio_layer"),
                width: number("n_audio_state"), heads: number("n_audio_head"),
                // whisper.cpp supports no others.
                feedForward: 4 * number("n_audio_state"), channels: number("n_subsampling_channels"),
                taps: number("n_conv_kernel"), hasLinearBias: false, hasConvolutionBias: false, scalesInput: false,
                vocabulary: number("n_vocab"), prediction: number("n_pred_dim"),
                predictionLayers: number("n_pred_layers"), maxSymbols: number("n_max_tokens"))
            try dimensions.check(path: path, names: [:])
            try next("filters.n_mel", equals: dimensions.bands)
            try next("filters.n_fft", equals: ParakeetGGMLFile.points / 2 + 1)
            try skip(.filters, bands: dimensions.bands)
            try next("window length", equals: 400)
            try skip(.window, bands: dimensions.bands)
            var durations: [Int] = []
            for _ in 0..<number("n_tdt_durations") { durations.append(try next("durations")) }
            dimensions.head = .tdt(durations: durations)
            try dimensions.check(path: path, names: [:])
            return dimensions
        }

        mutating func vocabulary(size: Int) throws(ModelError) -> ParakeetVocabulary {
            try next("the number of vocabulary entries", equals: size)
            var pieces: [String] = []
            // Each takes at least the four bytes of its length field.
            pieces.reserveCapacity(min(size, left / 4))
            for entry in 0..<size {
                let start = reader.offset, length = try next("vocabulary")
                guard (0...4096).contains(length) else {
                    throw .badVocabulary(path: path, entry: entry, offset: start, problem: "has \(length) bytes")
                }
                guard let bytes = try reader.read(length) else { throw cut("vocabulary") }
                guard let piece = String(validating: bytes, as: UTF8.self) else {
                    throw .badVocabulary(path: path, entry: entry, offset: start, problem: "is not valid UTF-8")
                }
                pieces.append(piece)
            }
            return ParakeetVocabulary(pieces)
        }
    }
}

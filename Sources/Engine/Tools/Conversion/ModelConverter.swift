package import EngineBasics
package import EngineCompute
package import EngineParakeet
import EngineTranscripts
package import EngineWeights
package import EngineWhisper

/// Writes a model of any format as a ggml file that whisper.cpp reads, with its matrices in another number format.
/// Whisper's and Parakeet's files differ in their headers and records.
///
/// What is converted follows whisper.cpp's converter and quantizer: matrices get the new format, vectors, biases and
/// positional embeddings stay float32, and convolution kernels are float16 except in float32 files. One tensor is in
/// memory at a time, as float32.
package struct ModelConverter {
    private let input: any TensorFile
    private let matrices: ElementType
    private let header: [UInt8]
    private let items: [Item]
    /// Whether the model has alignment heads of its own.
    private let losesAlignmentHeads: Bool

    /// A record and what it contains.
    private struct Item {
        let record: GGMLRecord
        /// The numbers are the sum of these, each the rows of several tensors; zeros if there are none.
        let terms: [[WeightTensor]]

        /// The format that they are converted from.
        var type: ElementType { terms.first?.first?.type ?? record.type }

        func floats(by backend: (any ComputeBackend)?) throws -> Tensor {
            let sum = try Tensor(count: record.shape.reduce(1, *))
            for (index, term) in terms.enumerated() {
                let tensor = index == 0 ? sum : try Tensor(count: sum.count)
                var offset = 0
                for part in term {
                    try part.write(to: tensor, at: offset, by: backend)
                    offset += part.count
                }
                if index > 0 { for i in 0..<sum.count { sum[i] += tensor[i] } }
            }
            return sum
        }
    }

    private init(
        _ input: any TensorFile, matrices: ElementType, header: [UInt8], items: [Item], losesAlignmentHeads: Bool
    ) throws(ConversionError) {
        (self.input, self.matrices, self.header, self.items) = (input, matrices, header, items)
        self.losesAlignmentHeads = losesAlignmentHeads
        for record in items.map(\.record) {
            guard let row = record.shape.last, row % record.type.blockLength != 0 else { continue }
            throw .oddRow(path: input.path, tensor: record.name, row: row, type: matrices)
        }
    }

    /// - Parameter matrices: the number format of the matrices.
    /// - Throws: `ConversionError.noRoom` and `oddRow`, and `ModelError`.
    package init(_ input: any ParakeetFile, matrices: ElementType) throws {
        guard let writer = ParakeetGGMLWriter(input, matrices: matrices) else {
            throw ConversionError.noRoom(path: input.path)
        }
        try self.init(
            input, matrices: matrices, header: writer.header,
            items: try writer.records.map { Item(record: $0.record, terms: $0.terms) }, losesAlignmentHeads: false)
    }

    /// - Parameter matrices: the number format of the matrices.
    /// - Throws: `ConversionError.oddRow`, and `ModelError`.
    package init(_ input: any WhisperFile, matrices: ElementType) throws {
        var tensors = TensorShapes.all(input.dimensions)
        // As whisper.cpp's quantizer does, leaves the tensors of a ggml file in their order.
        if input is GGMLFile {
            let offsets = try tensors.map { try input.tensor($0.name).bytes.lowerBound }
            tensors = zip(tensors, offsets).sorted { $0.1 < $1.1 }.map(\.0)
        }
        let items = try tensors.map {
            Item(
                record: GGMLRecord(name: $0.name, shape: $0.shape, matrices: matrices),
                terms: [[try input.tensor($0.name)]])
        }
        let filters = LogMelSpectrogram.filters(bands: input.dimensions.nMels)
        try self.init(
            input, matrices: matrices,
            header: GGMLWriter.header(
                input.dimensions, matrices: matrices, filters: filters, vocabulary: Self.vocabulary(of: input)),
            items: items,
            losesAlignmentHeads: input.alignmentHeads.map {
                Set($0) != Set(AlignmentHeads.heads(of: input.dimensions))
            } ?? false)
    }

    /// What will be lost, apart from precision.
    package var warnings: [ConversionWarning] {
        var warnings: [ConversionWarning] = []
        let types = Set(items.map(\.type)).filter(\.isQuantized)
        if let type = types.sorted(by: { $0.rawValue < $1.rawValue }).first(where: { $0 != matrices }) {
            warnings.append(.alreadyQuantized(path: input.path, from: type, to: matrices))
        }
        if losesAlignmentHeads { warnings.append(.alignmentHeads(path: input.path)) }
        return warnings
    }

    /// Writes the file; it appears under its name only when it is complete.
    ///
    /// - Parameters:
    ///   - replaces: whether an existing file is replaced.
    ///   - backend: the backend whose threads share the work; `nil` uses only the calling thread.
    ///   - progress: called with the number of tensors written and of all tensors.
    /// - Throws: `ConversionError`; `ModelError` for a weight that is not finite or a file that changes meanwhile;
    ///   `OutputError`; `ComputeError.outOfMemory`.
    package func write(
        to path: FilePath, replaces: Bool = false, by backend: (any ComputeBackend)? = nil,
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> ConversionReport {
        let lock = try OutputLock(for: [path])
        defer { lock.release() }
        let files = inputFiles
        try check(path, replaces: replaces, inputs: files.map(\.path))
        var report = ConversionReport(bytesBefore: files.reduce(0) { $0 + $1.count })
        let draft = try AtomicFile.Draft(of: path)
        func append(_ bytes: [UInt8]) throws {
            try draft.append(bytes)
            report.bytesAfter += bytes.count
        }
        try append(header)
        for (index, item) in items.enumerated() {
            let record = item.record
            progress(index, items.count)
            try append(record.header)
            let floats = try item.floats(by: backend)
            var error = ReconstructionError()
            for start in stride(from: 0, to: floats.count, by: Self.batch) {
                let encoded = try encode(floats, start..<min(floats.count, start + Self.batch), as: record, by: backend)
                try append(encoded.bytes)
                error.add(encoded.error)
            }
            report.add(error, from: item.type, to: record.type)
        }
        try input.checkUnchanged()
        try draft.commit()
        return report
    }

    /// The number of elements encoded and written at a time.
    private static let batch = 1 << 20

    private func encode(
        _ floats: Tensor, _ range: Range<Int>, as record: GGMLRecord, by backend: (any ComputeBackend)?
    ) throws(ConversionError) -> (bytes: [UInt8], error: ReconstructionError) {
        do {
            return try floats.encoded(range, as: record.type, by: backend)
        } catch {
            throw .outOfRange(path: input.path, tensor: record.name, index: error.index, type: record.type)
        }
    }

    /// The distinct files that contain the weights.
    private var inputFiles: [ReadOnlyFile] {
        let files = items.flatMap { $0.terms.joined().map(\.file) }
        return Dictionary(files.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first }).map(\.value)
    }

    private func check(_ path: FilePath, replaces: Bool, inputs: [FilePath]) throws {
        guard let existing = try AtomicFile.target(of: path).existing else { return }
        for input in inputs {
            guard let status = try? DiskAccess.status(of: input, followingLinks: true) else { continue }
            if status.identity == existing.identity { throw OutputError.overwritesInput(output: path, input: input) }
        }
        if !replaces { throw ConversionError.exists(path) }
    }

    /// The pieces to write: those of a ggml file, otherwise as many as in the published files. These list the end of text
    /// as an ordinary piece in English-only models, and an empty piece in its place in multilingual ones.
    private static func vocabulary(of input: any WhisperFile) -> [[UInt8]] {
        let pieces = input.vocabulary.pieces
        if input is GGMLFile { return pieces }
        return pieces.prefix(50_256) + [input.dimensions.isMultilingual ? [] : Array("<|endoftext|>".utf8)]
    }
}

/// Sizes before and after a conversion, and its loss of precision.
package struct ConversionReport: Sendable {
    /// The tensors that were converted from one format to another.
    package struct Group: Sendable {
        package let from: ElementType
        package let to: ElementType
        package fileprivate(set) var tensors = 0
        package fileprivate(set) var error = ReconstructionError()
    }

    package let bytesBefore: Int
    package fileprivate(set) var bytesAfter = 0
    /// In the order of their first tensors.
    package private(set) var groups: [Group] = []

    fileprivate init(bytesBefore: Int) { self.bytesBefore = bytesBefore }

    fileprivate mutating func add(_ error: ReconstructionError, from: ElementType, to: ElementType) {
        let index = groups.firstIndex { $0.from == from && $0.to == to } ?? groups.count
        if index == groups.count { groups.append(Group(from: from, to: to)) }
        groups[index].tensors += 1
        groups[index].error.add(error)
    }
}

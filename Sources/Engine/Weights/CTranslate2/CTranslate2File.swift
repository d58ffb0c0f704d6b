package import EngineBasics

/// A CTranslate2 model, as faster-whisper uses it: `model.bin`, and next to it the vocabulary and `config.json`.
///
/// Weights may be float32, float16, bfloat16, or 8- or 16-bit integers with scales, mixed in any way.
package struct CTranslate2File: WeightFile {
    package let path: FilePath
    package let dimensions: ModelDimensions
    package let vocabulary: Vocabulary
    package let alignmentHeads: [AlignmentHead]?
    package let warnings: [ModelWarning]
    package let tensors: [String: WeightTensor]
    private let file: ReadOnlyFile

    /// Opens the model and validates everything except the values of the weights.
    ///
    /// - Parameter path: the `model.bin`; the other files are those in its folder.
    package init(_ path: FilePath) throws(ModelError) {
        let kind: ModelFileKind
        do throws(FileError) {
            file = try ReadOnlyFile(path)
            kind = try ModelFileKind(of: file)
        } catch { throw ModelError(error, path: path) }
        self.path = path
        switch kind {
        case .other(let looksLike, let instead):
            throw .anotherFormat(path: path, looksLike: looksLike, instead: instead)
        case .ggml, .zip, .safetensors:
            throw .anotherFormat(
                path: path, looksLike: "not a CTranslate2 model", instead: "give the file a name of its own")
        case .unknown where file.count == 0: throw .empty(path: path)
        case .unknown, .ctranslate2: break
        }
        var reader = CTranslate2Reader(file: file)
        let variables = CTranslate2Variables(file: file, list: try reader.variables())
        dimensions = try variables.dimensions()
        tensors = try variables.tensors(dimensions)
        let folder = ModelFolder(path.folder), settings = folder.path.appending("config.json")
        try folder.checkAudioSettings(dimensions)
        var heads: AlignmentHeadList?
        if let value = try JSONFile.readIfPresent(settings)?["alignment_heads"], value != .null {
            heads = try AlignmentHeadList(value, path: settings, dimensions)
        }
        alignmentHeads = heads?.heads
        warnings = heads?.warnings ?? []
        guard let vocabulary = try folder.vocabulary(size: dimensions.nVocab, from: [.list, .tokenizer]) else {
            throw .missingFiles(
                path: folder.path, names: ["vocabulary.txt or vocabulary.json or tokenizer.json"],
                purpose: "the vocabulary")
        }
        self.vocabulary = vocabulary
    }

    package func checkUnchanged() throws(ModelError) {
        if !file.isUnchanged { throw .changedWhileRead(path: path) }
    }
}

/// The variables of a CTranslate2 model as openai-whisper's tensors.
package struct CTranslate2Variables {
    package typealias Variable = CTranslate2Reader.Variable
    private typealias StoredType = CTranslate2Reader.StoredType

    let file: ReadOnlyFile
    let list: [String: Variable]

    package init(file: ReadOnlyFile, list: [String: Variable]) {
        self.file = file
        self.list = list
    }

    /// GELU in the specification's enumeration of activations.
    private static let gelu = 3
    /// Settings whose other values would change the network.
    private static let settings = [
        "decoder/activation": gelu, "encoder/activation": gelu, "decoder/pre_norm": 1, "encoder/pre_norm": 1,
        "decoder/scale_embeddings": 0, "decoder/alibi": 0, "decoder/start_from_zero_embedding": 0,
    ]

    /// Derives the dimensions from shapes, and the heads from the settings stored with each side.
    package func dimensions() throws(ModelError) -> ModelDimensions {
        for (name, expected) in Self.settings.sorted(by: { $0.key < $1.key }) {
            guard let found = try number(name), found != expected else { continue }
            throw .badField(path: file.path, field: name, found: found, expected: "\(expected)")
        }
        let kernel = try shape("encoder/conv1/weight", rank: 3)
        let embedding = try shape("decoder/embeddings/weight", rank: 2)
        // Published models have 64 channels per head.
        let d = ModelDimensions(
            nMels: kernel[1], nAudioCtx: try shape("encoder/position_encodings/encodings", rank: 2)[0],
            nAudioState: kernel[0], nAudioHead: try number("encoder/num_heads") ?? kernel[0] / 64,
            nAudioLayer: layers("encoder"), nVocab: embedding[0],
            nTextCtx: try shape("decoder/position_encodings/encodings", rank: 2)[0], nTextState: embedding[1],
            nTextHead: try number("decoder/num_heads") ?? embedding[1] / 64, nTextLayer: layers("decoder"))
        try d.check(path: file.path)
        return d
    }

    /// The number of layers of a side.
    private func layers(_ side: String) -> Int {
        var count = 0
        while list["\(side)/layer_\(count)/ffn/layer_norm/gamma"] != nil { count += 1 }
        return count
    }

    /// The tensors of a network of these dimensions; all must be present and nothing else.
    package func tensors(_ dimensions: ModelDimensions) throws(ModelError) -> [String: WeightTensor] {
        var tensors: [String: WeightTensor] = [:], missing: [String] = [], used: Set<String> = []
        for (name, shape) in TensorShapes.all(dimensions) {
            let source = CTranslate2Names.source(of: name)
            guard let variable = list[source.variable] else {
                missing.append(source.variable)
                continue
            }
            let stacked = [shape[0] * source.parts] + shape.dropFirst()
            guard TensorShapes.isSame(variable.shape, stacked) else {
                throw .wrongShape(path: file.path, tensor: source.variable, expected: stacked, found: variable.shape)
            }
            used.insert(source.variable)
            let whole = try tensor(source.variable, variable, shape: stacked, used: &used)
            let rows = (shape[0] * source.part)..<(shape[0] * (source.part + 1))
            tensors[name] = whole.rows(rows, named: name)
        }
        if !missing.isEmpty { throw .missingTensors(path: file.path, names: missing) }
        try checkOthers(used)
        return tensors
    }

    private func tensor(
        _ name: String, _ variable: Variable, shape: [Int], used: inout Set<String>
    ) throws(ModelError) -> WeightTensor {
        let type: ElementType
        switch variable.type {
        case StoredType.float32: type = .f32
        case StoredType.float16: type = .f16
        case StoredType.bfloat16: type = .bf16
        case StoredType.int8: type = .int8
        case StoredType.int16: type = .int16
        default: throw .unsupportedType(path: file.path, tensor: name, type: "int32")
        }
        let isInteger = type == .int8 || type == .int16
        return WeightTensor(
            name: name, shape: shape, type: type, file: file, bytes: variable.bytes,
            scales: isInteger ? try scales(name + "_scale", rows: shape[0], count: shape.reduce(1, *), &used) : nil)
    }

    /// The scales of a tensor: one per row, or one for all.
    private func scales(
        _ name: String, rows: Int, count: Int, _ used: inout Set<String>
    ) throws(ModelError) -> TensorScales {
        guard let variable = list[name] else { throw .missingTensors(path: file.path, names: [name]) }
        guard variable.type == StoredType.float32 else {
            throw .unsupportedType(path: file.path, tensor: name, type: "type \(variable.type)")
        }
        let isShared = TensorShapes.isSame(variable.shape, [])
        guard isShared || TensorShapes.isSame(variable.shape, [rows]) else {
            throw .wrongShape(path: file.path, tensor: name, expected: [rows], found: variable.shape)
        }
        used.insert(name)
        return TensorScales(bytes: variable.bytes, length: isShared ? count : count / rows)
    }

    /// Checks what is not a tensor of the network: settings, which are single numbers, and an output projection, which
    /// must be the token embedding.
    private func checkOthers(_ used: Set<String>) throws(ModelError) {
        let projection = "decoder/projection/weight", embedding = "decoder/embeddings/weight"
        for (name, variable) in list.sorted(by: { $0.value.offset < $1.value.offset }) where !used.contains(name) {
            switch name {
            case _ where variable.shape.isEmpty: continue
            case projection, projection + "_scale":
                let tied = name.replacing(projection, with: embedding)
                guard let other = list[tied], other.type == variable.type, other.shape == variable.shape,
                    try isEqual(variable, other)
                else { throw .untiedOutput(path: file.path, tensor: name) }
            default: throw .unknownTensor(path: file.path, name: name, offset: variable.offset)
            }
        }
    }

    private func isEqual(_ variable: Variable, _ other: Variable) throws(ModelError) -> Bool {
        do throws(FileError) {
            return try file.hasEqualBytes(variable.bytes, other.bytes)
        } catch { throw ModelError(error, path: file.path) }
    }

    private func shape(_ name: String, rank: Int) throws(ModelError) -> [Int] {
        guard let variable = list[name] else { throw .missingTensors(path: file.path, names: [name]) }
        guard variable.shape.count == rank else {
            throw .badRecord(
                path: file.path, offset: variable.offset,
                problem: "has \(variable.shape.count) dimensions, expected \(rank)")
        }
        return variable.shape
    }

    /// The value of a setting; `nil` if there is none of that name.
    private func number(_ name: String) throws(ModelError) -> Int? {
        guard let variable = list[name] else { return nil }
        guard variable.bytes.count <= 4, [StoredType.int8, StoredType.int16, StoredType.int32].contains(variable.type)
        else { throw .badRecord(path: file.path, offset: variable.offset, problem: "is not an integer") }
        do throws(FileError) {
            let bytes = try file.bytes(variable.bytes)
            let isNegative = bytes.last.map { $0 >= 0x80 } ?? false
            return bytes.reversed().reduce(isNegative ? -1 : 0) { $0 << 8 | Int($1) }
        } catch { throw ModelError(error, path: file.path) }
    }
}

package import EngineBasics
package import EngineWeights

/// A CTranslate2 model, as faster-whisper uses it: `model.bin`, and next to it the vocabulary and `config.json`.
///
/// Weights may be float32, float16, bfloat16, or 8- or 16-bit integers with scales, mixed in any way.
package struct CTranslate2File: WhisperFile {
    package let path: FilePath
    package let dimensions: ModelDimensions
    package let vocabulary: Vocabulary
    package let alignmentHeads: [AlignmentHead]?
    package let warnings: [ModelWarning]
    package let tensors: [String: WeightTensor]
    package var format: String { "CTranslate2" }

    /// Opens the model and validates everything except the values of the weights.
    ///
    /// - Parameter path: the `model.bin`; the other files are those in its folder.
    package init(_ path: FilePath) throws(ModelError) {
        let file: ReadOnlyFile, kind: ModelFileKind
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
        let variables = try CTranslate2Variables(file)
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
}

/// The variables of a CTranslate2 model as openai-whisper's tensors.
package struct CTranslate2Variables {
    private let container: CTranslate2Container
    private var path: FilePath { container.path }

    private static let latestRevision = 3

    package init(_ file: ReadOnlyFile) throws(ModelError) {
        container = try CTranslate2Container(file) { (specification, revision) throws(ModelError) in
            guard specification == "WhisperSpec" else {
                throw .anotherFormat(
                    path: file.path, looksLike: "a CTranslate2 model of type \(ShellQuoting.shown(specification))",
                    instead: "use a Whisper model")
            }
            guard (1...Self.latestRevision).contains(revision) else {
                throw .anotherFormat(
                    path: file.path,
                    looksLike: "a CTranslate2 Whisper model of revision \(revision), expected \(Self.latestRevision)",
                    instead: CTranslate2Container.convertAgain)
            }
        }
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
            guard let found = try container.integer(name), found != expected else { continue }
            throw .badField(path: path, field: name, found: found, expected: "\(expected)")
        }
        let kernel = try shape("encoder/conv1/weight", rank: 3)
        let embedding = try shape("decoder/embeddings/weight", rank: 2)
        // Published models have 64 channels per head.
        let d = ModelDimensions(
            nMels: kernel[1], nAudioCtx: try shape("encoder/position_encodings/encodings", rank: 2)[0],
            nAudioState: kernel[0], nAudioHead: try container.integer("encoder/num_heads") ?? kernel[0] / 64,
            nAudioLayer: layers("encoder"), nVocab: embedding[0],
            nTextCtx: try shape("decoder/position_encodings/encodings", rank: 2)[0], nTextState: embedding[1],
            nTextHead: try container.integer("decoder/num_heads") ?? embedding[1] / 64, nTextLayer: layers("decoder"))
        try d.check(path: path)
        return d
    }

    /// The number of layers of a side.
    private func layers(_ side: String) -> Int {
        var count = 0
        while container.variables["\(side)/layer_\(count)/ffn/layer_norm/gamma"] != nil { count += 1 }
        return count
    }

    /// The tensors of a network of these dimensions; all must be present and nothing else.
    package func tensors(_ dimensions: ModelDimensions) throws(ModelError) -> [String: WeightTensor] {
        var tensors: [String: WeightTensor] = [:], missing: [String] = [], used: Set<String> = []
        for (name, shape) in TensorShapes.all(dimensions) {
            let source = CTranslate2Names.source(of: name)
            guard let variable = container.variables[source.variable] else {
                missing.append(source.variable)
                continue
            }
            let stacked = [shape[0] * source.parts] + shape.dropFirst()
            guard WeightTensor.isSame(variable.shape, stacked) else {
                throw .wrongShape(path: path, tensor: source.variable, expected: stacked, found: variable.shape)
            }
            guard let whole = container.tensors[source.variable] else {
                throw .unsupportedType(path: path, tensor: source.variable, type: "int32")
            }
            used.insert(source.variable)
            let scale = source.variable + "_scale"
            if whole.scales != nil {
                used.insert(scale)
            } else if whole.type == .int8 || whole.type == .int16 {
                throw .missingTensors(path: path, names: [scale])
            }
            let rows = (shape[0] * source.part)..<(shape[0] * (source.part + 1))
            tensors[name] = whole.named(name, shape: stacked).rows(rows, named: name)
        }
        if !missing.isEmpty { throw .missingTensors(path: path, names: missing) }
        try checkOthers(used)
        return tensors
    }

    /// Checks what is not a tensor of the network: settings, which are single numbers, and an output projection, which
    /// must be the token embedding.
    private func checkOthers(_ used: Set<String>) throws(ModelError) {
        let projection = "decoder/projection/weight", embedding = "decoder/embeddings/weight"
        let others = container.variables.filter { !used.contains($0.key) }
        for (name, variable) in others.sorted(by: { $0.value.offset < $1.value.offset }) {
            switch name {
            case _ where variable.shape.isEmpty: continue
            case projection, projection + "_scale":
                guard let other = container.variables[name.replacing(projection, with: embedding)],
                    try container.areEqual(variable, other)
                else { throw .untiedOutput(path: path, tensor: name) }
            default: throw .unknownTensor(path: path, name: name, offset: variable.offset)
            }
        }
    }

    private func shape(_ name: String, rank: Int) throws(ModelError) -> [Int] {
        guard let variable = container.variables[name] else { throw .missingTensors(path: path, names: [name]) }
        guard variable.shape.count == rank else {
            throw .badRecord(
                path: path, offset: variable.offset,
                problem: "has \(variable.shape.count) dimensions, expected \(rank)")
        }
        return variable.shape
    }
}

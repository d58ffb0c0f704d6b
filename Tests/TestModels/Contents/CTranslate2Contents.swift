import EngineWhisper

/// The variables of a CTranslate2 `model.bin`, so that tests can damage any part and reassemble it.
package struct CTranslate2Contents {
    package struct Variable {
        package var name: String
        package var shape: [Int]
        package var type: Int
        package var data: [UInt8]
        /// The length to write if it is not that of `data`.
        package var length: Int?

        package init(name: String, shape: [Int], type: Int, data: [UInt8], length: Int? = nil) {
            (self.name, self.shape, self.type, self.data, self.length) = (name, shape, type, data, length)
        }
    }

    package var version = 6
    package var specification = "WhisperSpec"
    package var revision = 3
    package var variables: [Variable] = []
    package var aliases: [(alias: String, target: String)] = [
        ("decoder/projection/weight", "decoder/embeddings/weight")
    ]
    /// The number of variables to write if it is not that of `variables`.
    package var count: Int?

    private static let types = (float32: 0, int8: 1, int16: 2, float16: 4)

    package static func number(_ value: Int, _ bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    package static func text(_ text: String) -> [UInt8] { number(text.utf8.count + 1, 2) + Array(text.utf8) + [0] }

    package var bytes: [UInt8] {
        var bytes = Self.number(version, 4) + Self.text(specification) + Self.number(revision, 4)
        bytes += Self.number(count ?? variables.count, 4)
        for variable in variables {
            bytes += Self.text(variable.name) + Self.number(variable.shape.count, 1)
            bytes += variable.shape.flatMap { Self.number($0, 4) } + Self.number(variable.type, 1)
            bytes += Self.number(variable.length ?? variable.data.count, 4) + variable.data
        }
        bytes += Self.number(aliases.count, 4)
        for (alias, target) in aliases { bytes += Self.text(alias) + Self.text(target) }
        return bytes
    }

    /// The ranges of everything in `bytes` that is not data.
    package var controlRanges: [Range<Int>] {
        var ranges: [Range<Int>] = [], offset = 14 + specification.utf8.count + 1
        ranges.append(0..<offset)
        for variable in variables {
            let start = offset
            offset += 2 + variable.name.utf8.count + 1 + 1 + 4 * variable.shape.count + 1 + 4
            ranges.append(start..<offset)
            offset += variable.data.count
        }
        ranges.append(offset..<bytes.count)
        return ranges
    }

    /// Stacks a model's projections and names its tensors as CTranslate2 does.
    package init(_ model: PlainModel) {
        let tensors = Dictionary(uniqueKeysWithValues: model.tensors.map { ($0.name, $0) })
        func add(_ name: String, _ parts: [String]) {
            let found = parts.compactMap { tensors[$0] }
            guard let first = found.first else { return }
            // The key has no bias; its part is zero.
            let zero = [UInt8](repeating: 0, count: first.data.count)
            let data = parts.flatMap { tensors[$0]?.data ?? zero }
            let shape = [first.shape[0] * parts.count] + first.shape.dropFirst()
            variables.append(
                Variable(
                    name: name, shape: shape, type: first.isHalf ? Self.types.float16 : Self.types.float32, data: data))
        }
        func addLinear(_ name: String, _ parts: String...) {
            for leaf in ["weight", "bias"] { add("\(name)/\(leaf)", parts.map { "\($0).\(leaf)" }) }
        }
        func addNorm(_ name: String, _ norm: String) {
            add(name + "/gamma", [norm + ".weight"])
            add(name + "/beta", [norm + ".bias"])
        }
        let d = model.dimensions
        for (side, layers, heads, norm) in [
            ("encoder", d.nAudioLayer, d.nAudioHead, "ln_post"), ("decoder", d.nTextLayer, d.nTextHead, "ln"),
        ] {
            variables.append(
                Variable(name: side + "/num_heads", shape: [], type: Self.types.int16, data: Self.number(heads, 2)))
            add(side + "/position_encodings/encodings", [side + ".positional_embedding"])
            addNorm(side + "/layer_norm", "\(side).\(norm)")
            for layer in 0..<layers {
                let to = "\(side)/layer_\(layer)", from = "\(side).blocks.\(layer)"
                addNorm(to + "/self_attention/layer_norm", from + ".attn_ln")
                addLinear(
                    to + "/self_attention/linear_0", from + ".attn.query", from + ".attn.key", from + ".attn.value")
                addLinear(to + "/self_attention/linear_1", from + ".attn.out")
                addNorm(to + "/ffn/layer_norm", from + ".mlp_ln")
                addLinear(to + "/ffn/linear_0", from + ".mlp.0")
                addLinear(to + "/ffn/linear_1", from + ".mlp.2")
                guard side == "decoder" else { continue }
                addNorm(to + "/attention/layer_norm", from + ".cross_attn_ln")
                addLinear(to + "/attention/linear_0", from + ".cross_attn.query")
                addLinear(to + "/attention/linear_1", from + ".cross_attn.key", from + ".cross_attn.value")
                addLinear(to + "/attention/linear_2", from + ".cross_attn.out")
            }
        }
        addLinear("encoder/conv1", "encoder.conv1")
        addLinear("encoder/conv2", "encoder.conv2")
        add("decoder/embeddings/weight", ["decoder.token_embedding.weight"])
        variables.append(Variable(name: "decoder/activation", shape: [], type: Self.types.int8, data: [3]))
        variables.append(Variable(name: "decoder/pre_norm", shape: [], type: Self.types.int8, data: [1]))
    }

    package subscript(name: String) -> Variable {
        get { variables[variables.firstIndex { $0.name == name } ?? 0] }
        set { variables[variables.firstIndex { $0.name == name } ?? 0] = newValue }
    }
}

import EngineBasics
import EngineWeights

/// The ten hyperparameters of a Whisper network, under openai-whisper's names.
package struct ModelDimensions: Hashable, Codable, Sendable {
    package var nMels: Int
    package var nAudioCtx: Int
    package var nAudioState: Int
    package var nAudioHead: Int
    package var nAudioLayer: Int
    package var nVocab: Int
    package var nTextCtx: Int
    package var nTextState: Int
    package var nTextHead: Int
    package var nTextLayer: Int

    package init(
        nMels: Int, nAudioCtx: Int, nAudioState: Int, nAudioHead: Int, nAudioLayer: Int,
        nVocab: Int, nTextCtx: Int, nTextState: Int, nTextHead: Int, nTextLayer: Int
    ) {
        self.nMels = nMels
        self.nAudioCtx = nAudioCtx
        self.nAudioState = nAudioState
        self.nAudioHead = nAudioHead
        self.nAudioLayer = nAudioLayer
        self.nVocab = nVocab
        self.nTextCtx = nTextCtx
        self.nTextState = nTextState
        self.nTextHead = nTextHead
        self.nTextLayer = nTextLayer
    }

    /// Multilingual vocabularies have at least 51865 IDs, English-only ones 51864.
    package var isMultilingual: Bool { nVocab >= 51_865 }

    /// The turbo models have large-v3's encoder and four decoder layers, and were trained only to transcribe.
    package var isTurbo: Bool { nTextLayer == 4 && nAudioLayer >= 24 }

    enum CodingKeys: String, CodingKey {
        case nMels = "n_mels"
        case nAudioCtx = "n_audio_ctx"
        case nAudioState = "n_audio_state"
        case nAudioHead = "n_audio_head"
        case nAudioLayer = "n_audio_layer"
        case nVocab = "n_vocab"
        case nTextCtx = "n_text_ctx"
        case nTextState = "n_text_state"
        case nTextHead = "n_text_head"
        case nTextLayer = "n_text_layer"
    }
}

extension ModelDimensions {
    /// Checks that the numbers are those of a Whisper network of plausible size.
    ///
    /// - Parameter names: what the file calls the fields, by openai-whisper's names, where that differs.
    /// - Throws: `ModelError.badField` for the first number that is not.
    func check(path: FilePath, names: [String: String] = [:]) throws(ModelError) {
        func bad(_ field: String, _ value: Int, _ expected: String) -> ModelError {
            .badField(path: path, field: names[field] ?? field, found: value, expected: expected)
        }
        func check(_ field: String, _ value: Int, _ allowed: ClosedRange<Int>) throws(ModelError) {
            guard allowed.contains(value) else {
                throw bad(field, value, "\(allowed.lowerBound) to \(allowed.upperBound)")
            }
        }
        try check("n_vocab", nVocab, 51_864...51_866)
        if nAudioCtx != 1500 { throw bad("n_audio_ctx", nAudioCtx, "1500 (20 ms positions in 30 s)") }
        try check("n_text_ctx", nTextCtx, 64...8192)
        try check("n_audio_state", nAudioState, 1...8192)
        if nTextState != nAudioState { throw bad("n_text_state", nTextState, "\(nAudioState) (the encoder's width)") }
        try check("n_audio_head", nAudioHead, 1...nAudioState)
        try check("n_text_head", nTextHead, 1...nTextState)
        try check("n_audio_layer", nAudioLayer, 1...256)
        try check("n_text_layer", nTextLayer, 1...256)
        for (field, heads) in [("n_audio_head", nAudioHead), ("n_text_head", nTextHead)]
        where nAudioState % heads != 0 {
            throw bad(field, heads, "a divisor of \(nAudioState)")
        }
        if nMels != 80, nMels != 128 { throw bad("n_mels", nMels, "80 or 128") }
    }
}

/// The names and shapes of all tensors of a network (openai-whisper's state dictionary).
package enum TensorShapes {
    /// All tensors in the order of the state dictionary, with shapes in PyTorch's order.
    package static func all(_ d: ModelDimensions) -> [(name: String, shape: [Int])] {
        let a = d.nAudioState, t = d.nTextState
        var list: [(name: String, shape: [Int])] = [
            ("encoder.positional_embedding", [d.nAudioCtx, a]),
            ("encoder.conv1.weight", [a, d.nMels, 3]), ("encoder.conv1.bias", [a]),
            ("encoder.conv2.weight", [a, a, 3]), ("encoder.conv2.bias", [a]),
        ]
        for layer in 0..<d.nAudioLayer { list += block("encoder.blocks.\(layer)", a, cross: false) }
        list += norm("encoder.ln_post", a)
        list += [
            ("decoder.positional_embedding", [d.nTextCtx, t]), ("decoder.token_embedding.weight", [d.nVocab, t]),
        ]
        for layer in 0..<d.nTextLayer { list += block("decoder.blocks.\(layer)", t, cross: true) }
        return list + norm("decoder.ln", t)
    }

    private static func norm(_ name: String, _ n: Int) -> [(name: String, shape: [Int])] {
        [(name + ".weight", [n]), (name + ".bias", [n])]
    }

    private static func attention(_ name: String, _ n: Int) -> [(name: String, shape: [Int])] {
        // The key projection has no bias.
        [
            (name + ".query.weight", [n, n]), (name + ".query.bias", [n]), (name + ".key.weight", [n, n]),
            (name + ".value.weight", [n, n]), (name + ".value.bias", [n]), (name + ".out.weight", [n, n]),
            (name + ".out.bias", [n]),
        ]
    }

    private static func block(_ name: String, _ n: Int, cross: Bool) -> [(name: String, shape: [Int])] {
        var list = attention(name + ".attn", n) + norm(name + ".attn_ln", n)
        if cross { list += attention(name + ".cross_attn", n) + norm(name + ".cross_attn_ln", n) }
        list += [
            (name + ".mlp.0.weight", [4 * n, n]), (name + ".mlp.0.bias", [4 * n]),
            (name + ".mlp.2.weight", [n, 4 * n]), (name + ".mlp.2.bias", [n]),
        ]
        return list + norm(name + ".mlp_ln", n)
    }
}

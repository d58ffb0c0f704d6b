/// Names and shapes of all tensors of a network (openai-whisper's state dictionary).
package enum TensorShapes {
    /// In the order of the state dictionary; shapes in PyTorch's order.
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

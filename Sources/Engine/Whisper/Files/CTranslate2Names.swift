/// Where CTranslate2 stores a tensor: rows of a variable, because projections of the same input are stacked.
struct CTranslate2Source: Equatable {
    let variable: String
    /// The index of the tensor among the equal parts that the variable consists of.
    var part = 0
    var parts = 1
}

/// CTranslate2's names for openai-whisper's tensors.
enum CTranslate2Names {
    /// - Parameter name: one of `TensorShapes`.
    static func source(of name: String) -> CTranslate2Source {
        let words = name.split(separator: ".").map(String.init)
        let side = words[0], leaf = words[words.count - 1]
        switch words[1] {
        case "positional_embedding": return CTranslate2Source(variable: "\(side)/position_encodings/encodings")
        case "token_embedding": return CTranslate2Source(variable: "\(side)/embeddings/weight")
        case "ln_post", "ln": return CTranslate2Source(variable: "\(side)/layer_norm/\(norm(leaf))")
        case "blocks": return source(in: "\(side)/layer_\(words[2])", of: words[3], words[4], leaf)
        default: return CTranslate2Source(variable: "\(side)/\(words[1])/\(leaf)")
        }
    }

    private static func source(
        in layer: String, of group: String, _ member: String, _ leaf: String
    ) -> CTranslate2Source {
        switch (group, member) {
        case ("attn_ln", _): CTranslate2Source(variable: "\(layer)/self_attention/layer_norm/\(norm(leaf))")
        case ("cross_attn_ln", _): CTranslate2Source(variable: "\(layer)/attention/layer_norm/\(norm(leaf))")
        case ("mlp_ln", _): CTranslate2Source(variable: "\(layer)/ffn/layer_norm/\(norm(leaf))")
        case ("mlp", "0"): CTranslate2Source(variable: "\(layer)/ffn/linear_0/\(leaf)")
        case ("mlp", _): CTranslate2Source(variable: "\(layer)/ffn/linear_1/\(leaf)")
        case ("attn", "out"): CTranslate2Source(variable: "\(layer)/self_attention/linear_1/\(leaf)")
        case ("attn", _):
            CTranslate2Source(
                variable: "\(layer)/self_attention/linear_0/\(leaf)",
                part: ["query": 0, "key": 1, "value": 2][member] ?? 0, parts: 3)
        case (_, "query"): CTranslate2Source(variable: "\(layer)/attention/linear_0/\(leaf)")
        case (_, "out"): CTranslate2Source(variable: "\(layer)/attention/linear_2/\(leaf)")
        default:
            CTranslate2Source(
                variable: "\(layer)/attention/linear_1/\(leaf)", part: member == "value" ? 1 : 0, parts: 2)
        }
    }

    private static func norm(_ leaf: String) -> String { leaf == "weight" ? "gamma" : "beta" }
}

/// NVIDIA's own names of tensors, which its files and those of whisper.cpp have, and which tensors nothing reads.
enum NeMoNames {
    /// Parts of names, and what they are called in a Hugging Face folder.
    private static let parts = [
        ("encoder.pre_encode.conv.", "encoder.subsampling.layers."),
        ("encoder.pre_encode.out", "encoder.subsampling.linear"),
        (".conv.batch_norm.", ".conv.norm."), (".linear_out.", ".o_proj."), (".linear_q.", ".q_proj."),
        (".linear_k.", ".k_proj."), (".linear_v.", ".v_proj."), (".linear_pos.", ".relative_k_proj."),
        ("self_attn.pos_bias_", "self_attn.bias_"), ("decoder.prediction.embed.", "decoder.embedding."),
        ("decoder.prediction.dec_rnn.lstm.", "decoder.lstm."), ("joint.enc.", "encoder_projector."),
        ("joint.pred.", "decoder.decoder_projector."), ("joint.joint_net.2.", "joint.head."),
        ("decoder.decoder_layers.0.", "ctc_head."), ("prompt_kernel.0.", "prompt_projector.linear_1."),
        ("prompt_kernel.2.", "prompt_projector.linear_2."),
    ]

    /// The name of a tensor that has this one in a Hugging Face folder.
    static func own(_ name: String) -> String {
        for (own, other) in parts where name.contains(other) { return name.replacing(other, with: own) }
        return name
    }

    /// The name in NVIDIA's GGUF files: there, an LSTM has layers with a weight and a bias.
    static func gguf(_ name: String) -> String {
        let own = own(name), parts = own.split(separator: ".")
        guard name.hasPrefix("decoder.lstm."), let last = parts.last, let mark = last.firstIndex(of: "_") else {
            return own
        }
        return (parts.dropLast() + [last[last.index(after: mark)...], last[..<mark]]).joined(separator: ".")
    }

    /// Whether a tensor is not one of the network: the tables of the features and of the positions, which are computed
    /// here, what only training uses, and the second decoder of a model that has a transducer, too.
    static func isSpare(_ name: String) -> Bool {
        ["preprocessor.", "encoder.pos_enc.", "ctc_decoder.", "spec_augmentation.", "loss.", "wer."].contains {
            name.hasPrefix($0)
        }
    }
}

/// Names of tensors in the Hugging Face folder of a streaming model that other models call otherwise.
enum StreamingNames {
    /// The convolutions before the encoder's layers.
    private static let parts = [
        ("conv_in", "layers.0"), ("layers.0.depthwise_conv", "layers.2"), ("layers.0.pointwise_conv", "layers.3"),
        ("layers.1.depthwise_conv", "layers.5"), ("layers.1.pointwise_conv", "layers.6"),
    ].map { ("encoder.subsampling.\($0.0).", "encoder.subsampling.\($0.1).") }

    /// The name in the folder of a tensor that has this one in other models.
    static func stored(_ name: String) -> String {
        parts.first { name.hasPrefix($0.1) }.map { name.replacing($0.1, with: $0.0) } ?? name
    }
}

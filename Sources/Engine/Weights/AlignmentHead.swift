/// A cross-attention head whose weights follow the sound, used to time words.
public struct AlignmentHead: Hashable, Codable, Sendable {
    /// Decoder layer, from 0.
    public let layer: Int
    /// Head within the layer, from 0.
    public let head: Int

    public init(layer: Int, head: Int) {
        self.layer = layer
        self.head = head
    }
}

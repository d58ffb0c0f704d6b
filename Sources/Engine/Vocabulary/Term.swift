/// A name or term that the user expects to be said.
public struct Term: Hashable, Sendable {
    /// The term as it should be written.
    public var text: String
    /// Factor on the bonus that the search gives to the term's tokens, 0.1 to 3.
    public var weight: Float
    /// What the term sounds like, such as `shivawn` for Siobhan. Where the text has one of these, or something that sounds
    /// alike, the term is written.
    public var sounds: [String]

    public init(_ text: String, weight: Float = 1, sounds: [String] = []) {
        self.text = text
        self.weight = weight
        self.sounds = sounds
    }
}

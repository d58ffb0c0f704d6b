/// A text on the screen and when it is there.
public struct SubtitleCue: Hashable, Sendable {
    public var start: Timestamp
    public var end: Timestamp
    public var text: String

    public init(start: Timestamp, end: Timestamp, text: String) {
        self.start = start
        self.end = end
        self.text = text
    }
}

/// A segment while its window is being worked on.
package struct WindowSegment: Hashable, Sendable {
    package var timing: SegmentTiming
    package let text: String
    /// Ids, timestamps included.
    package let tokens: [Int]

    package init(timing: SegmentTiming, text: String, tokens: [Int]) {
        self.timing = timing
        self.text = text
        self.tokens = tokens
    }

    /// Whether nothing is to be seen of it: it has no length or only white space.
    package var isBlank: Bool { timing.start == timing.end || WhiteSpace.strip(text).isEmpty }
}

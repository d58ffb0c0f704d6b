/// What to write in place of something in the finished text.
public struct ReplacementRule: Hashable, Sendable {
    /// What is replaced.
    package enum Heard: Hashable, Sendable {
        case text(String)
        case pattern(TextPattern)
    }

    package let heard: Heard
    /// What is written instead; empty deletes it.
    package let written: String

    /// Replaces words by others. Letter case is ignored unless `heard` has a capital letter. Only whole words are replaced, except
    /// in scripts without blanks; a blank stands for any white space and for a hyphen.
    public init(_ heard: String, written: String) {
        self.heard = .text(NormalizedText.composed(heard))
        self.written = NormalizedText.composed(written)
    }

    /// Replaces what a regular expression matches; `$1` in `written` stands for its first group.
    public init(pattern: String, written: String) throws(TextPattern.SyntaxError) {
        let expression = try TextPattern(NormalizedText.composed(pattern))
        self.written = NormalizedText.composed(written)
        _ = try Self.parts(of: self.written, groups: expression.groups)
        heard = .pattern(expression)
    }

    /// A part of what replaces a match.
    enum Part: Equatable {
        case text(String)
        /// 0 is the whole match.
        case group(Int)
    }

    /// The parts of a replacement: text, `$0` to `$9` for groups, `$$` for a dollar sign. A dollar sign before anything else
    /// stands for itself.
    static func parts(of written: String, groups: Int) throws(TextPattern.SyntaxError) -> [Part] {
        var parts: [Part] = [], text = ""
        let characters = Array(written)
        var index = 0
        while index < characters.count {
            let next = index + 1 < characters.count ? characters[index + 1] : nil
            if characters[index] == "$", let next, next == "$" || next.isASCII && next.isWholeNumber {
                if let group = next.wholeNumberValue {
                    guard group <= groups else {
                        throw TextPattern.SyntaxError(
                            offset: index, isInReplacement: true,
                            description: "the expression has no group \(group); write $$ for a dollar sign")
                    }
                    if !text.isEmpty { parts.append(.text(text)) }
                    (text, index) = ("", index + 2)
                    parts.append(.group(group))
                } else {
                    text += "$"
                    index += 2
                }
            } else {
                text.append(characters[index])
                index += 1
            }
        }
        return text.isEmpty ? parts : parts + [.text(text)]
    }
}

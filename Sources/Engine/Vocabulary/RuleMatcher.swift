/// Finds where rules apply in a text: from left to right, the longest that matches at a place. What one rule writes is not
/// read by another.
package struct RuleMatcher: Sendable {
    /// The rules for words, in a trie of the characters of their left sides.
    private struct Trie: Sendable {
        struct Node: Sendable {
            var children: [Character: Int] = [:]
            /// What is written for the text that ends here.
            var written: String?
        }

        var nodes = [Node()]

        mutating func add(_ heard: [Character], _ written: String) {
            var node = 0
            for character in heard {
                if let next = nodes[node].children[character] {
                    node = next
                } else {
                    nodes.append(Node())
                    nodes[node].children[character] = nodes.count - 1
                    node = nodes.count - 1
                }
            }
            // The first rule of several for the same text applies.
            if nodes[node].written == nil { nodes[node].written = written }
        }
    }

    /// Rules that ignore letter case, and those that do not.
    private var folded = Trie(), exact = Trie()
    private var patterns: [(pattern: TextPattern, parts: [ReplacementRule.Part])] = []

    /// - Parameter terms: their sounds are replaced by them.
    package init(_ rules: [ReplacementRule], terms: [Term]) {
        for rule in rules {
            switch rule.heard {
            case .text(let heard): add(heard, rule.written)
            case .pattern(let pattern):
                // Checked when the rule was made.
                if let parts = try? ReplacementRule.parts(of: rule.written, groups: pattern.groups) {
                    patterns.append((pattern, parts))
                }
            }
        }
        for term in terms {
            for sound in term.sounds { add(sound, term.text) }
        }
    }

    private mutating func add(_ heard: String, _ written: String) {
        var characters: [Character] = []
        for character in heard {
            if !character.isWhitespace {
                characters.append(TextRules.plain(character))
            } else if characters.last != " " {
                characters.append(" ")
            }
        }
        if heard.contains(where: \.isUppercase) {
            exact.add(characters, written)
        } else {
            folded.add(characters.map(TextPattern.folded), written)
        }
    }

    /// The changes to a text, in order and without overlap.
    func edits(in text: [Character]) -> [TextEdit] {
        let plain = text.map(TextRules.plain), small = text.map(TextRules.folded)
        var edits: [TextEdit] = [], place = 0
        while place < text.count {
            let matches = [longest(in: exact, small: plain, at: place), longest(in: folded, small: small, at: place)]
            if let match = matches.compactMap({ $0 }).max(by: { $0.end < $1.end }) {
                edits.append(TextEdit(range: place..<match.end, text: match.written))
                place = match.end
            } else {
                place += 1
            }
        }
        for (pattern, parts) in patterns {
            var place = 0
            while place < text.count, let match = pattern.firstMatch(in: text, from: place) {
                place = max(match.range.upperBound, place + 1)
                guard !match.range.isEmpty, !edits.contains(where: { $0.range.overlaps(match.range) }) else { continue }
                edits.append(TextEdit(range: match.range, text: Self.text(parts, match, in: text)))
            }
        }
        edits.sort { $0.range.lowerBound < $1.range.lowerBound }
        return edits.map { $0.text.isEmpty ? Self.deletion(of: $0.range, in: text) : $0 }
    }

    /// Where the end of a text begins that may become the left side of a rule when it goes on; its end if there is none.
    package func openStart(in text: [Character]) -> Int {
        let plain = text.map(TextRules.plain), small = text.map(TextRules.folded)
        return text.indices.first { place in
            TextRules.isBoundary(text, at: place)
                && (goesOn(in: exact, plain, at: place, node: 0) || goesOn(in: folded, small, at: place, node: 0))
        } ?? text.count
    }

    private static func text(_ parts: [ReplacementRule.Part], _ match: TextPattern.Match, in text: [Character])
        -> String
    {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .group(0): String(text[match.range])
            case .group(let number): match.groups[number - 1].map { String(text[$0]) } ?? ""
            }
        }.joined()
    }

    /// The longest rule that matches at a place.
    private func longest(in trie: Trie, small: [Character], at place: Int) -> (end: Int, written: String)? {
        guard let first = small[place...].first, trie.nodes[0].children[first] != nil,
            !TextRules.isWord(first) || TextRules.isBoundary(small, at: place)
        else { return nil }
        return longest(in: trie, small, at: place, node: 0)
    }

    private func longest(in trie: Trie, _ text: [Character], at place: Int, node: Int) -> (end: Int, written: String)? {
        let node = trie.nodes[node]
        if place < text.count {
            if let next = node.children[text[place]], text[place] != " ",
                let found = longest(in: trie, text, at: place + 1, node: next)
            {
                return found
            }
            if TextRules.isBlank(text[place]), let next = node.children[" "] {
                let end = text[place...].firstIndex { !TextRules.isBlank($0) } ?? text.count
                if let found = longest(in: trie, text, at: end, node: next) { return found }
            }
        }
        guard let written = node.written, place > 0,
            !TextRules.isWord(text[place - 1]) || TextRules.isBoundary(text, at: place)
        else { return nil }
        return (place, written)
    }

    /// Whether the rest of the text leads to a node that has children.
    private func goesOn(in trie: Trie, _ text: [Character], at place: Int, node: Int) -> Bool {
        let node = trie.nodes[node]
        guard place < text.count else { return !node.children.isEmpty }
        if let next = node.children[text[place]], text[place] != " ", goesOn(in: trie, text, at: place + 1, node: next)
        {
            return true
        }
        guard TextRules.isBlank(text[place]), let next = node.children[" "] else { return false }
        let end = text[place...].firstIndex { !TextRules.isBlank($0) } ?? text.count
        return goesOn(in: trie, text, at: end, node: next)
    }

    /// Deletes a range together with a blank, and with a comma that would otherwise be left over.
    static func deletion(of range: Range<Int>, in text: [Character]) -> TextEdit {
        var (start, end) = (range.lowerBound, range.upperBound)
        let before = text[..<start].last { !$0.isWhitespace }
        if end < text.count, text[end] == ",", before.map({ $0.isPunctuation }) ?? true { end += 1 }
        if start > 0, text[start - 1].isWhitespace {
            start -= 1
        } else if start == 0 || !TextRules.isWord(text[start - 1]), end < text.count, text[end].isWhitespace {
            end += 1
        }
        return TextEdit(range: start..<end, text: "")
    }
}

/// A regular expression over characters. Its matching takes linear time (Thompson's construction, all alternatives at
/// once), so that no pattern and no text can stall a transcription; there are therefore no back-references.
///
/// It has groups, alternatives, greedy and lazy repetition, classes, `.`, `^` and `$` for the ends of the text, `\b`, `\B`,
/// `\d`, `\s`, `\w` and their opposites. Letter case is ignored unless the pattern has a capital letter.
public struct TextPattern: Sendable {
    package let source: String
    /// The number of capturing groups.
    package let groups: Int
    private let program: [Instruction]
    private let ignoresCase: Bool

    enum Instruction: Sendable {
        case one(CharacterClass)
        case boundary(isPresent: Bool)
        case start
        case end
        /// Goes on at both places; the first is preferred.
        case split(Int, Int)
        case jump(Int)
        /// Stores the position in a slot: 0 and 1 are the ends of the whole match, 2 and 3 those of the first group …
        case save(Int)
        case match
    }

    public init(_ source: String) throws(SyntaxError) {
        var compiler = PatternCompiler(source)
        program = try compiler.compiled()
        (groups, ignoresCase) = (compiler.groups, !compiler.hasCapital)
        self.source = source
    }

    /// Why a text is no regular expression.
    public struct SyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
        /// The character at which the problem is, from 0.
        public let offset: Int
        /// Whether it is in the replacement.
        public var isInReplacement = false
        /// `what is wrong; what to do`.
        public let description: String
    }

    /// A match: the range of the whole, and those of the groups that took part.
    package struct Match: Equatable {
        package let range: Range<Int>
        package let groups: [Range<Int>?]
    }

    /// The first match at or after a place. Of several at the same place, the one that the pattern prefers.
    package func firstMatch(in text: [Character], from first: Int = 0) -> Match? {
        let compared = ignoresCase ? text.map(Self.folded) : text
        var current = Threads(program.count), next = Threads(program.count)
        var found: [Int]?
        for position in first...max(first, text.count) {
            if found == nil { add(0, slots: [], at: position, in: text, to: &current) }
            if current.entries.isEmpty {
                if found != nil { break }
                current.clear()
                continue
            }
            next.clear()
            threads: for thread in current.entries {
                switch program[thread.place] {
                case .match:
                    found = thread.slots
                    // Threads of lower preference end.
                    break threads
                case .one(let characters):
                    if position < text.count, characters.contains(compared[position]) {
                        add(thread.place + 1, slots: thread.slots, at: position + 1, in: text, to: &next)
                    }
                case .boundary, .start, .end, .split, .jump, .save: break
                }
            }
            swap(&current, &next)
        }
        guard let found else { return nil }
        let ranges = stride(from: 0, to: 2 * (groups + 1), by: 2).map { slot -> Range<Int>? in
            slot + 1 < found.count && found[slot] >= 0 && found[slot + 1] >= found[slot]
                ? found[slot]..<found[slot + 1] : nil
        }
        return ranges[0].map { Match(range: $0, groups: Array(ranges.dropFirst())) }
    }

    /// Follows the instructions that consume nothing.
    private func add(_ place: Int, slots: [Int], at position: Int, in text: [Character], to threads: inout Threads) {
        guard threads.visit(place) else { return }
        switch program[place] {
        case .jump(let target): add(target, slots: slots, at: position, in: text, to: &threads)
        case .split(let first, let second):
            add(first, slots: slots, at: position, in: text, to: &threads)
            add(second, slots: slots, at: position, in: text, to: &threads)
        case .save(let slot):
            var slots = slots
            if slots.isEmpty { slots = [Int](repeating: -1, count: 2 * (groups + 1)) }
            slots[slot] = position
            add(place + 1, slots: slots, at: position, in: text, to: &threads)
        case .boundary(let isPresent):
            let before = position > 0 && CharacterClass.isWord(text[position - 1])
            let after = position < text.count && CharacterClass.isWord(text[position])
            if (before != after) == isPresent {
                add(place + 1, slots: slots, at: position, in: text, to: &threads)
            }
        case .start: if position == 0 { add(place + 1, slots: slots, at: position, in: text, to: &threads) }
        case .end: if position == text.count { add(place + 1, slots: slots, at: position, in: text, to: &threads) }
        case .one, .match: threads.entries.append((place, slots))
        }
    }

    /// Places in the program that are reached at the same time, in order of preference.
    private struct Threads {
        var entries: [(place: Int, slots: [Int])] = []
        private var visited: [Bool]

        init(_ count: Int) { visited = [Bool](repeating: false, count: count) }

        mutating func visit(_ place: Int) -> Bool {
            if visited[place] { return false }
            visited[place] = true
            return true
        }

        mutating func clear() {
            entries.removeAll(keepingCapacity: true)
            for place in visited.indices { visited[place] = false }
        }
    }

    static func folded(_ character: Character) -> Character {
        let folded = character.lowercased()
        return folded.count == 1 ? Character(folded) : character
    }
}

extension TextPattern: Hashable {
    public static func == (left: TextPattern, right: TextPattern) -> Bool { left.source == right.source }
    public func hash(into hasher: inout Hasher) { hasher.combine(source) }
}

/// Characters that a place in a regular expression matches.
struct CharacterClass: Sendable {
    enum Member: Sendable {
        case range(ClosedRange<Character>)
        case digit(Bool)
        case space(Bool)
        case word(Bool)
        case any
    }

    var members: [Member]
    var isNegated = false

    func contains(_ character: Character) -> Bool {
        members.contains { member in
            switch member {
            case .range(let range): range.contains(character)
            case .digit(let isOne): character.isWholeNumber == isOne
            case .space(let isOne): character.isWhitespace == isOne
            case .word(let isOne): Self.isWord(character) == isOne
            case .any: !character.isNewline
            }
        } != isNegated
    }

    static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}

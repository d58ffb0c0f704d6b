import EngineBasics

/// The terms of a vocabulary as sequences of a model's tokens, merged where they begin alike.
///
/// A search walks through it token by token. A walk begins with a term's first token, goes on while a longer term is
/// possible, and ends with any other token; then the longest term that it has passed was said, if any.
package struct TermTrie: Sendable {
    /// Where a spelling may begin.
    package enum Opening: Sendable {
        /// Everywhere: its first token begins with a blank, or it is in a script without blanks.
        case anywhere
        /// After a mark that no blank follows, such as an opening quote, or a letter of a script without blanks.
        case withoutBlank
        /// At the start of a sentence.
        case sentence
    }

    /// One way to write a term.
    package struct Spelling: Sendable {
        package let ids: [Int]
        /// The term's.
        package let weight: Float
        package let opening: Opening

        package init(_ ids: [Int], weight: Float = 1, opening: Opening = .anywhere) {
            self.ids = ids
            self.weight = weight
            self.opening = opening
        }
    }

    private struct Node {
        let token: Int
        /// The greatest of the terms that continue here.
        let weight: Float
        /// The number of tokens up to here; 0 for the roots.
        let depth: Int
        let endsTerm: Bool
        /// In `nodes`, in ascending order of their tokens.
        var children: Range<Int> = 0..<0
    }

    /// The roots, then level by level.
    private var nodes: [Node] = []
    private let textBytes: @Sendable (Int) -> [UInt8]?

    /// - Parameter textBytes: what a token adds to the text; `nil` if it is no text.
    package init(_ spellings: [Spelling], textBytes: @escaping @Sendable (Int) -> [UInt8]?) {
        self.textBytes = textBytes
        var groups: [ArraySlice<Spelling>] = []
        for root in 0..<Self.roots {
            let own = spellings.filter { !$0.ids.isEmpty && Self.allows($0.opening, root: root) }
            groups.append(own.sorted { $0.ids.lexicographicallyPrecedes($1.ids) }[...])
            nodes.append(Node(token: -1, weight: 0, depth: 0, endsTerm: false))
        }
        var index = 0
        while index < nodes.count {
            let first = nodes.count
            let depth = nodes[index].depth
            // The shortest spellings come first: those that end at the node itself have no child.
            var rest = groups[index].drop { $0.ids.count == depth }
            while let token = rest.first?.ids[depth] {
                let group = rest.prefix { $0.ids[depth] == token }
                nodes.append(
                    Node(
                        token: token, weight: group.map(\.weight).max() ?? 1, depth: depth + 1,
                        endsTerm: group.contains { $0.ids.count == depth + 1 }))
                groups.append(group)
                rest = rest.dropFirst(group.count)
            }
            nodes[index].children = first..<nodes.count
            index += 1
        }
    }

    /// The tokens of all terms, each with the most that a step may add to its score, in ascending order.
    package func greatestBonuses(_ bonus: TermBonus) -> [(token: Int, bonus: Float)] {
        var bonuses: [Int: Float] = [:]
        for node in nodes.dropFirst(Self.roots) {
            let more = node.weight * (node.depth == 1 ? bonus.first : bonus.later)
            bonuses[node.token] = max(bonuses[node.token] ?? more, more)
        }
        return bonuses.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Whether there are no terms.
    package var isEmpty: Bool { nodes.count == Self.roots }

    /// Where a text is in the trie.
    package struct Place: Hashable, Sendable {
        /// The last node of the walk; a root outside of walks.
        fileprivate var node = 0
        /// The token that began the walk.
        fileprivate var first = -1
        fileprivate var isAfterMark = false
        fileprivate var startsSentence = true
        /// The number of tokens at the end of the text that begin a term, or continue a finished one to a longer one,
        /// and have not finished it.
        package fileprivate(set) var unfinished = 0
        /// The bonuses of these tokens, which they lose if the term is not finished.
        package fileprivate(set) var pending: Float = 0
        /// What they keep if it is.
        fileprivate var earned: Float = 0
        /// What the tokens of finished terms have kept.
        package fileprivate(set) var kept: Float = 0

        /// At the start of a text.
        package init() {}

        fileprivate var root: Int { (isAfterMark ? 1 : 0) + (startsSentence ? 2 : 0) }
    }

    /// A token that begins or continues a term, and what a search adds to its score.
    package struct Step: Hashable, Sendable {
        package let token: Int
        package let bonus: Float
        /// Whether it begins a term instead of continuing one.
        package let isFirst: Bool
    }

    /// A token that a greedy search may choose.
    package struct Option: Hashable, Sendable {
        package let token: Int
        package let logprob: Float
        /// How much less likely it is than the likeliest token.
        package let deficit: Float

        package init(token: Int, logprob: Float, deficit: Float) {
            self.token = token
            self.logprob = logprob
            self.deficit = deficit
        }
    }

    /// The place after another token.
    ///
    /// - Parameter bonus: as for the steps.
    package func place(after place: Place, token: Int, bonus: TermBonus) -> Place {
        var next = place
        if let end = textBytes(token).flatMap(TextEnd.init) {
            next.isAfterMark = end == .withoutBlank
            next.startsSentence = end == .sentence || next.isAfterMark && place.startsSentence
        }
        if nodes[place.node].depth > 0, let node = child(of: place.node, token) {
            next.node = node
            next.unfinished += 1
            next.pending += laterBonus(nodes[node], at: place, bonus)
            next.earned += nodes[node].weight * bonus.kept
        } else if let node = child(of: place.root, token) {
            next.node = node
            next.unfinished = 1
            let weight = token == repeated(at: place) ? 0 : nodes[node].weight
            (next.pending, next.earned) = (weight * bonus.first, weight * bonus.kept)
            next.first = token
        } else {
            next.node = 0
        }
        if nodes[next.node].endsTerm { next.kept += next.earned }
        if nodes[next.node].depth == 0 || nodes[next.node].endsTerm {
            (next.unfinished, next.pending, next.earned) = (0, 0, 0)
        }
        return next
    }

    /// Whether the token leaves the walk without finishing the term that it has begun.
    package func breaks(_ place: Place, token: Int) -> Bool {
        place.unfinished > 0 && child(of: place.node, token) == nil
    }

    /// The tokens that continue the walk or begin a term, with scores of more than `least` once the bonus is added.
    ///
    /// A token that does both is only found once, with the greater bonus. A term does not follow itself at once.
    ///
    /// - Parameters:
    ///   - scores: by token; impossible tokens have -infinity.
    ///   - first: the index of the first token's score.
    package func steps(
        at place: Place, scores: [Float], from first: Int = 0, bonus: TermBonus, above least: Float
    ) -> [Step] {
        var steps: [Step] = []
        let going = nodes[place.node].depth > 0 ? nodes[place.node].children : 0..<0
        for node in nodes[going] {
            let more = laterBonus(node, at: place, bonus)
            if scores[first + node.token] + more > least {
                steps.append(Step(token: node.token, bonus: more, isFirst: false))
            }
        }
        let repeated = repeated(at: place)
        for node in nodes[nodes[place.root].children] {
            let more = node.weight * bonus.first
            guard scores[first + node.token] + more > least, node.token != repeated else { continue }
            if steps.contains(where: { $0.token == node.token }) { continue }
            steps.append(Step(token: node.token, bonus: more, isFirst: true))
        }
        return steps
    }

    /// The tokens that a greedy search is to try, with the greatest score first: the likeliest token and, before it, up to
    /// `maxTries` that surpass it with their bonus.
    ///
    /// - Parameters:
    ///   - scores: as for the steps.
    ///   - logprob: the log probability of a score.
    package func options(
        at place: Place, scores: [Float], likeliest: Int, bonus: TermBonus, logprob: (Float) -> Float
    ) -> [Option] {
        let greatest = logprob(scores[likeliest])
        var options = [(score: scores[likeliest], Option(token: likeliest, logprob: greatest, deficit: 0))]
        for step in steps(at: place, scores: scores, bonus: bonus, above: scores[likeliest]) {
            let score = scores[step.token] + step.bonus
            if step.token == likeliest {
                options[0].score = score
            } else {
                let own = logprob(scores[step.token])
                options.append((score, Option(token: step.token, logprob: own, deficit: greatest - own)))
            }
        }
        options.sort { $0.score != $1.score ? $0.score > $1.score : $0.1.token < $1.1.token }
        let end = options.firstIndex { $0.1.token == likeliest } ?? 0
        return (options[..<end].prefix(Self.maxTries) + [options[end]]).map(\.1)
    }

    /// The most terms that a greedy search tries at a place.
    private static let maxTries = 3

    /// The token of a step that would begin the same term again.
    private func repeated(at place: Place) -> Int? { nodes[place.node].endsTerm ? place.first : nil }

    /// The bonus for continuing a walk with a node, or for beginning another term with its token if that is more.
    private func laterBonus(_ node: Node, at place: Place, _ bonus: TermBonus) -> Float {
        let first = child(of: place.root, node.token).map { nodes[$0].weight * bonus.first }
        return max(node.weight * bonus.later, first ?? 0)
    }

    /// One for each combination of `isAfterMark` and `startsSentence`.
    private static let roots = 4

    private static func allows(_ opening: Opening, root: Int) -> Bool {
        switch opening {
        case .anywhere: true
        case .withoutBlank: root & 1 > 0
        case .sentence: root & 2 > 0
        }
    }

    private func child(of node: Int, _ token: Int) -> Int? {
        var range = nodes[node].children
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if nodes[middle].token == token { return middle }
            range = nodes[middle].token < token ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }
}

extension TermTrie {
    /// The trie of the terms that a user expects; `nil` without terms.
    ///
    /// - Parameters:
    ///   - encode: the tokens of a text, whose first word begins with a blank or not.
    ///   - textBytes: what a token adds to the text; `nil` if it is no text.
    package init?(
        _ terms: [Term], encode: (String) -> [Int], textBytes: @escaping @Sendable (Int) -> [UInt8]?
    ) {
        var spellings: [Spelling] = []
        for term in terms {
            let text = WhiteSpace.strip(term.text)
            func add(_ text: String, _ opening: Opening) {
                spellings.append(Spelling(encode(text), weight: term.weight, opening: opening))
            }
            if TextEnd.isWrittenWithoutBlanks(text) {
                add(text, .anywhere)
                continue
            }
            add(" " + text, .anywhere)
            add(text, .withoutBlank)
            guard let first = text.first, text == text.lowercased() else { continue }
            let capitalized = first.uppercased() + text.dropFirst()
            if capitalized != text { add(" " + capitalized, .sentence) }
        }
        self.init(spellings, textBytes: textBytes)
        if isEmpty { return nil }
    }
}

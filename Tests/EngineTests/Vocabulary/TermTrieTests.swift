import Testing

@Suite("Trie of terms")
struct TermTrieTests {
    /// Tokens that are bytes of ASCII, so that texts can be written as such. 0 is no text, as a timestamp.
    private static func ids(_ text: String) -> [Int] { text.utf8.map(Int.init) }
    @Sendable private static func textBytes(_ token: Int) -> [UInt8]? { token == 0 ? nil : [UInt8(token)] }
    private static let bonus = TermBonus(first: 3, later: 5, kept: 2)
    private static let flat = [Float](repeating: 0, count: 128)

    private static func trie(_ terms: Term...) throws -> TermTrie {
        try #require(TermTrie(terms, encode: ids, textBytes: textBytes))
    }

    private static func place(_ text: String, in trie: TermTrie) -> TermTrie.Place {
        ids(text).reduce(TermTrie.Place()) { trie.place(after: $0, token: $1, bonus: bonus) }
    }

    /// The steps after a text, each as its token and bonus.
    private static func steps(_ text: String, in trie: TermTrie) -> [String: Float] {
        let steps = trie.steps(at: place(text, in: trie), scores: flat, bonus: bonus, above: 0)
        return Dictionary(
            uniqueKeysWithValues: steps.map { (String(decoding: [UInt8($0.token)], as: UTF8.self), $0.bonus) })
    }

    @Test("no terms, or terms without tokens, make no trie")
    func empty() {
        #expect(TermTrie([], encode: Self.ids, textBytes: Self.textBytes) == nil)
        #expect(TermTrie([Term("Ada")], encode: { _ in [] }, textBytes: Self.textBytes) == nil)
    }

    @Test("a term begins with the first bonus and goes on with the later one")
    func walk() throws {
        let trie = try Self.trie(Term("Ada"), Term("Abel", weight: 2))
        #expect(Self.steps("x", in: trie) == [" ": 6])
        #expect(Self.steps("x ", in: trie) == ["A": 10, " ": 6])
        #expect(Self.steps("x A", in: trie) == ["d": 5, "b": 10, " ": 6])
        #expect(Self.steps("x Ad", in: trie) == ["a": 5, " ": 6])
        #expect(Self.place("x Ad", in: trie).unfinished == 3)
        #expect(Self.place("x Ad", in: trie).pending == 21)
        #expect(Self.place("x Ada", in: trie).unfinished == 0)
        #expect(Self.place("x Ada", in: trie).pending == 0)
        #expect(Self.place("x Adx", in: trie).unfinished == 0)
    }

    @Test("the longest term wins, and the shorter one is finished before it")
    func longest() throws {
        let trie = try Self.trie(Term("Ada"), Term("Ada Love"))
        #expect(Self.steps("x Ada", in: trie) == [" ": 5])
        #expect(Self.place("x Ada L", in: trie).unfinished == 2)
        #expect(trie.breaks(Self.place("x Ada L", in: trie), token: Self.ids("x")[0]))
        #expect(!trie.breaks(Self.place("x Ada L", in: trie), token: Self.ids("o")[0]))
        #expect(!trie.breaks(Self.place("x Ada", in: trie), token: Self.ids("x")[0]))
        #expect(!trie.breaks(Self.place("x Ada Love", in: trie), token: Self.ids("x")[0]))
    }

    @Test("a token that is no step ends the walk, and may begin another")
    func restart() throws {
        let trie = try Self.trie(Term("Ada"), Term("Bob"))
        #expect(Self.place("x A B", in: trie).unfinished == 2)
        #expect(Self.steps("x A B", in: trie) == ["o": 5, " ": 3])
        #expect(trie.breaks(Self.place("x A", in: trie), token: Self.ids(" ")[0]))
    }

    @Test("a term does not follow itself at once")
    func repetition() {
        let spellings = ["Ada", "Bob"].map { TermTrie.Spelling(Self.ids($0)) }
        let trie = TermTrie(spellings, textBytes: Self.textBytes)
        #expect(Self.steps("Ada", in: trie) == ["B": 3])
        #expect(Self.steps("Adax", in: trie) == ["A": 3, "B": 3])
        // What has no bonus is not taken back either.
        #expect(Self.place("AdaA", in: trie).pending == 0)
        #expect(Self.place("xA", in: trie).pending == 3)
    }

    @Test("after an opening mark a term has no blank", arguments: ["\"", "'", "(", "[", "-", "x \""])
    func marks(text: String) throws {
        let trie = try Self.trie(Term("Ada"))
        #expect(Self.steps(text, in: trie) == [" ": 3, "A": 3])
        #expect(Self.steps("x", in: trie) == [" ": 3])
        #expect(Self.steps("x.", in: trie) == [" ": 3])
    }

    @Test("a term in lower case may have a capital at the start of a sentence, also after a timestamp")
    func sentences() throws {
        let trie = try Self.trie(Term("nginx"), Term("iPhone"))
        #expect(Self.steps(" ", in: trie) == ["n": 5, "N": 5, "i": 5, " ": 3])
        #expect(Self.steps("x. ", in: trie) == ["n": 5, "N": 5, "i": 5, " ": 3])
        #expect(Self.steps("x.\0\0 ", in: trie) == ["n": 5, "N": 5, "i": 5, " ": 3])
        #expect(Self.steps("x, ", in: trie) == ["n": 5, "i": 5, " ": 3])
    }

    @Test("a term in a script without blanks begins anywhere, and others after its letters have none")
    func withoutBlanks() throws {
        let tokens = ["x", "日", "本", " ", "A"]
        let terms = TermTrie(
            [Term("日本"), Term("A")], encode: { text in text.compactMap { tokens.firstIndex(of: String($0)) } },
            textBytes: { Array(tokens[$0].utf8) })
        let trie = try #require(terms)
        func steps(_ ids: [Int]) -> [Int: Float] {
            let place = ids.reduce(TermTrie.Place()) { trie.place(after: $0, token: $1, bonus: Self.bonus) }
            let scores = [Float](repeating: 0, count: 5)
            let steps = trie.steps(at: place, scores: scores, bonus: Self.bonus, above: 0)
            return Dictionary(uniqueKeysWithValues: steps.map { ($0.token, $0.bonus) })
        }
        #expect(steps([0]) == [1: 3, 3: 3])
        #expect(steps([0, 1]) == [1: 3, 2: 5, 3: 3, 4: 3])
    }

    @Test("only tokens whose score passes the limit are steps, and impossible ones never")
    func limit() throws {
        let trie = try Self.trie(Term("Ada"), Term("Bob"))
        var scores = Self.flat
        let place = Self.place("x ", in: trie)
        scores[Self.ids(" ")[0]] = -.infinity
        scores[Self.ids("A")[0]] = -2
        scores[Self.ids("B")[0]] = -3
        func found(above least: Float) -> [Int] {
            trie.steps(at: place, scores: scores, bonus: Self.bonus, above: least).map(\.token)
        }
        #expect(found(above: 2) == Self.ids("A"))
        #expect(found(above: 1) == Self.ids("AB"))
        #expect(found(above: 3) == [])
        scores[Self.ids("A")[0]] = -.infinity
        scores[Self.ids("B")[0]] = .nan
        #expect(found(above: -.infinity) == [])
    }

    @Test("a token that continues one term and begins another has the greater bonus, once")
    func both() {
        let spellings = [
            TermTrie.Spelling(Self.ids("ab")), TermTrie.Spelling(Self.ids("b"), weight: 3),
        ]
        let trie = TermTrie(spellings, textBytes: Self.textBytes)
        #expect(Self.steps("xa", in: trie) == ["b": 9, "a": 3])
    }
}

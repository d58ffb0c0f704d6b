public import EngineBasics

/// The names and terms that a user says, and what to write in place of something.
public struct UserVocabulary: Hashable, Sendable {
    /// Each text once.
    public private(set) var terms: [Term] = []
    public private(set) var rules: [ReplacementRule] = []

    /// The number of terms and rules that are accepted.
    public static let maxEntries = 10_000
    /// The characters of a term, of one of its sounds, and of either side of a rule.
    public static let maxCharacters = 100
    /// The bytes of a file.
    package static let maxBytes = 4 << 20
    package static let weights: ClosedRange<Float> = 0.1...3

    public init() {}

    /// Reads a vocabulary: one entry a line, as docs/vocabulary.md describes.
    ///
    /// - Throws: the first problem.
    public init(_ text: String) throws(VocabularyError) {
        self = try Self.parse(Array(text.utf8)).checked()
    }

    /// Reads a vocabulary from a file.
    ///
    /// - Throws: the first problem.
    public init(contentsOf file: FilePath) throws(VocabularyError) {
        self = try Self.read(file).checked()
    }

    /// Terms separated by commas, each perhaps with its weight: `Siobhan, nginx ^2`.
    public init(list: String) throws(VocabularyError) {
        var parser = VocabularyParser(file: nil)
        parser.parse(list: list)
        self = try parser.result.checked()
    }

    package var isEmpty: Bool { terms.isEmpty && rules.isEmpty }

    /// Adds the entries of another vocabulary; what it says of a term holds.
    public mutating func add(_ other: UserVocabulary) {
        for term in other.terms { add(term) }
        rules += other.rules
    }

    /// Adds a term, or changes the weight of one that is there and adds to its sounds.
    public mutating func add(_ term: Term) {
        if let index = places[term.text] {
            terms[index].weight = term.weight
            terms[index].sounds += term.sounds.filter { !terms[index].sounds.contains($0) }
        } else {
            places[term.text] = terms.count
            terms.append(term)
        }
    }

    public mutating func add(_ rule: ReplacementRule) { rules.append(rule) }

    /// The index of each term.
    private var places: [String: Int] = [:]

    /// A SHA-256 digest of the entries; comments, order of files and layout do not matter.
    package var digest: String { SHA256.hexadecimal(of: Array(VocabularyText.text(terms, rules).utf8)) }
}

/// Terms and rules as text: equal for equal ones, different if anything differs.
package enum VocabularyText {
    package static func text(_ terms: [Term], _ rules: [ReplacementRule]) -> String {
        (terms.map(text) + rules.map(text)).map { $0 + "\n" }.joined()
    }

    package static func text(_ term: Term) -> String {
        JSONText.array([JSONText.string(term.text), "\(term.weight)"] + term.sounds.map { JSONText.string($0) })
    }

    package static func text(_ rule: ReplacementRule) -> String {
        let (kind, heard) =
            switch rule.heard {
            case .text(let text): ("text", text)
            case .pattern(let pattern): ("pattern", pattern.source)
            }
        return JSONText.array([kind, heard, rule.written].map { JSONText.string($0) })
    }
}

extension UserVocabulary {
    /// What a file contains, and everything that is wrong with it.
    package struct Reading: Equatable {
        package var vocabulary = UserVocabulary()
        /// In order of their lines; the entries are left out.
        package var problems: [VocabularyError] = []
        /// The line of each term.
        package var lines: [String: Int] = [:]

        func checked() throws(VocabularyError) -> UserVocabulary {
            if let first = problems.first { throw first }
            return vocabulary
        }
    }

    /// Reads a file as far as possible.
    ///
    /// - Throws: if it cannot be read at all.
    package static func read(_ file: FilePath) throws(VocabularyError) -> Reading {
        switch FileSystem.contents(of: file, atMost: maxBytes, allowingPipes: true) {
        case .success(let bytes): return parse(bytes, file: file)
        case .failure(.missing): throw .missing(file: file)
        case .failure(.notPermitted): throw .notPermitted(file: file)
        case .failure(.tooLarge): throw .tooLarge(file: file)
        case .failure: throw .unreadable(file: file)
        }
    }

    package static func parse(_ bytes: [UInt8], file: FilePath? = nil) -> Reading {
        var parser = VocabularyParser(file: file)
        parser.parse(bytes)
        return parser.result
    }
}

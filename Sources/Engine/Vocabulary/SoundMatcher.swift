import EngineBasics

/// Finds words that sound like a term, or are one in another letter case.
struct SoundMatcher: Sendable {
    /// How a term, or one of its sounds, is compared.
    private struct Sound: Sendable {
        let term: Int
        let letters: [Unicode.Scalar]
        let code: [Unicode.Scalar]
    }

    private struct Candidate {
        let score: Double
        let range: Range<Int>
        let term: Int
    }

    private let terms: [String]
    private let sounds: [Sound]
    /// The sounds whose code has one of these keys.
    private let index: [UInt64: [Int]]
    private let usesMetaphone: Bool
    private let threshold: Double
    private let minSound: Double
    private let isCommon: @Sendable (String) -> Bool

    /// Weights of sound and spelling, and what both must reach; chosen on 120 recordings (docs/vocabulary.md).
    private static let weights = (sound: 0.6, letters: 0.4)
    private static let minSound = 0.6
    private static let minCode = 3
    private static let minLetters = 4
    private static let maxWords = 4
    /// How much more alike words that are frequent in the language must be.
    private static let commonWordPenalty = 0.1

    /// What the score must reach. The more terms there are, the more likely one resembles a word by chance.
    private static func threshold(terms: Int, isEnglish: Bool) -> Double {
        switch terms {
        case _ where !isEnglish: 0.9
        case ...200: 0.84
        case ...2000: 0.88
        default: 0.9
        }
    }

    /// - Parameters:
    ///   - language: the code of the spoken language.
    ///   - threshold: what the score must reach; `nil` depends on the number of terms.
    ///   - isCommon: whether a word in lower case is frequent.
    init(
        _ terms: [Term], language: String, threshold least: Double? = nil,
        isCommon: @escaping @Sendable (String) -> Bool
    ) {
        let isEnglish = language == "en"
        usesMetaphone = isEnglish
        self.isCommon = isCommon
        self.terms = terms.map(\.text)
        let threshold = least ?? Self.threshold(terms: terms.count, isEnglish: isEnglish)
        let minSound = min(threshold, Self.minSound)
        (self.threshold, self.minSound) = (threshold, minSound)
        var sounds: [Sound] = [], index: [UInt64: [Int]] = [:]
        for (number, term) in terms.enumerated() where !isCommon(term.text.lowercased()) {
            for text in [term.text] + term.sounds {
                let letters = NormalizedText.plainLetters(text)
                let code = Self.code(of: letters, isEnglish: isEnglish)
                guard letters.count >= Self.minLetters, code.count >= Self.minCode else { continue }
                for key in Set(Self.keys(of: code, without: Self.edits(in: code.count, threshold, minSound))) {
                    index[key, default: []].append(sounds.count)
                }
                sounds.append(Sound(term: number, letters: Self.scalars(letters), code: code))
            }
        }
        (self.sounds, self.index) = (sounds, index)
    }

    /// The changes to a text, in order and without overlap.
    ///
    /// - Parameter taken: ranges that are not changed.
    func edits(in text: [Character], except taken: [Range<Int>]) -> [TextEdit] {
        var candidates = candidates(in: text, except: taken)
        // The best first; of equal ones the longest, then the first in the text.
        candidates.sort {
            ($0.score, $0.range.count, $1.range.lowerBound, $1.term)
                > ($1.score, $1.range.count, $0.range.lowerBound, $0.term)
        }
        var chosen: [Candidate] = []
        for candidate in candidates where !chosen.contains(where: { $0.range.overlaps(candidate.range) }) {
            chosen.append(candidate)
        }
        return chosen.compactMap { edit($0, in: text) }.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// The possible changes to a text, also those that exclude each other, the likest first.
    func suggestions(in text: [Character], except taken: [Range<Int>]) -> [TextEdit] {
        candidates(in: text, except: taken)
            .sorted {
                ($0.score, $1.range.count, $1.range.lowerBound, $1.term)
                    > ($1.score, $0.range.count, $0.range.lowerBound, $0.term)
            }
            .compactMap { edit($0, in: text) }
    }

    /// The stretches of a text that are a term, or sound like one.
    func places(in text: [Character]) -> [Range<Int>] { candidates(in: text, except: []).map(\.range) }

    private func candidates(in text: [Character], except taken: [Range<Int>]) -> [Candidate] {
        guard !sounds.isEmpty else { return [] }
        var candidates: [Candidate] = []
        let words = Self.words(of: text)
        for first in words.indices {
            for last in first..<min(first + Self.maxWords, words.count) {
                if last > first, Self.endsClause(text, words[last - 1]) { break }
                let range = words[first].lowerBound..<words[last].upperBound
                guard let core = Self.core(of: range, in: text), !taken.contains(where: { $0.overlaps(core) }) else {
                    continue
                }
                candidates += matches(of: core, words: Array(words[first...last]), in: text)
            }
        }
        return candidates
    }

    private func edit(_ candidate: Candidate, in text: [Character]) -> TextEdit? {
        var term = terms[candidate.term]
        let old = String(text[candidate.range])
        // A term in lower case has a capital where a sentence begins.
        if !term.contains(where: \.isUppercase), text[candidate.range.lowerBound].isUppercase,
            TextRules.isSentenceStart(text, at: candidate.range.lowerBound)
        {
            term = term.prefix(1).uppercased() + term.dropFirst()
        }
        return term == old ? nil : TextEdit(range: candidate.range, text: term)
    }

    private func matches(of range: Range<Int>, words: [Range<Int>], in text: [Character]) -> [Candidate] {
        let written = String(text[range])
        let letters = NormalizedText.plainLetters(written)
        guard letters.count >= Self.minLetters else { return [] }
        let code = Self.code(of: letters, isEnglish: usesMetaphone)
        guard !code.isEmpty else { return [] }
        var found: Set<Int> = []
        for key in Self.keys(of: code, without: Self.edits(in: code.count, threshold, minSound)) {
            if let numbers = index[key] { found.formUnion(numbers) }
        }
        guard !found.isEmpty else { return [] }
        let plain = Self.scalars(letters)
        let limit = threshold + (areCommon(words, in: text) ? Self.commonWordPenalty : 0)
        return found.compactMap { number in
            let sound = sounds[number]
            let p = Self.likeness(code, sound.code)
            guard p >= minSound else { return nil }
            let q = usesMetaphone ? Self.likeness(plain, sound.letters) : p
            let score = Self.weights.sound * p + Self.weights.letters * q
            return score >= limit ? Candidate(score: score, range: range, term: sound.term) : nil
        }
    }

    /// Whether all of the words are frequent in the language, and none has a capital inside of a sentence.
    private func areCommon(_ words: [Range<Int>], in text: [Character]) -> Bool {
        words.allSatisfy { word in
            guard let core = Self.core(of: word, in: text) else { return true }
            return isCommon(String(text[core]).lowercased())
        }
    }

    // MARK: -

    private static func likeness(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Double {
        1 - Double(EditDistance(a, b).value) / Double(max(1, a.count, b.count))
    }

    /// How many edits of codes of about this length a score above the threshold allows.
    private static func edits(in length: Int, _ threshold: Double, _ minSound: Double) -> Int {
        let least = max(minSound, (threshold - weights.letters) / weights.sound)
        return min(2, Int(Double(length) * (1 - least) / least + 1e-9))
    }

    /// Each letter is a single scalar.
    private static func scalars(_ letters: [Character]) -> [Unicode.Scalar] { letters.flatMap(\.unicodeScalars) }

    private static func code(of letters: [Character], isEnglish: Bool) -> [Unicode.Scalar] {
        scalars(isEnglish ? Metaphone.code(letters) : merged(letters))
    }

    /// Numbers that stand for the code and for what is left of it without up to `count` of its characters, which is at most 2:
    /// two codes that differ by as many edits have one of these in common. Some are there twice.
    private static func keys(of code: [Unicode.Scalar], without count: Int) -> [UInt64] {
        // FNV-1a of what is left. A collision costs only a comparison: the score decides.
        func key(_ first: Int = -1, _ second: Int = -1) -> UInt64 {
            var key: UInt64 = 0xcbf2_9ce4_8422_2325
            for place in code.indices where place != first && place != second {
                key = (key ^ UInt64(code[place].value)) &* 0x100_0000_01b3
            }
            return key
        }
        var keys = [key()]
        let count = min(count, code.count - 1)
        for first in code.indices where count > 0 {
            keys.append(key(first))
            for second in (first + 1)..<code.count where count > 1 { keys.append(key(first, second)) }
        }
        return keys
    }

    /// Letters without repetitions.
    private static func merged(_ letters: [Character]) -> [Character] {
        letters.indices.filter { $0 == 0 || letters[$0] != letters[$0 - 1] }.map { letters[$0] }
    }

    /// The ranges between white space.
    static func words(of text: [Character]) -> [Range<Int>] {
        text.indices.split { text[$0].isWhitespace }.map { $0.startIndex..<$0.endIndex }
    }

    /// A range without the punctuation around its words and without a final 's.
    private static func core(of range: Range<Int>, in text: [Character]) -> Range<Int>? {
        guard let first = range.first(where: { TextRules.isWord(text[$0]) }),
            var last = range.last(where: { TextRules.isWord(text[$0]) })
        else { return nil }
        if last - 2 >= first, text[last] == "s", TextRules.plain(text[last - 1]) == "'" { last -= 2 }
        return first..<(last + 1)
    }

    /// Whether punctuation follows a word.
    private static func endsClause(_ text: [Character], _ word: Range<Int>) -> Bool {
        word.last.map { ".,;:!?…".contains(text[$0]) } ?? false
    }
}

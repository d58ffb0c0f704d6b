import EngineBasics
import EngineModels
import EngineTranscripts
import EngineVocabulary

/// Decides whether words of a window are a term that was misheard.
///
/// A search can only prefer the spelling of a term, whereas a network that has read the term knows how it may sound. So the
/// terms that sound like words of which it was not sure are shown to it one by one, as the text before the window, and it
/// scores the words and the term in their place. That needs no search: the text is known.
struct MisheardTerms {
    /// Chosen with 120 recordings and tiny.en (docs/vocabulary.md).
    private static let limits = (
        /// The least probable token of the words must be below it.
        logprob: Float(-1),
        /// The most terms that are tried in a window.
        tries: 4,
        /// How much more likely the term must be than the words, both with the tokens that follow.
        gain: Float(5), following: 3
    )

    /// Words that may be a term.
    private struct Candidate {
        /// The words' tokens.
        let range: Range<Int>
        let replacement: [Int]
        /// The term as the text before the window.
        let prompt: [Int]
    }

    let suggestions: TermSuggestions
    let tokenizer: Tokenizer

    /// The result with the terms that were misheard.
    ///
    /// - Parameters:
    ///   - language: the code of the text's language.
    ///   - logprobs: those of tokens from the one at `first` on, after a prompt; none if they are too many.
    func corrected(
        _ result: DecodingResult, language: String,
        logprobs: (_ tokens: [Int], _ first: Int, _ prompt: [Int]) throws -> [Float]
    ) rethrows -> DecodingResult {
        var found: [(candidate: Candidate, logprobs: [Float], gain: Float)] = []
        for candidate in candidates(in: result, language: language) {
            let (range, new) = (candidate.range, candidate.replacement)
            let after = result.tokens[range.upperBound...].prefix(Self.limits.following).prefix { isText($0) }
            let old = Array(result.tokens[..<range.upperBound]) + after
            let heard = try logprobs(old, range.lowerBound, candidate.prompt)
            let other = try logprobs(old[..<range.lowerBound] + new + after, range.lowerBound, candidate.prompt)
            guard !heard.isEmpty, !other.isEmpty else { continue }
            let gain = other.reduce(0, +) - heard.reduce(0, +)
            if gain >= Self.limits.gain { found.append((candidate, Array(other.prefix(new.count)), gain)) }
        }
        var chosen: [(candidate: Candidate, logprobs: [Float], gain: Float)] = []
        for one in found.sorted(by: { $0.gain > $1.gain })
        where !chosen.contains(where: { $0.candidate.range.overlaps(one.candidate.range) }) { chosen.append(one) }
        return chosen.isEmpty ? result : replaced(chosen.map { ($0.candidate, $0.logprobs) }, in: result)
    }

    private func isText(_ token: Int) -> Bool { token < tokenizer.special.endOfText }

    /// The likest first.
    private func candidates(in result: DecodingResult, language: String) -> [Candidate] {
        let tokens = result.tokens
        guard zip(tokens, result.logprobs).contains(where: { isText($0) && $1 < Self.limits.logprob }) else {
            return []
        }
        var bytes: [UInt8] = [], ends: [Int] = []
        for token in tokens {
            if isText(token) { bytes += tokenizer.bytes(of: token) }
            ends.append(bytes.count)
        }
        let text = Array(String(decoding: bytes, as: UTF8.self))
        let offsets = text.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.utf8.count) }
        // The start of a character may be missing.
        guard offsets.last == bytes.count else { return [] }
        var candidates: [Candidate] = [], tried: [(text: String, range: Range<Int>)] = []
        for edit in suggestions.edits(in: text, language: language) {
            let (start, end) = (offsets[edit.range.lowerBound], offsets[edit.range.upperBound])
            guard let first = ends.firstIndex(where: { $0 > start }), let last = ends.firstIndex(where: { $0 >= end }),
                tokens[first...last].allSatisfy({ isText($0) }),
                result.logprobs[first...last].contains(where: { $0 < Self.limits.logprob }),
                !tried.contains(where: { $0.text == edit.text && $0.range.overlaps(edit.range) })
            else { continue }
            tried.append((edit.text, edit.range))
            func kept(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
            let replacement = kept((first > 0 ? ends[first - 1] : 0)..<start) + edit.text + kept(end..<ends[last])
            candidates.append(
                Candidate(
                    range: first..<(last + 1), replacement: tokenizer.encode(replacement),
                    prompt: tokenizer.encode(" \(edit.text).")))
            if candidates.count == Self.limits.tries { break }
        }
        return candidates
    }

    private func replaced(
        _ terms: [(candidate: Candidate, logprobs: [Float])], in result: DecodingResult
    ) -> DecodingResult {
        var new = result
        for (candidate, logprobs) in terms.sorted(by: { $0.candidate.range.lowerBound > $1.candidate.range.lowerBound })
        {
            new.tokens.replaceSubrange(candidate.range, with: candidate.replacement)
            new.logprobs.replaceSubrange(candidate.range, with: logprobs)
        }
        let change = new.logprobs.reduce(0, +) - result.logprobs.reduce(0, +)
        let sum = result.avgLogprob * Double(result.tokens.count + 1) + Double(change)
        new.avgLogprob = sum / Double(new.tokens.count + 1)
        new.text = WhiteSpace.strip(tokenizer.decode(new.tokens))
        new.compressionRatio = CompressionRatio.of(new.text)
        return new
    }
}

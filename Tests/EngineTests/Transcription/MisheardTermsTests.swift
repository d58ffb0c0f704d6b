import TestSupport
import Testing

/// Words that may be a term are scored again with the term as the prompt; networks are scripted.
@Suite("Terms that were misheard")
struct MisheardTermsTests {
    private static let english = VocabularyFixture.english
    private static let time = SpecialTokens(vocabularySize: 51_864).firstTimestamp

    private struct Run {
        let segments: [TranscriptSegment]
        let decoder: ScriptedWindowDecoder
        var text: String { segments.map(\.text).joined() }
        /// The terms that were tried, in order.
        var prompts: [String] { decoder.scorings.map { english.decode($0.options.hotwords) } }
    }

    /// - Parameters:
    ///   - text: tokens are certain, except those of words between asterisks; a bar ends a segment.
    ///   - score: of a whole text as far as it is scored.
    private static func run(
        _ text: String, _ terms: [String], options: TranscriptionOptions = .reference,
        score: @escaping (String) -> Float
    ) throws -> Run {
        var (tokens, logprobs) = ([time], [Float(0)])
        for (number, segment) in text.split(separator: "|").enumerated() {
            for (index, part) in segment.split(separator: "*", omittingEmptySubsequences: false).enumerated() {
                let ids = english.encode(String(part))
                tokens += ids
                logprobs += ids.map { _ in index % 2 == 1 ? -1.5 : 0 }
            }
            let end = time + 100 * (number + 1)
            tokens += [end, end]
            logprobs += [0, 0]
        }
        (tokens, logprobs) = (tokens.dropLast(), logprobs.dropLast())
        var result = DecodingResult.scripted(tokens)
        result.logprobs = logprobs
        result.avgLogprob = Double(logprobs.reduce(0, +)) / Double(tokens.count + 1)
        let decoder = ScriptedWindowDecoder { [result] _, _ in result }
        decoder.scores = { scoring in
            [score(english.decode(scoring.tokens))] + scoring.tokens[(scoring.first + 1)...].map { _ in 0 }
        }
        var options = options
        options.terms = terms.map { Term($0) }
        options.tokenLogprobs = true
        var loop = SeekLoop(
            options: options, contentFrames: 1000, tokenizer: english, language: "en", decoder: decoder,
            suggestions: TermSuggestions(options.terms, english))
        return Run(segments: try loop.next() ?? [], decoder: decoder)
    }

    @Test(
        "doubtful words that sound like a term become it if it is much more likely after the prompt",
        arguments: [(Float(5), true), (4.9, false)])
    func gain(gain: Float, isAccepted: Bool) throws {
        var options = TranscriptionOptions.reference
        options.whisper.initialPrompt = "Minutes."
        let run = try Self.run(" Ask* Kokonko* whether it runs again.", ["Okonkwo", "Siobhan"], options: options) {
            $0.contains("Okonkwo") ? gain - 6 : -6
        }
        #expect(
            run.text == (isAccepted ? " Ask Okonkwo whether it runs again." : " Ask Kokonko whether it runs again."))
        // One search; the two texts are scored up to the third token after the words.
        #expect(run.decoder.calls.count == 1 && run.prompts == [" Okonkwo.", " Okonkwo."])
        #expect(
            run.decoder.scorings.map { Self.english.decode($0.tokens) } == [
                " Ask Kokonko whether it runs", " Ask Okonkwo whether it runs",
            ])
        #expect(run.decoder.scorings.allSatisfy { $0.first == 2 && $0.options.prompt.isEmpty })
        let segment = try #require(run.segments.first)
        #expect(segment.tokenLogprobs?.count == segment.tokens.count)
        guard isAccepted else { return }
        #expect(segment.tokenLogprobs?[2] == -1)
        #expect(abs(segment.avgLogprob + 1 / Double(segment.tokens.count + 1)) < 1e-6)
    }

    @Test("several terms replace words of the same window, and of terms for the same words the likeliest")
    func several() throws {
        let run = try Self.run(
            " Mr.* Kokonko* takes* meta-prolotta*.| Call* O'Conpo*.", ["Okonkwo", "metoprolol", "Kokoncho"]
        ) {
            -10 + ($0.contains("Okonkwo") ? 7 : 0) + ($0.contains("metoprolol") ? 6 : 0)
                + ($0.contains("Kokoncho") ? 5 : 0)
        }
        #expect(run.segments.map(\.text) == [" Mr. Okonkwo takes metoprolol.", " Call Okonkwo."])
        #expect(run.segments.allSatisfy { $0.tokens.count == $0.tokenLogprobs?.count })
    }

    @Test(
        "nothing is scored if the network is sure, the term is written already, or the words sound different",
        arguments: [
            " Ask Kokonko whether it runs.", " Ask* Okonkwo* whether it runs.", " Ask* anybody* whether it runs.",
            // Corrected by sound in any case.
            " Ask* Okonkwoh* whether it runs.", " Ask* Okon*|* kwo* whether it runs.",
        ])
    func unasked(text: String) throws {
        let run = try Self.run(text, ["Okonkwo"]) { _ in 0 }
        #expect(run.decoder.scorings.isEmpty)
    }

    @Test("nothing is scored if the user has written the text before each window")
    func hotwords() throws {
        var options = TranscriptionOptions.reference
        options.whisper.hotwords = "Okonkwo"
        let run = try Self.run(" Ask* Kokonko* whether it runs.", ["Okonkwo"], options: options) { _ in 0 }
        #expect(run.decoder.scorings.isEmpty && run.text == " Ask Kokonko whether it runs.")
    }

    @Test("of many terms, four are tried")
    func limits() throws {
        let terms = ["Okonkwo", "Okankwo", "Okonkwa", "Ukonkwo", "Akonkwo", "Okonkwi"]
        let run = try Self.run(" Ask* Kokonko* whether it runs.", terms) { _ in 0 }
        #expect(run.prompts.count == 8 && Set(run.prompts).count == 4)
    }

    /// The same window of noise for each position.
    private final class FixedSpectrogram: WindowSpectrogram {
        private let window: [Float]
        let contentFrames = WindowSpan.fullFrames

        init(_ window: [Float]) { self.window = window }

        func logMel(_ frames: Range<Int>) -> [Float] { window }
    }

    @Test(
        "a network's scores of a text are those with which it has chosen it, after a prompt, too",
        arguments: NetworkFixture.models)
    func scores(name: String) throws {
        let random = try RandomModel(name, .auto)
        let workspace = try random.model.workspace(for: TranscriptionOptions(), reusing: nil)
        let decoder = NetworkDecoder(
            try #require(workspace as? WhisperWorkspace), spectrogram: FixedSpectrogram(try NetworkFixture.window(name))
        )
        let window = WindowSpan(seek: 0, frames: WindowSpan.fullFrames, contentFrames: WindowSpan.fullFrames)
        var options = DecodingOptions()
        // Without filters.
        (options.suppressTokens, options.suppressBlank, options.withoutTimestamps) = (nil, false, true)
        (options.language, options.sampleLength) = ("en", 20)
        for prompt in ["", " Okonkwo."] {
            options.hotwords = prompt.isEmpty ? [] : random.tokenizer.encode(prompt)
            let result = try decoder.decode(window, options: options)
            #expect(!result.tokens.isEmpty)
            for first in [0, result.tokens.count / 2] {
                let scores = try decoder.logprobs(of: result.tokens, from: first, in: window, options: options)
                #expect(scores.count == result.tokens.count - first)
                #expect(zip(scores, result.logprobs[first...]).allSatisfy { abs($0 - $1) < 1e-3 })
            }
        }
        let long = [Int](repeating: 11, count: 448)
        #expect(try decoder.logprobs(of: long, from: 0, in: window, options: options).isEmpty)
    }
}

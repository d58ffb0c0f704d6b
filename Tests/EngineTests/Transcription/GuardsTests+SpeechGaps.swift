import TestSupport
import Testing

/// Speech that the segments of a window leave out.
extension GuardsTests {
    private static let loudTexts = [" The first sentence is loud.", " Another follows it later."]

    /// Two loud sentences, and what the model hears in the part of the recording between, before or after them.
    private static func run(
        loud: [Range<Double>], quiet: Range<Double>, seconds: Double = 20, options: TranscriptionOptions = .init(),
        _ heard: @escaping (Double) -> DecodingResult
    ) throws -> (run: Run, decoder: ScriptedWindowDecoder) {
        let decoder = ScriptedWindowDecoder { _, call in
            guard call.window.seek == 0, call.window.frames == Int(seconds * 100) else {
                return heard(call.window.duration)
            }
            return .scripted(zip(loud, Self.loudTexts).flatMap { Self.ids($0.lowerBound, $1, $0.upperBound) })
        } align: { _, asked in
            let first = Self.english.encode(Self.loudTexts[0]).count
            return asked.textTokens.enumerated().map { index, token in
                let isWhole = asked.window.frames == Int(seconds * 100)
                let start = (index >= first ? loud[1].lowerBound : loud[0].lowerBound) + 0.1 * Double(index)
                let at = isWhole ? start : 0.1 * Double(index)
                return WordTiming(word: " w", tokens: [token], start: at, end: at + 0.1, probability: 0.9)
            }
        }
        let speech = (loud + [quiet]).sorted { $0.lowerBound < $1.lowerBound }
        return (try Self.run(options, seconds: seconds, speech: speech, decoder), decoder)
    }

    private static let text = " Please hold the line."

    @Test("speech that the segments leave out is decoded again without a prompt, and stands where it was spoken")
    func quietSpeech() throws {
        for (loud, quiet, index) in [
            ([0..<4, 12..<20], 6.0..<9.0, 1), ([6..<10, 12..<20], 1..<4, 0), ([0..<4.0, 5..<12], 14..<16, 2),
            // A pause of less than half a second does not end what the detector calls speech.
            ([0..<4, 8..<20], 4.0..<8.0, 1),
        ] as [([Range<Double>], Range<Double>, Int)] {
            for wordTimestamps in [false, true] {
                var options = TranscriptionOptions.reference
                options.wordTimestamps = wordTimestamps
                let (run, decoder) = try Self.run(loud: loud, quiet: quiet, options: options) { _ in
                    .scripted(Self.ids(0, Self.text, 2))
                }
                var texts = Self.loudTexts
                texts.insert(Self.text, at: index)
                #expect(run.segments.map(\.text) == texts)
                #expect(run.segments.map(\.id) == [0, 1, 2])
                #expect(zip(run.segments, run.segments.dropFirst()).allSatisfy { $0.end <= $1.start })
                #expect(run.segments.allSatisfy { ($0.words?.isEmpty == false) == wordTimestamps })
                #expect(decoder.calls[1].options.prompt.isEmpty)
                let gap = decoder.calls[1].window
                let part = Int(quiet.lowerBound * 100)..<Int(quiet.upperBound * 100)
                #expect(gap.seek <= part.lowerBound && gap.seek + gap.frames >= part.upperBound)
                let end = gap.start + gap.duration
                #expect(run.measures == [.gapDecoded(start: gap.start, end: end, text: Self.text)])
            }
        }
    }

    @Test("a gap's text is dropped if it is improbable, silence, a loop, or stands beside it already")
    func doubtfulGaps() throws {
        let doubtful: [(String, DecodingResult)] = [
            ("improbable", .scripted(Self.ids(0, Self.text, 2), avgLogprob: -0.8)),
            ("silence", .scripted(Self.ids(0, Self.text, 2), noSpeechProb: 0.7)),
            ("repetitive", .scripted(Self.ids(0, Self.text, 2), compressionRatio: 2.5)),
            ("a loop", .scripted(Self.ids(0, " you you you you you you you", 2))),
            ("empty", .scripted(Self.ids(0, " ...", 2))),
            ("before", .scripted(Self.ids(0, " first sentence is loud", 2))),
            ("misheard", .scripted(Self.ids(0, " Sentence is loud, but", 2))),
            ("after", .scripted(Self.ids(0, " Another", 2))),
            ("too fast", .scripted(Self.ids(0, String(repeating: " Please hold the line, caller", count: 20), 2))),
        ]
        for (reason, result) in doubtful {
            let (run, decoder) = try Self.run(loud: [0..<4, 12..<20], quiet: 6..<9) { _ in result }
            #expect(run.segments.count == 2, "\(reason)")
            #expect(run.measures.isEmpty && decoder.calls.count == 2, "\(reason)")
        }
    }

    @Test("less than a second of speech, or speech that belongs to the text beside it, is not decoded again")
    func shortGaps() throws {
        for quiet in [6..<6.9, 4..<4.9, 11.1..<12] as [Range<Double>] {
            let (run, decoder) = try Self.run(loud: [0..<4, 12..<20], quiet: quiet) { _ in
                .scripted(Self.ids(0, Self.text, 2))
            }
            #expect(run.segments.count == 2 && decoder.calls.count == 1, "\(quiet)")
        }
    }

    @Test("speech after the text of a window that starts where another text ended is decoded once, unless it was heard")
    func restAfterContinuation() throws {
        // In the second window, the last word is heard at the model's time or at the end.
        for heard in [4, 30.0] {
            let decoder = ScriptedWindowDecoder { index, _ in
                .scripted(Self.ids(0, [Self.loudTexts[0], Self.loudTexts[1], Self.text][min(index, 2)], 5))
            } align: { _, asked in
                asked.textTokens.enumerated().map { index, token in
                    let isFirst = asked.window.seek == 0
                    let at = isFirst ? 0.1 * Double(index) : heard - 1 + 0.01 * Double(index)
                    return WordTiming(word: " w", tokens: [token], start: at, end: at + 0.1, probability: 0.9)
                }
            }
            let run = try Self.run(seconds: 35, speech: [0..<35], decoder)
            #expect(decoder.calls.map(\.window.seek) == (heard == 4 ? [0, 500, 1000] : [0, 500]))
            #expect(run.segments.map(\.text) == Self.loudTexts + (heard == 4 ? [Self.text] : []), "\(run.events)")
        }
    }

    @Test("a segment that encloses a long pause has the times of its words", arguments: [true, false])
    func pauses(isBefore: Bool) throws {
        let (before, after) = (Self.loudTexts[0], Self.loudTexts[1])
        let count = Self.english.encode(before).count
        // Spoken before the pause or after it. The word beside the pause is stretched over it.
        func times(_ index: Int) -> (Double, Double) {
            if index >= count { return (19 + 0.1 * Double(index - count), 19.1 + 0.1 * Double(index - count)) }
            let start = (isBefore ? 1 : 19) + 0.3 * Double(index)
            if isBefore { return (start, index == count - 1 ? 18 : start + 0.3) }
            return (index == 0 ? 4.2 : start, start + 0.3)
        }
        let decoder = ScriptedWindowDecoder { _, _ in
            .scripted(isBefore ? Self.ids(0, before, 18.9) + Self.ids(18.9, after, 22) : Self.ids(4, before, 22))
        } align: { _, asked in
            asked.textTokens.enumerated().map { index, token in
                let (start, end) = times(index)
                return WordTiming(word: " w", tokens: [token], start: start, end: end, probability: 0.9)
            }
        }
        let run = try Self.run(seconds: 23, speech: [1..<4, 19..<22], decoder)
        let segment = try #require(run.segments.first { $0.text == before })
        // A first word that is too long is cut to about a second or less before its end.
        #expect(isBefore ? abs(segment.start - 1) < 0.02 : (18.2...19).contains(segment.start))
        #expect(abs(segment.end - (isBefore ? times(count - 1).0 + 1 : times(count - 1).1)) < 0.02)
        #expect(run.measures.contains(.pausesLeftOut(1)) && segment.words == nil)
    }
}

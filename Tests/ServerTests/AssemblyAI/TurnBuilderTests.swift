import Testing
import WhisperEngine
import WhisperServer

@Suite("Turns")
struct TurnBuilderTests {
    private static func builder(
        threshold: Double = 0.4, minSilence: Int = 400, format: TurnBuilder.Format = .formatted
    ) -> TurnBuilder {
        TurnBuilder(threshold: threshold, minSilence: minSilence, format: format)
    }

    @Test("the example of the protocol comes out byte for byte")
    func example() {
        var script = TurnScript()
        script.volatile(TurnScript.word(" Good", 0.32, 0.56, 0.81))
        script.final(TurnScript.word(" Good", 0.32, 0.56, 0.81))
        script.volatile(TurnScript.word(" morning", 0.56, 0.94, 0.62))
        script.final(TurnScript.word(" morning.", 0.56, 0.98, 0.95))
        script.closed(at: 1.4)
        var builder = Self.builder()
        var turns: [Turn] = []
        for (update, now) in zip(script.updates.prefix(3), [0, 0.05, 0.06]) {
            turns += builder.apply(update, at: now)
        }
        #expect(builder.due(at: 0.09) == nil)
        turns += [builder.due(at: 0.11)].compactMap(\.self)
        for (update, now) in zip(script.updates.dropFirst(3), [0.15, 0.16]) {
            turns += builder.apply(update, at: now)
        }
        let messages = turns.map { StreamingV3().message($0, StreamingParameters(), at: WallTime(milliseconds: 0)) }
        #expect(
            messages == [
                #"{"turn_order":0,"turn_is_formatted":true,"end_of_turn":false,"transcript":"","end_of_turn_confidence":0.0,"words":[{"text":"Good","start":320,"end":560,"confidence":0.81,"word_is_final":false}],"utterance":"","type":"Turn"}"#,
                #"{"turn_order":0,"turn_is_formatted":true,"end_of_turn":false,"transcript":"Good","end_of_turn_confidence":0.0,"words":[{"text":"Good","start":320,"end":560,"confidence":0.81,"word_is_final":true},{"text":"morning","start":560,"end":940,"confidence":0.62,"word_is_final":false}],"utterance":"","type":"Turn"}"#,
                #"{"turn_order":0,"turn_is_formatted":true,"end_of_turn":true,"transcript":"Good morning.","end_of_turn_confidence":0.9,"words":[{"text":"Good","start":320,"end":560,"confidence":0.81,"word_is_final":true},{"text":"morning.","start":560,"end":980,"confidence":0.95,"word_is_final":true}],"utterance":"Good morning.","type":"Turn"}"#,
            ])
    }

    @Test("a pause after an unfinished sentence is an utterance, and a long silence ends the turn")
    func longSilence() {
        var script = TurnScript()
        script.final(TurnScript.word(" I", 1, 1.1), TurnScript.word(" think", 1.1, 1.4))
        script.closed(at: 1.6)
        script.final(TurnScript.word(" so", 3, 3.2))
        script.closed(at: 3.6)
        script.utterance(.silence(at: 4.48))
        var builder = Self.builder(format: .plain)
        let turns = builder.apply(script.updates)
        #expect(turns.map(\.utterance) == ["", "I think", "", "so", ""])
        #expect(turns.map(\.transcript) == ["i think", "i think", "i think so", "i think so", "i think so"])
        #expect(turns.map(\.isEnd) == [false, false, false, false, true])
        // Half of the least silence, then all of it.
        #expect(turns.map { ($0.confidence * 1000).rounded() / 1000 } == [0, 0.175, 0, 0.35, 1])
        #expect(turns.allSatisfy { $0.order == 0 && !$0.isFormatted })
    }

    @Test("a new speaker begins a new turn; words that may still change belong to the new one")
    func speakers() {
        var script = TurnScript()
        script.final(TurnScript.word(" I", 1, 1.1, speaker: "A"), TurnScript.word(" think", 1.1, 1.4, speaker: "A"))
        script.volatile(TurnScript.word(" no", 1.5, 1.7))
        script.final(TurnScript.word(" No,", 1.5, 1.7, speaker: "B"))
        script.final(TurnScript.word(" really.", 1.7, 2, speaker: "B"))
        script.closed(at: 2.4)
        script.final(TurnScript.word(" Yes.", 2.6, 2.8, speaker: "A"))
        var builder = Self.builder()
        let turns = builder.apply(script.updates) + [builder.finish()].compactMap(\.self)
        let ended = turns.filter(\.isEnd)
        #expect(ended.map(\.transcript) == ["I think", "No, really.", "Yes."])
        #expect(ended.map(\.utterance) == ["I think", "No, really.", "Yes."])
        #expect(ended.map(\.speaker) == ["A", "B", "A"] && ended.map(\.order) == [0, 1, 2])
        #expect(turns.allSatisfy { turn in turn.words.allSatisfy { $0.speaker == ($0.isFinal ? turn.speaker : nil) } })
    }

    @Test("a threshold that no punctuation reaches leaves the turn open; one of zero ends it at each pause")
    func thresholds() {
        var script = TurnScript()
        script.final(TurnScript.word(" Yes.", 1, 1.4))
        script.closed(at: 1.9)
        script.final(TurnScript.word(" And", 3, 3.4))
        script.closed(at: 3.9)
        for (threshold, ends) in [(0.95, 0), (0.9, 1), (0.4, 1), (0.35, 2), (0, 2)] {
            var builder = Self.builder(threshold: threshold)
            #expect(builder.apply(script.updates).count(where: \.isEnd) == ends, "\(threshold)")
        }
    }

    @Test("a requested end ends the turn, and without one open nothing is sent")
    func forced() {
        var script = TurnScript()
        script.closed(at: 0.5, isForced: true)
        script.final(TurnScript.word(" So", 1, 1.4))
        script.closed(at: 1.5, isForced: true)
        script.closed(at: 1.6, isForced: true)
        script.utterance(.silence(at: 5))
        var builder = Self.builder()
        let turns = builder.apply(script.updates)
        #expect(turns.map(\.isEnd) == [false, true] && turns.last?.confidence == 1)
        #expect(builder.finish() == nil)
    }

    @Test("at the end of the session the last words end their turn; if time runs out, in their latest volatile form")
    func finish() {
        var script = TurnScript()
        script.final(TurnScript.word(" One", 1, 1.4))
        script.volatile(TurnScript.word(" two", 1.5, 1.9))
        for (keepsTail, transcript) in [(false, "One"), (true, "One two")] {
            var builder = Self.builder()
            _ = builder.apply(script.updates)
            let turn = builder.finish(keepsTail: keepsTail)
            #expect(turn?.transcript == transcript && turn?.utterance == transcript && turn?.isEnd == true)
            #expect(turn?.words.allSatisfy(\.isFinal) == true)
            #expect(builder.finish(keepsTail: true) == nil)
        }
    }

    @Test("words without letters are omitted from plain turns, tags from all turns, and empty turns are not sent")
    func empty() {
        var script = TurnScript()
        script.volatile(TurnScript.word(" …", 0.5, 0.6))
        script.final(TurnScript.word(" …", 0.5, 0.6), TurnScript.word(" [Music]", 0.6, 0.9))
        script.closed(at: 1.5)
        script.utterance(.silence(at: 2.5))
        var plain = Self.builder(format: .plain)
        #expect(plain.apply(script.updates) == [] && plain.finish() == nil)
        var formatted = Self.builder()
        #expect(formatted.apply(script.updates).last?.transcript == "…")
    }

    @Test("a change of the format waits for the next turn")
    func format() {
        var script = TurnScript()
        script.volatile(TurnScript.word(" One.", 1, 1.4))
        script.final(TurnScript.word(" One.", 1, 1.4))
        script.closed(at: 1.9)
        script.final(TurnScript.word(" Two.", 3, 3.4))
        script.closed(at: 3.9)
        var builder = Self.builder(format: .plain)
        let first = builder.apply(script.updates[0], at: 0)
        builder.format = .formatted
        let turns = first + builder.apply(Array(script.updates.dropFirst()), from: 1)
        #expect(turns.filter { $0.order == 0 }.allSatisfy { !$0.isFormatted && $0.text == "one" })
        #expect(turns.filter { $0.order == 1 }.allSatisfy { $0.isFormatted && $0.text == "Two." })
        #expect(turns.last?.order == 1)
    }

    @Test("languages without blanks are joined without them")
    func spaceless() {
        for language in ["zh", "en"] {
            var script = TurnScript()
            script.language = language
            script.final(
                TurnScript.word("你", 1, 1.2), TurnScript.word("好", 1.2, 1.4), TurnScript.word("吗", 1.4, 1.6))
            script.closed(at: 2, isForced: true)
            var builder = Self.builder()
            #expect(builder.apply(script.updates).last?.transcript == "你好吗")
        }
    }

    @Test("a word that is omitted still separates those around it")
    func omitted() {
        var script = TurnScript()
        for (index, piece) in [" So", " …", "and", " then", "…", "so"].enumerated() {
            script.final(TurnScript.word(piece, Double(index), Double(index) + 1))
        }
        script.closed(at: 9, isForced: true)
        var builder = Self.builder(format: .plain)
        #expect(builder.apply(script.updates).last?.transcript == "so and thenso")
    }

    private static let blankless = [
        ([" The", " well", "-known", " price"], "The well-known price"), ([" 25", "%", " of"], "25% of"),
        ([" $5", ".50,", " 3", ":30"], "$5.50, 3:30"), ([" J", "'essaie"], "J'essaie"),
        ([" re", "-entered", " e", "-mail."], "re-entered e-mail."), ([" a ", "b"], "a b"),
        (["No", " blank"], "No blank"),
    ]

    @Test("words have blanks where the transcript has them, however finals divide them", arguments: blankless)
    func blanks(pieces: [String], text: String) {
        let words = pieces.enumerated().map { TurnScript.word($1, Double($0), Double($0) + 0.9) }
        for format in [TurnBuilder.Format.formatted, .plain] {
            var turns: [Turn] = []
            for size in [words.count, 1, 2] {
                var script = TurnScript()
                for start in stride(from: 0, to: words.count, by: size) {
                    script.volatile(Array(words[start...]))
                    script.final(Array(words[start..<min(start + size, words.count)]))
                }
                script.closed(at: 60, isForced: true)
                var builder = Self.builder(format: format)
                let all = builder.apply(script.updates)
                for turn in all { #expect(text.hasPrefix(turn.transcript) || format == .plain) }
                turns += all.suffix(1)
            }
            let expected = format == .plain ? text.split(separator: " ").map { TurnText.plain(String($0)) } : nil
            #expect(turns.map(\.transcript) == Array(repeating: expected?.joined(separator: " ") ?? text, count: 3))
            #expect(turns[0].words.count == text.split(separator: " ").count)
        }
    }

    @Test("odd numbers become valid ones")
    func numbers() {
        var script = TurnScript()
        script.final(
            TurnScript.word(" a", 0.0004, 0.0016, .nan), TurnScript.word(" b", 0.0016, 0.0014, 1.5),
            TurnScript.word(" c", 0.0016, .infinity, -1))
        var builder = Self.builder()
        let words = builder.apply(script.updates)[0].words
        #expect(words.map(\.start) == [0, 2, 2] && words[0].end == 2 && words[1].end == 2 && words[2].end == 2)
        #expect(words.map(\.confidence) == [0, 1, 0])
    }
}

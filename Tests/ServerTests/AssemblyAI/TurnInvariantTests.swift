import Testing
import WhisperEngine
import WhisperServer

/// Random sessions: what clients rely on holds for all of them.
@Suite("Invariants of turns")
struct TurnInvariantTests {
    private static let texts = [
        " Yes.", " no", " well-known", " …", " [Music]", " I'm", " 3.5", " Why?", " 啊", " a", " ,", " end!",
    ]

    /// A session with random utterances, pauses and requests.
    private static func script(_ random: inout SplitMix64) -> TurnScript {
        var script = TurnScript()
        var clock = 0.0
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            clock += Double.random(in: 0...2, using: &random)
            script.utterance(.opened(at: clock))
            var spoken: [TranscriptWord] = []
            for _ in 0..<Int.random(in: 0...9, using: &random) {
                let end = clock + Double.random(in: 0...0.5, using: &random)
                spoken.append(
                    TurnScript.word(
                        texts.randomElement(using: &random) ?? "", clock, end, Double.random(in: 0...1, using: &random))
                )
                clock = end
            }
            while !spoken.isEmpty {
                switch Int.random(in: 0..<4, using: &random) {
                case 0, 1:
                    // Volatile text differs from what becomes final.
                    var guess = Array(spoken.prefix(Int.random(in: 0...spoken.count, using: &random)))
                    if !guess.isEmpty { guess[guess.count - 1].word = " guess" }
                    script.volatile(guess)
                case 2:
                    let count = Int.random(in: 1...spoken.count, using: &random)
                    script.final(Array(spoken.prefix(count)))
                    spoken.removeFirst(count)
                default:
                    script.final(spoken)
                    spoken = []
                }
            }
            if Bool.random(using: &random) { script.volatile([]) }
            clock += Double.random(in: 0.1...1, using: &random)
            script.closed(at: clock, isForced: Int.random(in: 0..<5, using: &random) == 0)
            if Bool.random(using: &random) { script.utterance(.silence(at: clock)) }
        }
        return script
    }

    /// The turns of a session whose updates come at random times.
    private static func run(
        _ script: TurnScript, _ builder: TurnBuilder, _ random: inout SplitMix64, changesFormat: Bool = false
    ) -> (turns: [Turn], times: [Double]) {
        var builder = builder
        var turns: [Turn] = []
        var times: [Double] = []
        var now = 0.0
        for update in script.updates {
            now += Double.random(in: 0...0.08, using: &random)
            if let turn = builder.due(at: now) {
                turns.append(turn)
                times.append(now)
            }
            if changesFormat { builder.format = Bool.random(using: &random) ? .plain : .formatted }
            for turn in builder.apply(update, at: now) {
                turns.append(turn)
                times.append(now)
            }
        }
        if let turn = builder.finish(keepsTail: true) {
            turns.append(turn)
            times.append(now)
        }
        return (turns, times)
    }

    @Test("final words only grow, times never go back, orders count up, and each turn ends once")
    func invariants() {
        for seed in 0..<UInt64(2000) {
            var random = SplitMix64(seed: seed)
            let script = Self.script(&random)
            let builder = TurnBuilder(
                threshold: Double.random(in: 0...1, using: &random), minSilence: 400,
                format: seed % 2 == 0 ? .plain : .formatted)
            let (turns, times) = Self.run(script, builder, &random, changesFormat: seed % 3 == 0)
            var order = 0
            var finals: [Turn.Word] = []
            var lastStart = 0
            var lastPartial = -1.0
            for (turn, time) in zip(turns, times) {
                #expect(turn.order == order, "seed \(seed)")
                #expect(!turn.words.isEmpty, "seed \(seed)")
                #expect((0...1).contains(turn.confidence))
                let isFinal = turn.words.map(\.isFinal)
                let found = Array(turn.words.prefix(isFinal.count(where: \.self)))
                #expect(!isFinal.prefix(found.count).contains(false), "seed \(seed): final words are not a prefix")
                #expect(Array(found.prefix(finals.count)) == finals, "seed \(seed): a final word changed")
                finals = found
                var start = lastStart
                for word in turn.words {
                    #expect(word.start >= start && word.end >= word.start, "seed \(seed)")
                    start = word.start
                    #expect(!word.text.isEmpty)
                }
                if turn.isEnd {
                    #expect(!isFinal.contains(false), "seed \(seed)")
                    order += 1
                    finals = []
                    lastStart = turn.words.last?.start ?? lastStart
                } else if turn.utterance.isEmpty {
                    #expect(lastPartial < 0 || time - lastPartial >= 0.1 - 1e-9, "seed \(seed)")
                }
                lastPartial = turn.isEnd || turn.utterance.isEmpty ? time : lastPartial
            }
        }
    }

    @Test("joined, the ends are all finals of the session", arguments: [TurnBuilder.Format.plain, .formatted])
    func nothingLost(format: TurnBuilder.Format) {
        var ends = 0
        for seed in 0..<UInt64(2000) {
            var random = SplitMix64(seed: seed)
            let script = Self.script(&random)
            let builder = TurnBuilder(
                threshold: Double.random(in: 0...1, using: &random), minSilence: 400, format: format)
            let turns = Self.run(script, builder, &random).turns.filter(\.isEnd)
            let spoken = script.words.map { TurnText.spoken($0.word) }.filter { !$0.isEmpty }
            let expected = format == .plain ? spoken.map { TurnText.plain($0) }.filter { !$0.isEmpty } : spoken
            #expect(turns.map(\.transcript).joined(separator: " ") == expected.joined(separator: " "), "seed \(seed)")
            #expect(turns.flatMap { $0.words.map(\.text) } == expected, "seed \(seed)")
            ends += turns.count
        }
        #expect(ends > 4000)
    }

    @Test("joined, the utterances are all finals too, each word once")
    func utterances() {
        for seed in 0..<UInt64(1000) {
            var random = SplitMix64(seed: seed)
            let script = Self.script(&random)
            let builder = TurnBuilder(
                threshold: Double.random(in: 0...1, using: &random), minSilence: 400, format: .formatted)
            let turns = Self.run(script, builder, &random).turns
            let spoken = script.words.map { TurnText.spoken($0.word) }.filter { !$0.isEmpty }
            let said = turns.map(\.utterance).filter { !$0.isEmpty }
            #expect(said.joined(separator: " ") == spoken.joined(separator: " "), "seed \(seed)")
        }
    }
}

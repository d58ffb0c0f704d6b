import Testing

@Suite("Commit policies")
struct LivePolicyTests {
    private static func words(_ text: String, every samples: Int = 8_000) -> [LiveWord] {
        text.split(separator: " ").enumerated().map { index, word in
            LiveWord(text: " \(word)", start: index * samples, end: (index + 1) * samples)
        }
    }

    @Test("words match regardless of case, Unicode form and punctuation")
    func keys() {
        #expect(LiveWord.key(of: " Hello,") == LiveWord.key(of: "hello"))
        #expect(LiveWord.key(of: " \"caf\u{e9}\"") == LiveWord.key(of: "cafe\u{301}"))
        #expect(LiveWord.key(of: " don't") == "don't")
        #expect(LiveWord.key(of: " …") == " …")
    }

    @Test("words need agreeing passes and distance from the end of the audio")
    func agreement() {
        var policy = LocalAgreement(passes: 2, guardSamples: 8_000)
        #expect(policy.finalCount(of: Self.words("a b c"), head: 24_000) == 0)
        // c ends too late, and d is new.
        #expect(policy.finalCount(of: Self.words("A, b c d"), head: 31_000) == 2)
        #expect(policy.finalCount(of: Array(Self.words("a b c d e").dropFirst(2)), head: 48_000) == 2)
        policy.reset()
        #expect(policy.finalCount(of: Self.words("x"), head: 48_000) == 0)
        var single = LocalAgreement(passes: 1, guardSamples: 0)
        #expect(single.finalCount(of: Self.words("a b"), head: 16_000) == 2)
        var three = LocalAgreement(passes: 3, guardSamples: 0)
        #expect([1, 2, 3].map { _ in three.finalCount(of: Self.words("a"), head: 90_000) } == [0, 0, 1])
    }

    @Test("an improbable word and everything after it wait until patience runs out")
    func confidence() {
        let confidence = ConfidenceThreshold(minimumProbability: 0.8, patienceSamples: 48_000)
        func pass(_ probabilities: [Double]) -> [LiveWord] {
            zip(Self.words("a b c"), probabilities).map { word, probability in
                var word = word
                word.probability = probability
                word.isStable = true
                return word
            }
        }
        var agreement = LocalAgreement(passes: 2, guardSamples: 8_000, confidence: confidence)
        #expect(agreement.finalCount(of: pass([0.9, 0.7, 0.9]), head: 32_000) == 0)
        #expect(agreement.finalCount(of: pass([0.9, 0.9, 0.9]), head: 36_000) == 1)
        #expect(agreement.finalCount(of: Array(pass([0.9, 0.9, 0.9]).dropFirst()), head: 40_000) == 2)
        var old = LocalAgreement(passes: 2, guardSamples: 8_000, confidence: confidence)
        #expect(old.finalCount(of: pass([0.1, 0.1, 0.1]), head: 32_000) == 0)
        // The first two end at least three seconds before the newest audio.
        #expect(old.finalCount(of: pass([0.1, 0.1, 0.1]), head: 64_000) == 2)

        var attention = AlignAtt(confidence: confidence)
        #expect(attention.finalCount(of: pass([0.9, 0.7, 0.9]), head: 32_000) == 1)
        #expect(attention.finalCount(of: pass([0.9, 0.8, 0.9]), head: 32_000) == 3)
        #expect(attention.finalCount(of: pass([0.1, 0.1, 0.9]), head: 56_000) == 1)
        // What the first pass hears waits for a second one, however old it is.
        var late = AlignAtt(confidence: confidence)
        #expect(late.finalCount(of: pass([0.1, 0.1, 0.9]), head: 96_000) == 0)
        #expect(late.holdsBack(pass([0.1])[0], head: 97_000) == false)
        #expect(late.finalCount(of: pass([0.1, 0.1, 0.9]), head: 97_000) == 3)
        var certain = AlignAtt()
        #expect(certain.finalCount(of: pass([0, 0, 0]), head: 24_000) == 3)
    }

    @Test("a repeated word without duration is removed")
    func echoes() {
        var words = Self.words("no no table. table. Table")
        words[3].end = words[3].start + 700
        #expect(WordDeduplication.removingEchoes(words[...]).map(\.text) == [" no", " no", " table.", " Table"])
        words[4].start = words[4].end
        #expect(WordDeduplication.removingEchoes(words[...]).map(\.text) == [" no", " no", " table."])
        #expect(WordDeduplication.removingEchoes([]) == [])
    }

    @Test("an overlap is detected by text and time, the longest match first")
    func overlap() {
        let finals = Self.words("x no no", every: 4_000)
        let again = Self.words("no no yes", every: 4_000).map { word in
            var word = word
            word.start += 4_000
            word.end += 4_000
            return word
        }
        #expect(WordDeduplication.overlap(of: again, with: finals, finalEnd: 12_000) == 2)
        let spoken = again.map { word in
            var word = word
            word.start += 8_000
            word.end += 8_000
            return word
        }
        // Spoken again, after the finals.
        #expect(WordDeduplication.overlap(of: spoken, with: finals, finalEnd: 12_000) == 0)
        #expect(WordDeduplication.overlap(of: [], with: finals, finalEnd: 12_000) == 0)
    }

    @Test("hallucinated text is detected")
    func hallucinations() {
        func verdict(_ words: [LiveWord], change: (inout LivePass) -> Void = { _ in }) -> HallucinationFilter.Verdict {
            var pass = LivePass(words: words)
            change(&pass)
            return HallucinationFilter.verdict(on: pass, isWhole: true, filtersPhrases: true)
        }
        #expect(verdict(Self.words("one two three")) == .accepted)
        #expect(verdict(Self.words("no no no no")) == .accepted)
        #expect(verdict(Self.words("no no no no", every: 1_600)) == .hallucinated)
        #expect(verdict(Self.words("so it is so it is so it is so it is", every: 2_000)) == .hallucinated)
        #expect(verdict(Self.words((0..<16).map { "w\($0)" }.joined(separator: " "), every: 1_900)) == .hallucinated)
        #expect(verdict(Self.words((0..<16).map { "w\($0)" }.joined(separator: " "), every: 2_100)) == .accepted)
        #expect(verdict(Self.words("a")) { $0.compressionRatio = 2.5 } == .hallucinated)
        #expect(verdict(Self.words("a")) { $0.isRepetitive = true } == .hallucinated)
        #expect(
            verdict(Self.words("a")) { pass in
                pass.noSpeechProb = 0.7
                pass.avgLogprob = -1.1
            } == .silence)
        #expect(verdict(Self.words("Thanks for watching!")) { $0.noSpeechProb = 0.4 } == .silence)
        #expect(verdict(Self.words("Thanks for watching!")) == .accepted)
        var improbable = Self.words("a")[0]
        improbable.probability = 0.2
        #expect(HallucinationFilter.isHallucinated(improbable, voiced: [20_000..<30_000]))
        #expect(!HallucinationFilter.isHallucinated(improbable, voiced: [0..<2_000]))
        #expect(!HallucinationFilter.isHallucinated(Self.words("a")[0], voiced: []))
    }
}

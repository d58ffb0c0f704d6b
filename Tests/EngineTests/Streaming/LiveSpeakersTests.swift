import Testing

/// Hears who speaks in planted speech by the level of the tone.
struct PlantedVoices: SpeakerEvidence {
    private static let frames = 589
    let version = SegmentationNetwork.Version.powerset

    private static func speaker(_ samples: ArraySlice<Float>) -> Int? {
        let loudest = samples.reduce(0) { max($0, abs($1)) }
        return loudest < PlantedSpeech.level / 2 ? nil : Int((loudest / PlantedSpeech.level).rounded()) - 1
    }

    func activity(in samples: [Float]) -> LocalActivity.Frames {
        let talking = stride(from: 0, through: samples.count - 160_000, by: 16_000).flatMap { first -> [UInt8] in
            // Local speakers are numbered as they appear.
            var order: [Int] = []
            return (0..<Self.frames).map { frame in
                let center = first + 270 * frame + 495
                guard let speaker = Self.speaker(samples[(center - 135)..<min(samples.count, center + 135)]) else {
                    return 0
                }
                if !order.contains(speaker) { order.append(speaker) }
                return 1 << UInt8((order.firstIndex(of: speaker) ?? 0) % 3)
            }
        }
        return LocalActivity.Frames(talking: talking, expected: talking.map { $0 == 0 ? 0 : 1 })
    }

    /// One direction for each speaker, with some noise.
    func voice(of samples: [Float]) -> [Float] {
        var vector = [Float](repeating: 0, count: KnownVoice.size)
        for start in stride(from: 0, to: samples.count, by: 160) {
            let speaker = Self.speaker(samples[start..<min(samples.count, start + 160)])
            vector[speaker ?? vector.count - 1] += speaker == nil ? 0.3 : 1
        }
        var random = SplitMix64(seed: UInt64(samples.count) &+ UInt64(abs(samples.reduce(0, +)) * 1000))
        let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
        vector = vector.map { $0 / max(1e-9, length) + Float.random(in: -0.04...0.04, using: &random) }
        let noisy = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return vector.map { $0 / noisy }
    }
}

extension LocalActivity.Frames {
    /// One local speaker talking throughout, or silence.
    fileprivate static func constant(people: UInt8, in samples: [Float]) -> Self {
        let count = 589 * ((samples.count - 160_000) / 16_000 + 1)
        return Self(
            talking: Array(repeating: people, count: count), expected: Array(repeating: Float(people), count: count))
    }
}

/// The speakers of live finals, with planted voices.
@Suite("Live speakers")
struct LiveSpeakersTests {
    private static func bench(
        _ decoder: any LiveDecoder, _ policy: StreamingOptions.Policy, naming: SpeakerNaming = SpeakerNaming(),
        maximum: Int? = nil, usesDetector: Bool = true, start: SessionStart = SessionStart(id: SessionID("s"))
    ) -> LiveBench {
        LiveBench(
            decoder, options: .test(policy), usesDetector: usesDetector,
            speakers: LiveSpeakers(
                PlantedVoices(), maximum: maximum, naming: naming, spelling: VocabularyFixture.english,
                start: start.clock), start: start)
    }

    @Test(
        "the rules of live transcripts hold, finals have one speaker each, and volatile text has none",
        arguments: [StreamingOptions.Policy.agree, .align])
    func rules(policy: StreamingOptions.Policy) throws {
        var finals = 0, right = 0, words = 0
        for seed in 0..<UInt64(96) {
            let speech = PlantedSpeech(seed: seed, seconds: 30...90).spoken(by: Int(seed % 4) + 1, seed: seed)
            let samples = speech.samples
            var random = SplitMix64(seed: seed &* 77)
            let runs = try (0..<2).map { run in
                let bench = Self.bench(PlantedDecoder(speech), policy, usesDetector: seed % 3 > 0)
                if run == 0 {
                    try bench.feed(samples)
                } else {
                    try bench.feed(samples[...], random: &random)
                }
                try bench.loop.loop.close()
                return bench
            }
            #expect(runs[0].outputs == runs[1].outputs, "seed \(seed)")
            let run = runs[0]
            #expect(run.text == speech.text && run.violations.isEmpty, "seed \(seed): \(run.violations)")
            for output in run.outputs {
                if case .volatile(let segment?) = output {
                    #expect(segment.speaker == nil && (segment.words ?? []).allSatisfy { $0.speaker == nil })
                }
            }
            let named = run.finals.drop { $0.speaker == nil }
            // A word of less than 0.2 s at the very start is not heard as a voice.
            #expect(run.finals.count - named.count <= 1, "seed \(seed)")
            for final in run.finals {
                #expect((final.words ?? []).allSatisfy { $0.speaker == final.speaker })
                #expect((final.words ?? []).map(\.word).joined() == final.text)
            }
            for final in named {
                #expect(final.speaker != nil)
            }
            // Speakers may be numbered in another order if one was not heard long enough.
            let pairs = zip(run.finals.flatMap { $0.words ?? [] }, speech.words)
            let votes = Dictionary(grouping: pairs, by: \.1.speaker).mapValues { pairs in
                Dictionary(grouping: pairs, by: \.0.speaker).values.map(\.count).max() ?? 0
            }
            right += votes.values.reduce(0, +)
            words += speech.words.count
            finals += run.finals.count
        }
        print("live speakers (\(policy)): \(finals) finals, \(right) of \(words) words right")
        #expect(Double(right) > 0.9 * Double(words))
    }

    @Test("every segment of an utterance that is transcribed as a whole has its speaker")
    func utterances() throws {
        let speech = PlantedSpeech(seed: 5, seconds: 20...25).spoken(by: 1, seed: 5)
        let bench = Self.bench(PlantedDecoder(speech), .utterance)
        try bench.feed(speech.samples)
        try bench.loop.loop.close()
        #expect(!bench.finals.isEmpty && bench.violations.isEmpty)
        #expect(bench.finals.allSatisfy { $0.speaker == "speaker 1" })
    }

    @Test("names are given in the order in which the speakers first talk; numbers continue those of earlier runs")
    func names() throws {
        let speech = PlantedSpeech(seed: 8, seconds: 80...90).spoken(by: 3, seed: 2)
        var start = SessionStart(id: SessionID("s"), nextID: 7)
        start.speakerNumbers = 4
        let bench = Self.bench(
            PlantedDecoder(speech), .align, naming: SpeakerNaming(names: ["Anna"], givenNumbers: start.speakerNumbers),
            start: start)
        try bench.feed(speech.samples)
        try bench.loop.loop.close()
        var seen: [String] = []
        for case let name? in bench.finals.map(\.speaker) where !seen.contains(name) { seen.append(name) }
        #expect(seen == ["Anna", "speaker 6", "speaker 7"])
        #expect(bench.finals.first?.id == 7 && bench.violations.isEmpty)
    }

    @Test("four voices are never more speakers than allowed", arguments: 1...3)
    func fourVoices(count: Int) throws {
        for seed in 0..<UInt64(30) {
            let speech = PlantedSpeech(seed: seed, seconds: 60...90).spoken(by: 4, seed: seed)
            let bench = Self.bench(PlantedDecoder(speech), .align, maximum: count)
            try bench.feed(speech.samples)
            try bench.loop.loop.close()
            #expect((1...count).contains(Set(bench.finals.compactMap(\.speaker)).count), "seed \(seed)")
        }
    }

    @Test("a few windows that sound different do not become a new speaker at a pause")
    func differentWindows() throws {
        /// One voice, whose loud windows have a cosine of 0.35 with the others.
        struct OneVoice: SpeakerEvidence {
            let version = SegmentationNetwork.Version.powerset
            func activity(in samples: [Float]) -> LocalActivity.Frames { .constant(people: 1, in: samples) }
            func voice(of samples: [Float]) -> [Float] {
                let isLoud = samples.reduce(0, +) > 0.9 * Float(samples.count)
                let cosine: Float = isLoud ? 0.35 : 1
                return [cosine, (1 - cosine * cosine).squareRoot()] + Array(repeating: 0, count: KnownVoice.size - 2)
            }
        }
        var diarizer = LiveDiarizer(OneVoice(), start: 0, maximum: nil), heard = Set<Int>(), loud = 0
        for second in 0..<40 {
            // Two seconds in ten.
            let level: Float = second % 10 < 2 && second > 5 ? 1 : 0.5
            loud += level == 1 ? 1 : 0
            diarizer.feed(Array(repeating: level, count: 16_000)[...])
            for turn in try diarizer.turns(around: (second * 16_000)..<((second + 1) * 16_000)) {
                heard.insert(turn.speaker)
            }
            if second % 5 == 4 { try diarizer.settle() }
        }
        #expect(loud == 6 && heard == [0])
    }

    @Test("a known voice is named")
    func known() throws {
        let speech = PlantedSpeech(seed: 8, seconds: 80...90).spoken(by: 3, seed: 2)
        var vector = [Float](repeating: 0, count: KnownVoice.size)
        vector[1] = 1
        let bench = Self.bench(
            PlantedDecoder(speech), .align,
            naming: SpeakerNaming(knownVoices: [KnownVoice(name: "Ben", vector: vector)]))
        try bench.feed(speech.samples)
        try bench.loop.loop.close()
        let names = Set(bench.finals.map(\.speaker))
        #expect(names.count >= 3 && names.contains("Ben") && names.contains("speaker 1"), "\(names)")
    }

    @Test("there are no more speakers than allowed", arguments: [1, 2])
    func maximum(count: Int) throws {
        let speech = PlantedSpeech(seed: 8, seconds: 80...90).spoken(by: 3, seed: 2)
        let bench = Self.bench(PlantedDecoder(speech), .align, maximum: count)
        try bench.feed(speech.samples)
        try bench.loop.loop.close()
        #expect(Set(bench.finals.map(\.speaker)) == Set((1...count).map { "speaker \($0)" }))
    }

    @Test("if the networks never detect a voice, no final has a speaker")
    func silence() throws {
        struct Deaf: SpeakerEvidence {
            let version = SegmentationNetwork.Version.powerset
            func activity(in samples: [Float]) -> LocalActivity.Frames { .constant(people: 0, in: samples) }
            func voice(of samples: [Float]) -> [Float] { [] }
        }
        let speech = PlantedSpeech(seed: 3, seconds: 20...25)
        let bench = LiveBench(
            PlantedDecoder(speech), options: .test(.align),
            speakers: LiveSpeakers(Deaf(), naming: SpeakerNaming(), spelling: VocabularyFixture.english))
        try bench.feed(speech.samples)
        try bench.loop.loop.close()
        #expect(bench.text == speech.text && bench.finals.allSatisfy { $0.speaker == nil })
    }

    @Test("where the networks detect no voice, text is assigned to the last speaker")
    func goesOn() throws {
        /// Does not hear the second speaker.
        struct HardOfHearing: SpeakerEvidence {
            let version = SegmentationNetwork.Version.powerset
            private static func heard(_ samples: [Float]) -> [Float] {
                samples.map { abs($0) > 1.5 * PlantedSpeech.level ? 0 : $0 }
            }
            func activity(in samples: [Float]) -> LocalActivity.Frames {
                PlantedVoices().activity(in: Self.heard(samples))
            }
            func voice(of samples: [Float]) -> [Float] { PlantedVoices().voice(of: Self.heard(samples)) }
        }
        // After half a minute of silence, no window with the first voice contains the second one.
        let words = (0..<20).map { index in
            let start = (index < 10 ? index : index + 30) * 16_000 + 4000
            return PlantedSpeech.Word(text: " w\(index)", start: start, end: start + 8000, speaker: index / 10)
        }
        let speech = PlantedSpeech(words: words, count: 51 * 16_000)
        let bench = LiveBench(
            PlantedDecoder(speech), options: .test(.align), usesDetector: true,
            speakers: LiveSpeakers(HardOfHearing(), naming: SpeakerNaming(), spelling: VocabularyFixture.english))
        try bench.feed(speech.samples)
        try bench.loop.loop.close()
        #expect(bench.text == speech.text && bench.finals.contains { $0.start > 40 })
        #expect(bench.finals.allSatisfy { $0.speaker == "speaker 1" })
    }

    @Test("a failure of the networks ends the session before the final is published")
    func failure() throws {
        struct Broken: SpeakerEvidence {
            struct Failure: Error {}
            let version = SegmentationNetwork.Version.powerset
            func activity(in samples: [Float]) throws -> LocalActivity.Frames { throw Failure() }
            func voice(of samples: [Float]) throws -> [Float] { throw Failure() }
        }
        let speech = PlantedSpeech(seed: 3, seconds: 20...25)
        let bench = LiveBench(
            PlantedDecoder(speech), options: .test(.align),
            speakers: LiveSpeakers(Broken(), naming: SpeakerNaming(), spelling: VocabularyFixture.english))
        #expect(throws: Broken.Failure.self) { try bench.feed(speech.samples) }
        #expect(bench.finals.isEmpty)
        #expect(bench.loop.loop.unrecognized.start == 0)
    }

    @Test(
        "the three voices of a conversation are told apart while they speak",
        .enabled(if: SpeakerFixture.isInstalled, RealSpeech.reason))
    func conversation() async throws {
        let samples = try await SpeakerFixture.conversation(), golden = try SpeakerFixture.Golden("conversation")
        let numbers = try golden.numbers("turns")
        var diarizer = LiveDiarizer(try SpeakerFixture.networks(.auto), start: 160_000, maximum: nil)
        var right = 0.0, all = 0.0, matches: [Int: [Int: Double]] = [:]
        for second in 0..<(samples.count / 16_000) {
            diarizer.feed(samples[(second * 16_000)..<((second + 1) * 16_000)])
            // The second before the last one, as far as offline a single speaker talks.
            guard second > 0 else { continue }
            let start = 160_000 + (second - 1) * 16_000
            let turns = try diarizer.turns(around: start..<(start + 16_000))
            for step in 0..<10 {
                let time = Double(second - 1) + (Double(step) + 0.5) / 10
                let offline = stride(from: 0, to: numbers.count, by: 3)
                    .filter { Double(numbers[$0]) <= time && time < Double(numbers[$0 + 1]) }
                let live = turns.filter { $0.start - 10 <= time && time < $0.end - 10 }
                guard offline.count == 1, live.count == 1 else { continue }
                matches[live[0].speaker, default: [:]][Int(numbers[offline[0] + 2]), default: 0] += 1
                all += 1
            }
            if second % 10 == 9 { try diarizer.settle() }
        }
        for votes in matches.values { right += votes.values.max() ?? 0 }
        print("live speakers, conversation: \(right) of \(all) frames, \(matches)")
        // With the end of a window as the newest audio, and new voices: offline, all are right.
        #expect(all > 300 && right > 0.85 * all)
        #expect(matches.count == 3)
    }
}

import Testing

/// Tests what servers need of a live session: where utterances start and end, and changes while it runs.
@Suite("Utterance events")
struct UtteranceEventTests {
    private static func options(_ policy: StreamingOptions.Policy) -> StreamingOptions {
        var options = StreamingOptions.test(policy)
        options.reportsUtterances = true
        return options
    }

    private static func events(_ outputs: [LiveLoop.Output]) -> [UtteranceEvent] {
        outputs.compactMap { if case .utterance(let event) = $0 { event } else { nil } }
    }

    /// A second of speech, two seconds of silence, and so on.
    private static let separated: PlantedSpeech = {
        let words = (0..<5).map { index in
            PlantedSpeech.Word(text: " w\(index)", start: (3 * index + 1) * 16_000, end: (3 * index + 2) * 16_000)
        }
        return PlantedSpeech(words: words, count: 16 * 16_000)
    }()

    @Test(
        "utterances open and close where the detector says, after their last final, and nothing else changes",
        arguments: StreamingOptions.Policy.allCases)
    func reports(policy: StreamingOptions.Policy) throws {
        for seed in 0..<UInt64(100) {
            let speech = PlantedSpeech(seed: seed, seconds: 5...20)
            let plain = LiveBench(
                PlantedDecoder(speech), options: .test(policy), usesDetector: true,
                start: SessionStart(id: SessionID("s")))
            let reporting = LiveBench(
                PlantedDecoder(speech), options: Self.options(policy), usesDetector: true,
                start: SessionStart(id: SessionID("s")))
            for bench in [plain, reporting] {
                try bench.feed(speech.samples)
                try bench.loop.loop.close()
            }
            #expect(Self.events(plain.outputs).isEmpty)
            #expect(
                plain.outputs
                    == reporting.outputs.filter { if case .utterance = $0 { false } else { true } }, "seed \(seed)")
            // An utterance is closed at the end of the frame in which the detector notices that it is over.
            var detector = EnergyDetector(), opened: [Double] = [], closed: [Double] = []
            func note(_ events: [VoiceActivityEvent], at end: Int) {
                for event in events {
                    switch event {
                    case .opened(let at): opened.append(Double(at) / 16_000)
                    case .closed: closed.append(Double(end) / 16_000)
                    case .voiced: break
                    }
                }
            }
            for start in stride(from: 0, to: speech.count, by: 320) {
                let end = min(start + 320, speech.count)
                note(detector.feed(Array(speech.samples(in: start..<end))), at: end)
            }
            note(detector.finish(), at: speech.count)
            var isOpen = false, isEnding = false
            var starts: [Double] = [], ends: [Double] = []
            for output in reporting.outputs {
                switch output {
                case .utterance(.opened(let start)):
                    #expect(!isOpen, "seed \(seed)")
                    isOpen = true
                    starts.append(start)
                case .utterance(.ending(let end, let isForced)):
                    #expect(isOpen && !isEnding && !isForced, "seed \(seed)")
                    isEnding = true
                    ends.append(end)
                case .utterance(.closed(let end, let isForced, _)):
                    #expect(isOpen && isEnding && !isForced && ends.last == end, "seed \(seed)")
                    (isOpen, isEnding) = (false, false)
                case .finals: #expect(isOpen, "seed \(seed): a final after the end of its utterance")
                case .utterance(.silence), .volatile, .language: break
                }
            }
            #expect(!isOpen && starts == opened && ends == closed, "seed \(seed)")
        }
    }

    @Test("a requested end makes everything final at once, and the session continues")
    func requestedEnds() throws {
        for seed in 0..<UInt64(200) {
            let speech = PlantedSpeech(seed: seed, seconds: 5...15)
            let bench = LiveBench(
                PlantedDecoder(speech), options: Self.options(seed % 2 == 0 ? .agree : .align),
                usesDetector: seed % 3 == 0)
            var random = SplitMix64(seed: seed)
            var fed = 0
            var requests = 0
            for gap in speech.gaps where Int.random(in: 0..<6, using: &random) == 0 {
                try bench.feed(speech.samples[fed..<gap], random: &random)
                fed = gap
                try bench.loop.loop.endUtterance()
                requests += 1
                #expect(bench.text == speech.words.filter { $0.end <= gap }.map(\.text).joined(), "seed \(seed)")
                #expect(bench.state.volatile == nil)
                let closing = UtteranceEvent.closed(at: Double(gap) / 16_000, isForced: true, language: nil)
                #expect(bench.outputs.last == .utterance(closing), "seed \(seed)")
            }
            try bench.feed(speech.samples[fed...], random: &random)
            try bench.loop.loop.close()
            #expect(bench.text == speech.text && bench.violations.isEmpty, "seed \(seed): \(bench.violations)")
            let forced = Self.events(bench.outputs).count {
                if case .closed(_, let isForced, _) = $0 { isForced } else { false }
            }
            #expect(forced == requests)
        }
    }

    @Test("a long silence is reported once, that long after the last word")
    func longSilence() throws {
        let bench = LiveBench(PlantedDecoder(Self.separated), options: Self.options(.agree), usesDetector: true)
        var change = SessionChange()
        change.longSilence = 1.28
        bench.loop.loop.change(change)
        try bench.feed(Self.separated.samples)
        try bench.loop.loop.close()
        let silences = Self.events(bench.outputs).compactMap { if case .silence(let at) = $0 { at } else { nil } }
        let finals = bench.state.finalized
        #expect(finals.count == 5 && silences.count == 5)
        for (silence, final) in zip(silences, finals) {
            // The detector works in frames of 20 ms.
            #expect((1.28...1.3001).contains(silence - final.end), "\(silence) after \(final.end)")
        }
    }

    @Test("the silence that ends an utterance can be changed between two samples")
    func endSilence() throws {
        let bench = LiveBench(PlantedDecoder(Self.separated), options: Self.options(.agree), usesDetector: true)
        let samples = Self.separated.samples
        func closings() -> Int {
            Self.events(bench.outputs).count { if case .closed = $0 { true } else { false } }
        }
        try bench.feed(Array(samples[..<(5 * 16_000 + 4000)]))
        #expect(closings() == 1)
        var change = SessionChange()
        change.endSilence = 3
        bench.loop.loop.change(change)
        // All pauses that follow are shorter than three seconds.
        try bench.feed(Array(samples[(5 * 16_000 + 4000)...]))
        #expect(closings() == 1 && bench.loop.loop.isSpeech)
        try bench.loop.loop.close()
        #expect(bench.text == Self.separated.text && bench.violations.isEmpty)
    }

    @Test("the events of a session come in order between its segments")
    func session() async throws {
        let speech = Self.separated
        let session = try StreamingSession(
            decoder: PlantedDecoder(speech), options: Self.options(.agree), detector: EnergyDetector())
        var change = SessionChange()
        change.longSilence = 1.28
        session.change(change)
        try session.feed(Array(speech.samples[..<(5 * 16_000 + 3200)]))
        session.endUtterance()
        try session.feed(Array(speech.samples[(5 * 16_000 + 3200)...]))
        try await session.stop()
        #expect(session.queuedSamples == 0)
        var order: [String] = []
        for try await update in session.updates {
            switch update {
            case .final(let segment): order.append(segment.text)
            case .event(let event):
                switch event.window {
                case .utterance(.opened): order.append("(")
                case .utterance(.closed(_, let isForced, _)): order.append(isForced ? "!" : ")")
                case .utterance(.ending): order.append("/")
                case .utterance(.silence): order.append("…")
                default: Issue.record("\(event)")
                }
            default: break
            }
        }
        #expect(order.joined() == "(/ w0)…(/ w1!…(/ w2)…(/ w3)…(/ w4)…")
    }

    @Test("ends of utterances and changes without audio between them do not pile up, and the last change counts")
    func repeatedEvents() async throws {
        let speech = Self.separated
        let session = try StreamingSession(
            decoder: PlantedDecoder(speech), options: Self.options(.agree), detector: EnergyDetector())
        try session.feed(Array(speech.samples[..<(5 * 16_000 + 3200)]))
        var change = SessionChange()
        for index in 0..<20_000 {
            session.endUtterance()
            change.longSilence = index < 19_999 ? 0.01 : 1.28
            session.change(change)
            #expect(session.queuedEvents <= 3)
        }
        try session.feed(Array(speech.samples[(5 * 16_000 + 3200)...]))
        try await session.stop()
        var order: [String] = []
        for try await update in session.updates {
            switch update {
            case .final(let segment): order.append(segment.text)
            case .event(let event):
                if case .utterance(.closed(_, isForced: true, _)) = event.window { order.append("!") }
                if case .utterance(.silence) = event.window { order.append("…") }
            default: break
            }
        }
        #expect(order.joined().hasSuffix(" w1!… w2… w3… w4…"))
        #expect(order.count { $0 == "!" } == 1)
    }
}

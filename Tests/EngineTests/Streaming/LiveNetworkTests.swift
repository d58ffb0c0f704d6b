import Foundation
import Testing

/// Runs the real model on the clips, with at least twenty runs for each rule.
@Suite("Live recognition of clips")
struct LiveNetworkTests {
    /// The samples of the shorter speech clips.
    static func clips() async throws -> [(name: String, samples: [Float])] {
        var clips: [(String, [Float])] = []
        for clip in try Clips.all() where clip.name.hasPrefix("say-") && clip.name != "say-19" {
            var samples: [Float] = []
            for try await chunk in try AudioFile.open(clip.path).chunks() { samples += chunk.samples }
            clips.append((clip.name, samples))
        }
        return clips
    }

    static func recognizer(_ type: ComputeType = .float32) async throws -> Recognizer {
        let model = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Models/nano.en.ggml.bin").path(percentEncoded: false)
        return try await Recognizer(model: FilePath(model), options: ComputeOptions(computeType: type, threads: 1))
    }

    /// Runs a session with samples in blocks of random sizes.
    static func run(
        _ samples: [Float], recognizer: Recognizer, options: StreamingOptions, detector: Bool = true, seed: UInt64,
        journal: FlakyJournal? = nil, start: SessionStart = SessionStart(), pauseAt: Int? = nil
    ) async throws -> TranscriptState {
        let session = try StreamingSession(
            recognizer, options: options, detector: detector ? EnergyDetector() : nil, journal: journal, start: start)
        var random = SplitMix64(seed: seed)
        var at = 0
        while at < samples.count {
            let size = [160, 320, 512, 4_096, 50_000].randomElement(using: &random) ?? 320
            var end = min(samples.count, at + size)
            if let pauseAt, at < pauseAt { end = min(end, pauseAt) }
            try session.feed(Array(samples[at..<end]))
            at = end
            if at == pauseAt {
                session.pause()
                try session.feed([Float](repeating: 0.5, count: 10_000))
                session.resume()
            }
        }
        async let first: Void = session.stop()
        async let second: Void = session.stop()
        _ = try await (first, second)
        var state = TranscriptState(firstID: start.nextID, startingAt: Double(start.clock) / 16_000)
        for try await update in session.updates {
            try state.apply(update)
            if case .final(let segment) = update, let journal {
                #expect(journal.rows.contains(segment))
            }
        }
        #expect(state.volatile == nil)
        #expect(session.status.state == .stopped)
        return state
    }

    static func options(_ policy: StreamingOptions.Policy) -> StreamingOptions {
        var options = StreamingOptions()
        options.policy = policy
        options.isDeterministic = true
        return options
    }

    /// What each pass over a growing utterance finds; the last one ends it.
    private static func passes(
        _ recognizer: Recognizer, _ samples: [Float], isOneDecoder: Bool = true,
        _ change: (inout StreamingOptions) -> Void
    ) throws -> [LivePass] {
        var options = options(.align)
        change(&options)
        var decoder = recognizer.model.liveDecoder(options, cancellation: CancellationFlag())
        return try stride(from: 12_000, through: samples.count + 11_999, by: 12_000).map { end in
            if !isOneDecoder { decoder = recognizer.model.liveDecoder(options, cancellation: CancellationFlag()) }
            let end = min(end, samples.count)
            var request = LiveRequest(range: 0..<end, samples: Array(samples[..<end]))
            request.isClosing = end == samples.count
            return try decoder.decode(request)
        }
    }

    @Test("passes that encode all of their audio again are as if each was the first")
    func wholePasses() async throws {
        let recognizer = try await Self.recognizer()
        for (name, samples) in try await Self.clips().prefix(4) {
            let found = try Self.passes(recognizer, samples) { $0.repeatedAudio = 30 }
            let expected = try Self.passes(recognizer, samples, isOneDecoder: false) { $0.repeatedAudio = 30 }
            #expect(found == expected, "\(name)")
            // The last pass is whole, whatever those before have encoded.
            let fast = try Self.passes(recognizer, samples) { $0.repeatedAudio = 0.5 }
            #expect(fast.last == expected.last, "\(name)")
            #expect(fast != expected, "\(name): the network sees the same, whatever is encoded again")
        }
    }

    @Test("a pass whose text fails a check is decoded in a whole window before anything of it is shown")
    func misledPasses() async throws {
        let recognizer = try await Self.recognizer()
        for (name, samples) in try await Self.clips().prefix(4) {
            // Every text fails.
            let found = try Self.passes(recognizer, samples) {
                $0.repeatedAudio = 0.5
                $0.transcription.whisper.compressionRatioThreshold = 0
            }
            let expected = try Self.passes(recognizer, samples) {
                $0.repeatedAudio = 30
                $0.closingContext = .full
            }
            #expect(found == expected, "\(name)")
        }
    }

    @Test("policy utterance gives the same text as transcribing each utterance alone, byte for byte, with words")
    func utterances() async throws {
        let recognizer = try await Self.recognizer()
        var count = 0
        for (index, clip) in try await Self.clips().enumerated() {
            for detects in [true, false] {
                let live = try await Self.run(
                    clip.samples, recognizer: recognizer, options: Self.options(.utterance), detector: detects,
                    seed: UInt64(index))
                var chunks = [0..<clip.samples.count]
                if detects {
                    var detector = EnergyDetector()
                    chunks = []
                    var start = 0
                    for event in detector.feed(clip.samples) + detector.finish() {
                        if case .opened(let at) = event { start = at }
                        if case .closed(let at) = event { chunks.append(start..<at) }
                    }
                }
                var texts: [String] = []
                for chunk in chunks {
                    texts += try await recognizer.transcribe(SampleSource(Array(clip.samples[chunk]))).segments
                        .map(\.text).filter { !$0.isEmpty }
                }
                #expect(live.finalized.map(\.text) == texts, "\(clip.name)")
                for final in live.finalized {
                    let words = try #require(final.words, "\(clip.name)")
                    #expect(words.map(\.word).joined() == final.text)
                    #expect(words.first?.start == final.start && words.last?.end == final.end)
                    #expect(words.map(\.start) == words.map(\.start).sorted())
                    #expect(words.allSatisfy { $0.start <= $0.end })
                }
                count += 1
            }
        }
        #expect(count >= 20)
        print("live rule 8, utterance: \(count) runs equal file mode")
    }

    @Test(
        "finals do not depend on block sizes, and pauses and restarts keep time and ids",
        arguments: [
            StreamingOptions.Policy.agree, .align,
        ])
    func invariance(policy: StreamingOptions.Policy) async throws {
        let recognizer = try await Self.recognizer()
        var count = 0
        for (index, clip) in try await Self.clips().prefix(5).enumerated() {
            let id = SessionID("clip")
            let first = try await Self.run(
                clip.samples, recognizer: recognizer, options: Self.options(policy), seed: 1,
                start: SessionStart(id: id))
            let second = try await Self.run(
                clip.samples, recognizer: recognizer, options: Self.options(policy), seed: UInt64(index) + 2,
                start: SessionStart(id: id))
            #expect(first == second, "\(clip.name)")
            #expect(!first.text.isEmpty, "\(clip.name)")
            // Stop at an arbitrary sample, then resume there.
            let stop = clip.samples.count / 2 + 4_321 * (index % 3)
            let journal = FlakyJournal(seed: 1, isReliable: true)
            let before = try await Self.run(
                Array(clip.samples[..<stop]), recognizer: recognizer, options: Self.options(policy), seed: 3,
                journal: journal, pauseAt: stop / 2)
            #expect(journal.rows == before.finalized && journal.isClosed)
            #expect(journal.events == [.start, .pause, .resume, .stop])
            let after = try await Self.run(
                Array(clip.samples[stop...]), recognizer: recognizer, options: Self.options(policy), seed: 4,
                start: SessionStart(id: id, clock: stop, nextID: before.nextID, context: before.text))
            #expect(after.finalized.allSatisfy { $0.start >= Double(stop) / 16_000 })
            #expect(after.finalized.map(\.id) == Array(before.nextID..<after.nextID))
            count += 4
        }
        #expect(count >= 20)
        print("live rules 1, 3, 4, 6, 7, 8 (\(policy)) with the model: \(count) runs")
    }

    @Test("no pass returns special tokens, even when sampling at a high temperature")
    func specials() async throws {
        let recognizer = try await Self.recognizer()
        let clip = try #require(try await Self.clips().first)
        var texts = 0
        for seed in 0..<UInt64(60) {
            var options = Self.options(.align)
            options.transcription.whisper.decoding.seed = seed
            // Half of the runs also turn off the usual suppression.
            options.transcription.whisper.decoding.suppressTokens = seed % 2 == 0 ? [-1] : nil
            let decoder = recognizer.model.liveDecoder(options, cancellation: CancellationFlag())
            let count = 8_000 + 1_000 * Int(seed)
            var request = LiveRequest(range: 0..<count, samples: Array(clip.samples.prefix(count)))
            request.temperature = 1
            let words = try decoder.decode(request).words
            for word in words {
                #expect(!word.text.contains("<|"), "seed \(seed): \(word.text)")
                #expect(word.tokens.allSatisfy { recognizer.model.spelling.textBytes(of: $0) != nil })
            }
            texts += words.isEmpty ? 0 : 1
        }
        #expect(texts >= 40)
    }

    /// A request for a pass over an open utterance, as the loop makes it.
    private static func request(_ samples: [Float]) throws -> LiveRequest {
        let decoder = PlantedDecoder(PlantedSpeech(words: [], count: samples.count))
        var requests: [LiveRequest] = []
        decoder.onPass = { if let request = $0 { requests.append(request) } }
        var options = options(.align)
        options.step = 0.5
        var loop = LiveLoop(options: options, detector: nil, decoder: decoder, emit: { _ in })
        try loop.feed(samples)
        var request = try #require(requests.last)
        (request.range, request.samples) = (0..<samples.count, samples)
        return request
    }

    private static func decoder(
        _ recognizer: Recognizer, change: (inout StreamingOptions) -> Void = { _ in }
    ) -> any LiveDecoder {
        var options = options(.align)
        change(&options)
        return recognizer.model.liveDecoder(options, cancellation: CancellationFlag())
    }

    @Test("a pass over audio that is already encoded gives the same, and other audio is encoded again")
    func encodedAudio() async throws {
        let recognizer = try await Self.recognizer()
        let clips = try await Self.clips().prefix(2).map { try Self.request($0.samples) }
        let truth = try clips.map { try Self.decoder(recognizer).decode($0) }
        #expect(truth[0] != truth[1])
        let decoder = Self.decoder(recognizer)
        for index in [0, 0, 1, 0] { #expect(try decoder.decode(clips[index]) == truth[index]) }
        _ = try decoder.transcribe(clips[1].samples)
        #expect(try decoder.decode(clips[0]) == truth[0])
        var closing = clips[0]
        closing.isClosing = true
        let closed = try Self.decoder(recognizer).decode(closing)
        #expect(try decoder.decode(closing) == closed)
        #expect(try decoder.decode(clips[0]) == truth[0])
    }

    @Test("beam search gives the words the times and the stability that they have in a pass without it")
    func beams() async throws {
        let recognizer = try await Self.recognizer()
        let decoder = Self.decoder(recognizer)
        var equal = 0, better = 0
        for clip in try await Self.clips() {
            for count in stride(from: 32_000, through: min(clip.samples.count, 96_000), by: 16_000) {
                var request = try Self.request(Array(clip.samples.prefix(count)))
                let greedy = try decoder.decode(request)
                request.beams = 5
                let pass = try decoder.decode(request)
                if greedy.words.map(\.text) == pass.words.map(\.text), !greedy.isEndless {
                    for (word, other) in zip(pass.words, greedy.words) {
                        #expect(word.isStable == other.isStable && abs(word.probability - other.probability) < 1e-3)
                        #expect(abs(word.start - other.start) <= 320 && abs(word.end - other.end) <= 320)
                    }
                    equal += 1
                } else if pass.avgLogprob > greedy.avgLogprob {
                    better += 1
                }
                #expect(pass.words.map(\.start) == pass.words.map(\.start).sorted())
                #expect(pass.words.allSatisfy { $0.start <= $0.end && $0.end <= count })
            }
        }
        #expect(equal > 10 && better > 0)
    }

    @Test("a text that goes on past the audio ends the pass, which keeps the stable words")
    func endless() async throws {
        let recognizer = try await Self.recognizer()
        let decoder = Self.decoder(recognizer)
        let endOfText = try #require((recognizer.model as? WhisperModel)?.tokenizer.special.endOfText)
        let unending = Self.decoder(recognizer) {
            $0.transcription.whisper.decoding.suppressTokens = [-1, endOfText]
        }
        var endless = 0, stable = 0
        for clip in try await Self.clips() {
            var request = try Self.request(Array(clip.samples.prefix(48_000)))
            let truth = try decoder.decode(request).words.filter(\.isStable).map(\.text)
            let pass = try unending.decode(request)
            endless += pass.isEndless ? 1 : 0
            guard pass.isEndless else { continue }
            let words = pass.words.filter(\.isStable).map(\.text)
            #expect(words.starts(with: truth), "\(clip.name)")
            #expect(pass.words.allSatisfy { $0.isStable || $0.end > $0.start })
            #expect(pass.words.filter { !$0.isStable }.reduce(0) { $0 + $1.tokens.count } <= 17)
            #expect(pass.avgLogprob > -10 && !pass.isRepetitive)
            stable += truth.count
            // The pass that ends an utterance may use all of its audio.
            request.isClosing = true
            #expect(try !unending.decode(request).isEndless)
        }
        #expect(endless > 5 && stable > 10)
    }

    @Test("a cancelled session keeps its finals and drops volatile text")
    func cancel() async throws {
        let recognizer = try await Self.recognizer()
        let clip = try #require(try await Self.clips().first)
        let journal = FlakyJournal(seed: 0, isReliable: true)
        let session = try StreamingSession(recognizer, options: Self.options(.agree), detector: nil, journal: journal)
        try session.feed(clip.samples)
        let limit = ContinuousClock.now + .seconds(60)
        while journal.rows.isEmpty, ContinuousClock.now < limit { try await Task.sleep(for: .milliseconds(5)) }
        await session.cancel()
        var state = TranscriptState()
        for try await update in session.updates { try state.apply(update) }
        #expect(state.volatile == nil && session.status.state == .stopped)
        #expect(!state.finalized.isEmpty && state.finalized == journal.rows)
        let clock = session.status.clock
        try session.feed(clip.samples)
        try await session.stop()
        #expect(session.status.clock == clock)
    }
}

import TestSupport
import Testing

/// Uses random ids instead of a network: whatever a model generates, the loop ends and its segments are in order.
@Suite("Seek loop over random ids")
struct SeekLoopPropertyTests {
    /// How well-formed the ids are.
    enum Flavour: String, CaseIterable {
        /// Timestamps are in pairs and never go backwards, as the timestamp rules guarantee.
        case orderly
        /// Text and arbitrary timestamps.
        case disorderly
        /// Only text.
        case withoutTimes
    }

    private struct Dice {
        private var state: UInt64

        init(_ seed: Int) { state = PlantedNumbers.state(seed, [1]) }

        mutating func unit() -> Double {
            state = PlantedNumbers.mix(state)
            return PlantedNumbers.unit(state)
        }

        mutating func below(_ limit: Int) -> Int { Int(unit() * Double(limit)) }
    }

    private static let tokenizer = VocabularyFixture.english

    private static func tokens(_ flavour: Flavour, _ dice: inout Dice) -> [Int] {
        let special = tokenizer.special
        let count = dice.below(4) == 0 ? dice.below(4) : dice.below(40)
        if flavour != .orderly {
            return (0..<count).map { _ in
                flavour == .disorderly && dice.below(3) == 0
                    ? special.firstTimestamp + (dice.below(3) == 0 ? 0 : dice.below(1501))
                    : dice.below(special.endOfText)
            }
        }
        var time = dice.below(50)
        var tokens = [special.firstTimestamp + time]
        for _ in 0..<(1 + dice.below(5)) {
            tokens += (0..<(1 + dice.below(6))).map { _ in dice.below(special.endOfText) }
            if dice.below(8) == 0 { return tokens }
            time = min(1500, time + 1 + dice.below(400))
            tokens.append(special.firstTimestamp + time)
            if time == 1500 || dice.below(6) == 0 { return tokens }
            tokens.append(special.firstTimestamp + time)
        }
        return tokens
    }

    /// Words of one to three ids whose times never go backwards but sometimes exceed the window.
    private static func words(_ textTokens: [Int], frames: Int, _ dice: inout Dice) -> [WordTiming] {
        var rest = textTokens[...]
        var at = 0.0
        var words: [WordTiming] = []
        while !rest.isEmpty {
            let tokens = Array(rest.prefix(1 + dice.below(3)))
            rest = rest.dropFirst(tokens.count)
            let step = Double(frames / 2) / Double(textTokens.count) / 50
            let end = at + (dice.below(3) == 0 ? 0 : (dice.unit() * 3 * step * 50).rounded() / 50)
            let text = dice.below(5) == 0 ? "." : tokenizer.decode(tokens)
            words.append(WordTiming(word: text, tokens: tokens, start: at, end: end, probability: dice.unit()))
            at = end
        }
        return words
    }

    private static func options(_ dice: inout Dice) -> TranscriptionOptions {
        var options = TranscriptionOptions.reference
        options.wordTimestamps = dice.below(2) == 0
        options.whisper.conditionOnPreviousText = dice.below(2) == 0
        options.tokenLogprobs = options.whisper.conditionOnPreviousText
        if dice.below(3) == 0 { options.whisper.hallucinationSilenceThreshold = dice.unit() * 3 - 0.5 }
        if dice.below(3) == 0 { options.whisper.initialPrompt = "Names: Ada" }
        options.whisper.carryInitialPrompt = dice.below(2) == 0
        if dice.below(3) == 0 { options.whisper.temperatures = [0.7] }
        return options
    }

    @Test("the loop ends with segments in order", arguments: Flavour.allCases)
    func order(_ flavour: Flavour) throws {
        for seed in 0..<400 {
            var dice = Dice(seed)
            let options = Self.options(&dice)
            let frames = 1 + dice.below(9000)
            let decoder = ScriptedWindowDecoder { _, call in
                .scripted(
                    Self.tokens(flavour, &dice), temperature: call.options.temperature, avgLogprob: -dice.unit() * 2,
                    noSpeechProb: dice.unit(), compressionRatio: dice.unit() * 3)
            } align: { _, asked in
                Self.words(asked.textTokens, frames: asked.window.frames, &dice)
            }
            var loop = SeekLoop(
                options: options, contentFrames: frames, tokenizer: Self.tokenizer, language: "en", decoder: decoder)
            var segments: [TranscriptSegment] = []
            var position = -1
            // Each window advances the loop by at least one frame.
            for _ in 0...frames {
                try #require(loop.position > position, "\(flavour) \(seed)")
                position = loop.position
                guard let found = try loop.next() else { break }
                segments += found
            }
            #expect(try loop.next() == nil, "\(flavour) \(seed)")
            #expect(segments.map(\.id) == Array(segments.indices), "\(flavour) \(seed)")
            #expect(segments.allSatisfy { $0.start <= $0.end }, "\(flavour) \(seed)")
            // A first word is moved back by at most two medians of 0.7 s.
            let reach = options.wordTimestamps ? 1.41 : 0
            #expect(segments.allSatisfy { $0.start >= max(0, Double($0.seek!) / 100 - reach) }, "\(flavour) \(seed)")
            if flavour == .orderly, !options.wordTimestamps {
                let neighbors = zip(segments, segments.dropFirst()).filter { $0.seek == $1.seek }
                #expect(neighbors.allSatisfy { $0.end <= $1.start }, "\(seed)")
            }
            for segment in segments {
                #expect(options.wordTimestamps ? segment.words != nil : segment.words ?? [] == [])
                #expect((segment.words ?? []).allSatisfy { $0.start <= $0.end }, "\(flavour) \(seed)")
                #expect(segment.tokenLogprobs?.count == (options.tokenLogprobs ? segment.tokens.count : nil))
            }
        }
    }

    @Test("with guards the loop ends, too, with all times inside the recording", arguments: Flavour.allCases)
    func guarded(_ flavour: Flavour) throws {
        for seed in 0..<400 {
            var dice = Dice(seed)
            var options = Self.options(&dice)
            options.whisper.decoding.withoutTimestamps = flavour == .withoutTimes
            let frames = 1 + dice.below(9000)
            var speech = SpeechIntervals()
            for start in stride(from: 0, to: frames * 160, by: 1 + dice.below(400_000)) {
                speech.add([.opened(at: start), .closed(at: start + dice.below(300_000))])
            }
            let decoder = ScriptedWindowDecoder { _, call in
                .scripted(
                    Self.tokens(flavour, &dice), temperature: call.options.temperature, avgLogprob: -dice.unit() * 2,
                    noSpeechProb: dice.unit(), compressionRatio: dice.unit() * 3)
            } align: { _, asked in
                Self.words(asked.textTokens, frames: asked.window.frames, &dice)
            }
            var loop = SeekLoop(
                options: options, contentFrames: frames, tokenizer: Self.tokenizer, language: "en", decoder: decoder,
                guards: Guards(speech: speech, options: options))
            var segments: [TranscriptSegment] = []
            var position = -1
            while let found = try loop.next() {
                try #require(loop.position > position, "\(flavour) \(seed)")
                position = loop.position
                segments += found
            }
            let end = Double(frames) / 100
            #expect(segments.map(\.id) == Array(segments.indices), "\(flavour) \(seed)")
            #expect(segments.allSatisfy { 0 <= $0.start && $0.start <= $0.end && $0.end <= end }, "\(flavour) \(seed)")
            let words = segments.flatMap { $0.words ?? [] }
            #expect(
                words.allSatisfy { 0 <= $0.start && $0.start <= $0.end && $0.end <= end }, "\(flavour) \(seed)")
        }
    }

    @Test("arbitrary word times do not trap", arguments: [Double.nan, .infinity, -.infinity, -1e300, 1e300, -3, 0])
    func hostileTimes(time: Double) throws {
        for threshold in [nil, 0, 2] as [Double?] {
            var options = TranscriptionOptions.reference
            options.wordTimestamps = true
            options.whisper.hallucinationSilenceThreshold = threshold
            let decoder = ScriptedWindowDecoder { _, _ in
                .scripted([100, 200, 300])
            } align: { _, asked in
                asked.textTokens.map { WordTiming(word: " a", tokens: [$0], start: time, end: time, probability: .nan) }
            }
            var loop = SeekLoop(
                options: options, contentFrames: 9000, tokenizer: Self.tokenizer, language: "en", decoder: decoder)
            while decoder.calls.count < 100, try loop.next() != nil {}
            // Hallucinated words are skipped in steps of at least a second.
            #expect(decoder.calls.count <= 90)
        }
    }
}

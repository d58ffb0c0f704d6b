import Testing

@Suite("Audio carried over between utterances")
struct CarriedAudioTests {
    /// Speech at known times.
    private struct ScriptedDetector: VoiceActivityDetector {
        let utterances: [Range<Int>]
        /// Silence within the utterances.
        var silence: [Range<Int>] = []
        private var position = 0
        private(set) var isSpeech = false

        init(_ utterances: [Range<Int>]) { self.utterances = utterances }

        mutating func feed(_ samples: [Float]) -> [VoiceActivityEvent] {
            let block = position..<(position + samples.count)
            position = block.upperBound
            var events: [VoiceActivityEvent] = []
            for utterance in utterances {
                if block.contains(utterance.lowerBound) { events.append(.opened(at: utterance.lowerBound)) }
                let voiced = utterance.clamped(to: block)
                if !voiced.isEmpty, !silence.contains(where: { $0.overlaps(voiced) }) { events.append(.voiced(voiced)) }
                if block.contains(utterance.upperBound) { events.append(.closed(at: utterance.upperBound)) }
            }
            isSpeech = utterances.contains { $0.contains(position) }
            return events
        }

        mutating func finish() -> [VoiceActivityEvent] { isSpeech ? [.closed(at: position)] : [] }
        mutating func reset() {}
        mutating func setEndSilence(_ samples: Int) {}
        mutating func setThreshold(_ probability: Float) {}
    }

    /// Knows a word for each second of the utterances: `w0`, `w1`, …
    private final class Decoder: LiveDecoder {
        var spoken: [Range<Int>] = []
        private(set) var requests: [LiveRequest] = []
        /// Whether a window that starts with final words counts as fully transcribed.
        var stopsAfterForced = false
        /// The number of words after which a pass ends.
        var maxWords = Int.max
        /// The second whose word ends every pass that does not have to find text after it.
        var lastOfSentence: Int?
        /// The second whose word is improbable unless it is searched with beams.
        var doubtful: Int?
        /// Whether the beams lose the end of the text.
        var beamsEndEarly = false

        func decode(_ request: LiveRequest) -> LivePass {
            requests.append(request)
            if stopsAfterForced, !request.forced.isEmpty { return LivePass(words: []) }
            let start = request.forced.last?.end ?? request.range.lowerBound
            let seconds = ((start + 15_999) / 16_000..<request.range.upperBound / 16_000).filter { second in
                spoken.contains { $0.contains(second * 16_000) }
            }
            var words = seconds.map { second in
                LiveWord(
                    text: " w\(second)", tokens: [second], start: second * 16_000, end: second * 16_000 + 15_000,
                    isStable: (second + 1) * 16_000 <= request.range.upperBound - 8_000)
            }
            if let lastOfSentence, let index = words.firstIndex(where: { $0.tokens == [lastOfSentence] }) {
                words.removeSubrange((index + 1)...)
                words[index].isStable = false
            }
            if let index = words.firstIndex(where: { $0.tokens == [doubtful] }), request.beams == 1 {
                words[index].text = " doubtful"
                words[index].probability = 0.4
            }
            if request.beams > 1, beamsEndEarly { words = [] }
            return LivePass(words: Array(words.prefix(maxWords)))
        }

        func transcribe(_ samples: [Float]) -> [TranscriptSegment] { [] }
    }

    private static let second = AudioChunk.sampleRate

    /// Plays utterances and returns the text of the finals; `seconds` are those of the utterances.
    ///
    /// - Parameter isDetected: whether a detector knows them; otherwise their words differ from silence by their level.
    private static func text(
        _ seconds: [Range<Double>], silence: [Range<Double>] = [], isDetected: Bool = true, _ decoder: Decoder,
        change: (inout StreamingOptions) -> Void = { _ in }
    ) throws -> String {
        var options = StreamingOptions.test(.align)
        change(&options)
        func samples(_ range: Range<Double>) -> Range<Int> {
            Int(range.lowerBound * 16_000)..<Int(range.upperBound * 16_000)
        }
        let utterances = seconds.map(samples)
        decoder.spoken = utterances
        var detector = ScriptedDetector(utterances)
        detector.silence = silence.map(samples)
        var text = ""
        var loop = LiveLoop(
            options: options, detector: isDetected ? detector : nil, decoder: decoder,
            emit: { output in
                guard case .finals(let finals) = output else { return }
                text += finals.map(\.text).joined()
            })
        for frame in 0..<((utterances.last?.upperBound ?? 0) / 320 + 50) {
            let position = frame * 320
            let isWord = position % 16_000 < 14_400 && utterances.contains { $0.contains(position) }
            try loop.feed((0..<320).map { isWord ? ($0 % 2 == 0 ? 0.1 : -0.1) : 0 })
        }
        try loop.close()
        return text
    }

    @Test("a window starts with the last words before a short pause")
    func carried() throws {
        let decoder = Decoder()
        #expect(try Self.text([0..<3, 4..<7], decoder) == " w0 w1 w2 w4 w5 w6")
        let first = try #require(decoder.requests.first { $0.range.upperBound > 4 * Self.second })
        #expect(first.range.lowerBound == 0 && first.forced.map(\.text) == [" w0", " w1", " w2"])
        #expect(first.samples.count == first.range.count)
    }

    @Test("no more is carried over than the limit, and nothing over a long pause")
    func limits() throws {
        let long = Decoder()
        let text = try Self.text([0..<9, 10..<12], long) { $0.carriedAudio = 5 }
        #expect(text == " w0 w1 w2 w3 w4 w5 w6 w7 w8 w10 w11")
        let request = try #require(long.requests.first { $0.range.upperBound > 10 * Self.second })
        #expect(request.range.lowerBound >= 5 * Self.second && request.forced.first?.text == " w6")

        let apart = Decoder()
        #expect(try Self.text([0..<3, 6..<9], apart) == " w0 w1 w2 w6 w7 w8")
        #expect(
            apart.requests.allSatisfy {
                $0.range.upperBound < 6 * Self.second || $0.range.lowerBound >= 6 * Self.second
            })

        let off = Decoder()
        #expect(try Self.text([0..<3, 4..<7], off) { $0.carriedAudio = 0 } == " w0 w1 w2 w4 w5 w6")
        #expect(
            off.requests.allSatisfy { $0.range.upperBound < 4 * Self.second || $0.range.lowerBound >= 4 * Self.second })

        let languages = Decoder()
        let mixed = try Self.text([0..<3, 4..<7], languages) { $0.transcription.multilingual = true }
        #expect(mixed == " w0 w1 w2 w4 w5 w6")
        #expect(languages.requests.last?.range.lowerBound == 4 * Self.second)
    }

    @Test("nothing is lost if the network takes a window for transcribed after the words carried over")
    func stops() throws {
        let decoder = Decoder()
        decoder.stopsAfterForced = true
        #expect(try Self.text([0..<3, 4..<7], decoder) { $0.step = 2 } == " w0 w1 w2 w4 w5 w6")
    }

    @Test("nothing is lost if the text of an utterance ends before its voice")
    func endsEarly() throws {
        let decoder = Decoder()
        decoder.maxWords = 2
        #expect(
            try Self.text([0..<8], decoder) {
                $0.minimumAudio = 2; $0.step = 2
            } == " w0 w1 w2 w3 w4 w5 w6 w7")
    }

    @Test("a text that ends before its voice is continued in the same window")
    func continues() throws {
        let decoder = Decoder()
        decoder.lastOfSentence = 4
        #expect(try Self.text([0..<9], decoder) == " w0 w1 w2 w3 w4 w5 w6 w7 w8")
        let continued = decoder.requests.filter { $0.forced.last?.text == " w4" }
        let first = try #require(continued.first)
        // The words of the pass are forced before they are final.
        #expect(first.expectsText && first.draft.isEmpty && first.range.lowerBound == 0)
        #expect(first.range.upperBound - 5 * Self.second <= 2 * Self.second)
        #expect(decoder.requests.allSatisfy { $0.range.lowerBound == 0 })
        // No pass has to find text unless 1.2 s of voice follow the forced words.
        for request in decoder.requests where request.expectsText {
            let end = request.forced.last?.end ?? 0
            #expect(Double(request.range.upperBound - end) >= 1.2 * 16_000)
        }

        let waiting = Decoder()
        waiting.lastOfSentence = 4
        _ = try Self.text([0..<9], waiting) { $0.voiceBeforeText = .infinity }
        #expect(waiting.requests.contains { $0.range.lowerBound > 4 * Self.second })
    }

    @Test("without a detector, text that ends before its voice is continued, too")
    func continuesWithoutDetector() throws {
        let decoder = Decoder()
        decoder.lastOfSentence = 4
        #expect(try Self.text([0..<9], isDetected: false, decoder) == " w0 w1 w2 w3 w4 w5 w6 w7 w8")
        #expect(decoder.requests.contains { $0.forced.last?.text == " w4" && $0.expectsText })
    }

    @Test("an improbable word that can wait no longer is decoded again with beam search")
    func beams() throws {
        let decoder = Decoder()
        decoder.doubtful = 3
        #expect(try Self.text([0..<8], decoder) == " w0 w1 w2 w3 w4 w5 w6 w7")
        let searches = decoder.requests.filter { $0.beams > 1 }
        let patience = StreamingOptions().patience * 16_000
        #expect(searches.count == 1)
        for search in searches {
            #expect(search.beams == StreamingOptions().doubtfulBeams && search.draft.isEmpty)
            #expect(Double(search.range.upperBound - 3 * Self.second - 15_000) >= patience)
        }

        // The last word of an utterance cannot wait.
        let last = Decoder()
        last.doubtful = 3
        #expect(try Self.text([0..<4], last) == " w0 w1 w2 w3")
        #expect(last.requests.filter { $0.beams > 1 }.map(\.isClosing) == [true])

        #expect(try Self.text([0..<4], last) { $0.doubtfulBeams = 1 } == " w0 w1 w2 doubtful")
        // Nothing is lost by it.
        last.beamsEndEarly = true
        #expect(try Self.text([0..<4], last) == " w0 w1 w2 doubtful")
    }

    @Test("no pass runs before 0.3 s of voice follow the final words")
    func silence() throws {
        for (minimum, isEarly) in [(0.3, false), (0, true)] {
            let decoder = Decoder()
            #expect(
                try Self.text([0..<3, 4..<7], silence: [4..<4.5], decoder) {
                    ($0.step, $0.minimumVoice) = (0.25, minimum)
                } == " w0 w1 w2 w4 w5 w6")
            let passes = decoder.requests.filter { $0.range.upperBound > 4 * Self.second }
            #expect(passes.contains { Double($0.range.upperBound) < 4.8 * 16_000 } == isEarly)
        }
    }

    @Test("a window that slides keeps as much final audio as is carried over to a new utterance")
    func slides() throws {
        for kept in [0.0, 5, 8] {
            let decoder = Decoder()
            let text = (0..<60).map { " w\($0)" }.joined()
            #expect(try Self.text([0..<60], decoder) { $0.carriedAudio = kept } == text)
            let slid = decoder.requests.filter { $0.range.lowerBound > 0 }
            #expect(slid.count > 40)
            let shortest = slid.map { ($0.forced.last?.end ?? 0) - $0.range.lowerBound }.min() ?? 0
            // Three words are kept anyway, and words last a second.
            #expect(shortest >= Int(max(kept - 1, 2.5) * 16_000) && shortest <= Int(max(kept + 1, 3.5) * 16_000))
        }
    }

    @Test("no pass runs when a silence has just begun; in a long one they continue")
    func quiet() throws {
        let decoder = Decoder()
        #expect(
            try Self.text([0..<10], silence: [3..<5, 7..<9.98], decoder) { $0.step = 0.25 }
                == " w0 w1 w2 w3 w4 w5 w6 w7 w8 w9")
        let ends = decoder.requests.map { Double($0.range.upperBound) / 16_000 }
        for silence in [3.0, 7] {
            #expect(!ends.contains { $0 > silence + 0.25 && $0 < silence + 0.5 })
            #expect(ends.contains { $0 > silence && $0 <= silence + 0.25 })
            #expect(ends.contains { $0 >= silence + 0.5 && $0 <= silence + 0.75 })
        }
    }

    @Test("with 1.2 s of voice after the final words, or a second in a new utterance, a pass may not end without text")
    func expectsText() throws {
        let decoder = Decoder()
        decoder.stopsAfterForced = true
        _ = try Self.text([0..<3, 4..<7], decoder)
        var expecting = 0
        for request in decoder.requests where !request.forced.isEmpty {
            let end = request.forced.last?.end ?? 0, head = request.range.upperBound
            let fresh = head > 4 * Self.second ? 4 * Self.second : 0
            let voice = decoder.spoken.reduce(0) { $0 + $1.clamped(to: max(end, fresh)..<head).count }
            #expect(request.expectsText == (Double(voice) / 16_000 >= (end > fresh ? 1.2 : 1)))
            expecting += request.expectsText ? 1 : 0
        }
        #expect(expecting > 0)
        #expect(decoder.requests.contains { !$0.forced.isEmpty && !$0.expectsText })
        #expect(decoder.requests.allSatisfy { !$0.forced.isEmpty || !$0.expectsText })
    }
}

import Foundation
import TestSupport
import Testing

/// Texts that cannot have been spoken.
extension GuardsTests {
    /// A window with nothing but a word so many times.
    private static func loop(_ word: String, _ times: Int, _ end: Double) -> DecodingResult {
        var result = DecodingResult.scripted(
            ids(0, Array(repeating: word, count: times).joined(), end), compressionRatio: 9)
        result.logprobs = result.tokens.map { _ in -0.3 }
        return result
    }

    @Test("a loop at every temperature is cut before its repetition", arguments: [" otherwise", " press one now,"])
    func hopelessLoop(word: String) throws {
        for (seconds, withoutTimestamps) in [(0.54, false), (0.54, true), (8, false), (8, true), (30, false)] {
            var options = TranscriptionOptions.reference
            options.whisper.decoding.withoutTimestamps = withoutTimestamps
            let decoder = ScriptedWindowDecoder { _, call in
                var result = Self.loop(word, 60, min(0.5, call.window.duration))
                result.temperature = call.options.temperature
                if withoutTimestamps { result.tokens.removeAll { $0 >= Self.time } }
                return result
            }
            let run = try Self.run(options, seconds: seconds, speech: [0..<seconds], decoder)
            // What is left of a window is decoded again from another start, where the loop may be heard again.
            #expect(run.segments.allSatisfy { $0.text == word }, "\(run.segments.map(\.text))")
            #expect(zip(run.segments, run.segments.dropFirst()).allSatisfy { $0.end <= $1.start })
            let kept = word.trimmingCharacters(in: .whitespaces)
            #expect(run.measures.contains(.repetitionCut(start: 0, text: kept)))
            #expect(decoder.calls.count < 100)
            let free = try Self.run(options, seconds: seconds, speech: nil, decoder)
            #expect(free.segments.contains { $0.text.count > 100 })
        }
    }

    @Test("what nobody can say in the time is not written, even if it does not repeat itself")
    func tooFast() throws {
        let words = (0..<60).map { " word\($0)" }.joined()
        let decoder = ScriptedWindowDecoder { _, _ in .scripted(Self.ids(0, words, 0.5)) }
        #expect(try Self.run(seconds: 0.54, speech: [0..<0.54], decoder).segments.isEmpty)
    }

    @Test("a window that loops is decoded again up to the sentence before the loop, or shortened, and nothing is lost")
    func shortened() throws {
        let sentences = [
            " One moment please.", " Please hold the line.", " Say your name now.", " Then press the pound key.",
            " Enter the number again.", " You have two messages.",
        ]
        // Each sentence takes five seconds; windows of more than 12 s loop after their first or before any sentence.
        for first in [0, 1] {
            let decoder = ScriptedWindowDecoder { _, call in
                let start = (call.window.seek + 499) / 500, end = (call.window.seek + call.window.frames) / 500
                let isLoop = call.window.frames > 1200 && start < 3
                var tokens: [Int] = []
                for index in start..<(isLoop ? min(end, start + first) : end) {
                    let at = Double(index * 500 - call.window.seek) / 100
                    tokens += Self.ids(at, sentences[index], at + 5)
                }
                if !isLoop { return .scripted(tokens + tokens.suffix(1)) }
                let at = Double((start + first) * 500 - call.window.seek) / 100
                return .scripted(
                    tokens + Self.ids(at, Array(repeating: " the", count: 99).joined(), at + 1), compressionRatio: 7)
            }
            let run = try Self.run(seconds: 30, speech: [0..<30], decoder)
            #expect(run.segments.map(\.text) == sentences, "\(run.events)")
            #expect(run.measures.contains { if case .windowShortened = $0 { true } else { false } })
        }
    }

    @Test(
        "what is spoken between a text that is cut before its repetition and the next window is decoded once",
        arguments: [true, false])
    func rest(hasGoodBeginning: Bool) throws {
        let sentences = (0..<12).map { " This is sentence number \($0)." }
        // Each sentence takes 2.5 s; a window from 0 loops after its first one, however long it is.
        let decoder = ScriptedWindowDecoder { _, call in
            let first = (call.window.seek + 150) / 250, end = (call.window.seek + call.window.frames) / 250
            var tokens: [Int] = []
            for index in first..<(call.window.seek == 0 ? 1 : max(first, end)) {
                let at = Double(index * 250 - call.window.seek) / 100
                tokens += Self.ids(max(0, at), sentences[index], at + 2.5)
            }
            if call.window.seek > 0 { return .scripted(tokens + tokens.suffix(1)) }
            let loop = Array(repeating: " the", count: 99).joined()
            var result = DecodingResult.scripted(tokens + Self.ids(2.5, loop, 3.5), compressionRatio: 7)
            result.logprobs = result.tokens.map { _ in hasGoodBeginning ? -0.3 : -2 }
            return result
        }
        let run = try Self.run(seconds: 30, speech: [0..<30], decoder)
        let texts = run.segments.map(\.text).filter { $0 != " the" }
        // If nothing can be kept, the window begins elsewhere, halfway to the next one.
        #expect(texts == (hasGoodBeginning ? sentences : Array(sentences[2...])), "\(run.events)")
        // The model's times are 20 ms apart.
        #expect(zip(run.segments, run.segments.dropFirst()).allSatisfy { $0.end <= $1.start + 0.02 })
    }

    @Test("a loop that the prompt causes is decoded again without the prompt")
    func promptedLoop() throws {
        let decoder = ScriptedWindowDecoder { index, call in
            index > 0 && !call.options.prompt.isEmpty
                ? Self.loop(" the", 99, 29) : .scripted(Self.ids(0, " Words of window \(call.window.seek).", 30))
        }
        let run = try Self.run(seconds: 60, speech: [0..<60], decoder)
        #expect(run.segments.map(\.text) == [" Words of window 0.", " Words of window 3000."])
    }

    @Test("words that are really repeated stay, as long as there is time to say them")
    func spokenRepetition() throws {
        let text = Array(repeating: " no,", count: 7).joined()
        let decoder = ScriptedWindowDecoder { _, call in
            .scripted(Self.ids(0, text, 4), temperature: call.options.temperature)
        }
        #expect(try Self.run(seconds: 4, speech: [0..<4], decoder).segments.map(\.text) == [text])
    }

    @Test("a short rest of a clip is decoded together with the sentence before it", arguments: [true, false])
    func shortRest(isGuarded: Bool) throws {
        let decoder = ScriptedWindowDecoder { _, call in
            switch call.window.seek {
            case 0: .scripted(Self.ids(0, " Press one now.", 6) + Self.ids(6, " Otherwise", 9.4) + [Self.time + 470])
            case 600: .scripted(Self.ids(0, " Otherwise press star.", 4))
            default: .scripted(Self.ids(0, " you", 0.5))
            }
        }
        let run = try Self.run(seconds: 10, speech: isGuarded ? [0..<10] : nil, decoder)
        #expect(
            run.segments.map(\.text)
                == (isGuarded
                    ? [" Press one now.", " Otherwise press star."] : [" Press one now.", " Otherwise", " you"]))
        #expect(run.measures.first == (isGuarded ? .heldBack(start: 6, end: 9.4, text: " Otherwise") : nil))
        #expect(run.segments.map(\.id) == Array(run.segments.indices))
    }

    @Test("what one window has written is not written again by the next, whatever its times say")
    func writtenOnce() throws {
        let words = (0..<27).map { " word\($0)" }
        // One second for 27 words; they are heard up to `end`, or it is unknown where.
        for end in [nil, 27, 12] as [Double?] {
            let decoder = ScriptedWindowDecoder { _, call in
                let spoken = end.map { Int($0 / 27 * 100) } ?? 111
                let heard = words.enumerated().filter { $0.offset * spoken >= call.window.seek }.map(\.element)
                return heard.isEmpty
                    ? .scripted(Self.ids(0, " The rest.", 18)) : .scripted(Self.ids(0, heard.joined(), 1))
            } align: { _, asked in
                guard let end else { return [] }
                return asked.textTokens.enumerated().map { index, token in
                    let at = end * Double(index) / Double(asked.textTokens.count)
                    return WordTiming(word: " w", tokens: [token], start: at, end: at + 0.2, probability: 0.9)
                }
            }
            let run = try Self.run(seconds: 30, speech: [0..<30], decoder)
            #expect(run.segments.map(\.text) == [words.joined()] + (end == 12 ? [" The rest."] : []), "\(run.events)")
            #expect(run.measures.first == .timesLengthened(1))
            #expect(run.segments[0].end > 8)
        }
    }
}

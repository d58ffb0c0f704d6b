import Foundation
import Testing
import WhisperEngine
import WhisperServer

@Suite("Messages of streaming sessions")
struct StreamMessagesTests {
    private static let turn = Turn(
        order: 3, isFormatted: true, isEnd: false, confidence: 0.35,
        words: [
            .init(text: "Say", start: 1000, end: 1200, confidence: 1, isFinal: true),
            .init(text: "\"cheese\"", start: 1200, end: 1700, confidence: 0.5, isFinal: false),
        ], language: DetectedLanguage(code: "en", probability: 0.98765))
    private static let time = WallTime(milliseconds: 1_790_000_000_123)

    private static func parsed(_ text: String?) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data((text ?? "").utf8)) as? [String: Any])
    }

    @Test("a turn has the required keys, and whole numbers have no fraction")
    func turn() throws {
        let text = try #require(StreamingV3().message(Self.turn, StreamingParameters(), at: Self.time))
        let message = try Self.parsed(text)
        #expect(
            Set(message.keys) == [
                "turn_order", "turn_is_formatted", "end_of_turn", "transcript", "end_of_turn_confidence", "words",
                "utterance", "type",
            ])
        #expect(message["transcript"] as? String == "Say" && message["turn_order"] as? Int == 3)
        #expect(text.contains(#""turn_order":3,"#) && text.contains(#""start":1000,"end":1200,"#))
        #expect(text.contains(#""text":"\"cheese\"""#))
        #expect(message["error"] == nil)
    }

    @Test("final words and their turn have a speaker if there is one")
    func speakers() throws {
        var turn = Self.turn
        turn.words[0].speaker = "B"
        let message = try Self.parsed(StreamingV3().message(turn, StreamingParameters(), at: Self.time))
        #expect(message["speaker_label"] as? String == "B")
        let words = try #require(message["words"] as? [[String: Any]])
        #expect(words.map { $0["speaker"] as? String } == ["B", nil])
    }

    @Test("the language is reported if asked for, at the end of an utterance or turn")
    func language() throws {
        var parameters = StreamingParameters()
        var turn = Self.turn
        for (asked, isEnd, utterance, isReported) in [
            (false, true, "x", false), (true, false, "", false), (true, true, "", true), (true, false, "x", true),
        ] {
            parameters.reportsLanguage = asked
            turn.isEnd = isEnd
            turn.utterance = utterance
            let message = try Self.parsed(StreamingV3().message(turn, parameters, at: Self.time))
            #expect((message["language_code"] as? String == "en") == isReported)
            #expect((message["language_confidence"] as? Double == 0.988) == isReported)
        }
    }

    @Test("a client that mixes both versions gets the names of version 2 in every turn")
    func hybrid() throws {
        var turn = Self.turn
        let partial = try Self.parsed(StreamingV3(isHybrid: true).message(turn, StreamingParameters(), at: Self.time))
        #expect(partial["message_type"] as? String == "PartialTranscript" && partial["type"] as? String == "Turn")
        #expect(partial["text"] as? String == "Say \"cheese\"" && partial["transcript"] as? String == "Say")
        #expect(partial["audio_start"] as? Int == 1000 && partial["audio_end"] as? Int == 1700)
        #expect(partial["confidence"] as? Double == 0.75)
        #expect(partial["created"] as? String == "2026-09-21T14:13:20.123000")
        turn.isEnd = true
        let final = try Self.parsed(StreamingV3(isHybrid: true).message(turn, StreamingParameters(), at: Self.time))
        #expect(final["message_type"] as? String == "FinalTranscript")
    }

    @Test("version 2 sends the whole text so far, and more about final ones")
    func version2() throws {
        var turn = Self.turn
        let dialect = RealTimeV2()
        let partial = try Self.parsed(dialect.message(turn, StreamingParameters(), at: Self.time))
        let keys: Set = ["message_type", "audio_start", "audio_end", "confidence", "text", "words", "created"]
        #expect(Set(partial.keys) == keys && partial["message_type"] as? String == "PartialTranscript")
        #expect(partial["text"] as? String == "Say \"cheese\"")
        let word = try #require((partial["words"] as? [[String: Any]])?.first)
        #expect(Set(word.keys) == ["start", "end", "confidence", "text"])
        turn.isEnd = true
        let final = try Self.parsed(dialect.message(turn, StreamingParameters(), at: Self.time))
        #expect(Set(final.keys) == keys.union(["punctuated", "text_formatted"]))
        #expect(final["punctuated"] as? Bool == true && final["text_formatted"] as? Bool == true)
        let quiet = try RealTimeV2(query: [(name: "disable_partial_transcripts", value: "true")])
        #expect(quiet.message(Self.turn, StreamingParameters(), at: Self.time) == nil)
        #expect(quiet.message(turn, StreamingParameters(), at: Self.time) != nil)
    }

    @Test("version 2 writes partial text plain and final text as Whisper does")
    func version2Text() {
        var script = TurnScript()
        script.volatile(TurnScript.word(" Good", 0, 0.3), TurnScript.word(" day,", 0.3, 0.6))
        script.final(TurnScript.word(" Good", 0, 0.3), TurnScript.word(" day.", 0.3, 0.6))
        script.closed(at: 1.3)
        var builder = TurnBuilder(threshold: 0, minSilence: 700, format: RealTimeV2().format(StreamingParameters()))
        let turns = builder.apply(script.updates)
        #expect(turns.map(\.text) == ["good day", "good day", "Good day."])
        #expect(turns.map(\.isEnd) == [false, false, true])
    }

    @Test("durations are rounded to whole seconds")
    func termination() throws {
        let messages = StreamingV3().ending(audioSeconds: 1.6, sessionSeconds: 2.4)
        #expect(
            messages == [#"{"type":"Termination","audio_duration_seconds":2,"session_duration_seconds":2}"#])
    }

    @Test("only models of the third generation report the start of speech")
    func speechStarted() throws {
        for (model, reports) in [("u3-rt-pro", true), ("universal-3-5-pro", true), ("whisper-rt", false)] {
            let parameters = try StreamingParameters(query: [(name: "speech_model", value: model)])
            #expect(parameters.reportsSpeech == reports && parameters.model == model)
        }
        #expect(StreamingV3().speechStarted(320) == #"{"type":"SpeechStarted","timestamp":320}"#)
    }

    @Test("all other endings have the codes of the protocol")
    func codes() {
        let v3 = StreamingV3()
        #expect(v3.closingCode(.slowReader) == 3005 && v3.closingCode(.terminated) == 1000)
        #expect(v3.closingCode(.wrongDuration(milliseconds: 1)) == 3007 && v3.closingCode(.expired) == 3008)
        let v2 = RealTimeV2()
        #expect(v2.closingCode(.expired) == 4008 && v2.closingCode(.inactive) == 4031)
        #expect(v2.closingCode(.tooFast(received: 1, elapsed: 0)) == 4029 && v2.closingCode(.shutDown) == 1001)
        #expect(v2.closingCode(.slowReader) == 1011)
    }

    @Test("libsoup sends all codes: of those below 3000, it turns the ones that it does not know into 1002")
    func sentCodes() {
        let ends: [StreamEnd] = [
            .terminated, .shutDown, .unauthorized(reason: ""), .tooManySessions, .invalidJSON,
            .invalidMessage(reason: ""), .invalidParameter(name: "", rule: ""), .wrongDuration(milliseconds: 1),
            .tooFast(received: 1, elapsed: 0), .tooManyMessages, .expired, .inactive, .idle, .failed, .slowReader,
        ]
        for end in ends {
            for code in [StreamingV3().closingCode(end), RealTimeV2().closingCode(end)] {
                #expect([1000, 1001, 1008, 1011].contains(code) || 3000..<5000 ~= code, "\(end)")
            }
        }
    }
}

import Foundation
import Testing
import WhisperEngine
import WhisperCommands

@Suite("Live JSON")
struct LiveJSONTests {
    private static let session = SessionID("6f1c0000-0000-4000-8000-000000000000")

    private static func segment(_ text: String, isFinal: Bool) -> TranscriptSegment {
        var segment = TranscriptSegment(
            id: 0, seek: 0, start: 0.42, end: 1.3100000001, text: text, tokens: [], temperature: 0, avgLogprob: 0,
            compressionRatio: 0, noSpeechProb: 0,
            words: [TranscriptWord(word: text, start: 0.42, end: 1.31, probability: 0.97)])
        segment.language = "en"
        segment.isFinal = isFinal
        segment.session = session
        return segment
    }

    @Test("every line has the documented keys in the documented order")
    func lines() {
        var json = LiveJSON(session: Self.session)
        #expect(
            json.opening(model: "nano.en", device: "default") == """
                {"type":"session","session":"\(Self.session)","state":"listening","model":"nano.en","device":"default",\
                "sample_rate":16000}

                """)
        let segment = """
            {"id":0,"session":"\(Self.session)","start":0.42,"end":1.31,"text":" hello","words":[{"word":" hello",\
            "start":0.42,"end":1.31,"probability":0.97}],"language":"en","final":true,"utterance":0}
            """
        #expect(
            json.line(for: .final(Self.segment(" hello", isFinal: true)))
                == "{\"type\":\"final\",\"segment\":\(segment)}\n")
        var spoken = Self.segment(" hello", isFinal: true)
        spoken.speaker = "Anna"
        spoken.words?[0].speaker = "Anna"
        let withSpeaker = segment.replacing("0.97}", with: #"0.97,"speaker":"Anna"}"#)
            .replacing(#""utterance":0"#, with: #""utterance":0,"speaker":"Anna""#)
        #expect(json.line(for: .final(spoken)) == "{\"type\":\"final\",\"segment\":\(withSpeaker)}\n")
        #expect(json.line(for: .volatile(nil)) == "{\"type\":\"volatile\",\"segment\":null}\n")
        var status = SessionStatus(
            state: .listening, clock: 61.5, decoded: 61, lag: 0.12, levelDBFS: -31.42, speech: true)
        #expect(
            json.line(for: .status(status)) == """
                {"type":"status","clock":61.5,"decoded":61.0,"lag":0.12,"level_dbfs":-31.4,"speech":true,\
                "state":"listening"}

                """)
        #expect(
            json.line(for: .gap(SessionGap(clock: 75.2, lost: 0.48, reason: .overrun)))
                == "{\"type\":\"gap\",\"clock\":75.2,\"lost\":0.48,\"reason\":\"overrun\"}\n")
        #expect(
            json.line(for: .gap(SessionGap(clock: 1, lost: 0, reason: .deviceLost)))
                == "{\"type\":\"gap\",\"clock\":1.0,\"lost\":0.0,\"reason\":\"device_lost\"}\n")
        status.state = .stopped
        status.clock = 93.02
        #expect(
            json.closing(status) == """
                {"type":"session","session":"\(Self.session)","state":"stopped","clock":93.02,"finals":2}

                """)
    }

    @Test(
        "any text and any number produce one line of valid JSON",
        arguments: ["\"\\/", "a\nb\r\t\u{0}\u{1f}\u{7f}\u{9b}", "日本 👨‍👩‍👧 e\u{301} ש", "\u{2028}\u{feff}", ""])
    func strings(text: String) throws {
        var json = LiveJSON(session: Self.session)
        var segment = Self.segment(text, isFinal: false)
        segment.start = .nan
        segment.end = -.infinity
        let volatileLine = json.line(for: .volatile(segment))
        let line = try #require(volatileLine)
        #expect(line.last == "\n" && line.count { $0 == "\n" } == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let read = try #require(object["segment"] as? [String: Any])
        #expect(read["text"] as? String == text)
        #expect(read["start"] is NSNull)
    }
}

import Testing
import WhisperServer

@Suite("Messages of streaming clients")
struct ClientMessageTests {
    @Test("the frames of the Python client are understood")
    func python() throws {
        var update = ConfigurationUpdate()
        update.maxTurnSilence = 500
        #expect(try ClientMessage(#"{"max_turn_silence":500,"type":"UpdateConfiguration"}"#) == .update(update))
        #expect(try ClientMessage(#"{"type":"ForceEndpoint"}"#) == .forceEndpoint)
        #expect(try ClientMessage(#"{"type":"KeepAlive"}"#) == .keepAlive)
        #expect(try ClientMessage(#" {"type" : "Terminate", "unknown": [{}]} "#) == .terminate)
    }

    @Test("an update of the configuration reads all members; null and unknown ones change nothing")
    func update() throws {
        let message = try ClientMessage(
            """
            {"type":"UpdateConfiguration","end_of_turn_confidence_threshold":0.7,
            "min_end_of_turn_silence_when_confident":900,"min_turn_silence":160,"max_turn_silence":null,
            "vad_threshold":1,"format_turns":true,"keyterms_prompt":["x"],"filter_profanity":true,"prompt":"p",
            "language_codes":["en"],"other":{"deep":[1]}}
            """)
        var update = ConfigurationUpdate()
        update.endOfTurnThreshold = 0.7
        update.minTurnSilence = 160
        update.speechThreshold = 1
        update.formatsTurns = true
        update.keyterms = ["x"]
        update.prompt = "p"
        update.languages = ["en"]
        #expect(message == .update(update))
        var parameters = StreamingParameters()
        parameters.apply(update)
        #expect(parameters.minTurnSilence == 160 && parameters.maxTurnSilence == 1280 && parameters.formatsTurns)
    }

    @Test(
        "anything else is rejected with the text that clients know",
        arguments: [
            (#"{"type":"Hello"}"#, "Invalid Message Type: Hello"), ("[1]", "Invalid Message: it is not a JSON object"),
            ("7", "Invalid Message: it is not a JSON object"), ("{}", "Invalid Message: it has no type"),
            (#"{"type":7}"#, "Invalid Message: it has no type"),
        ])
    func refused(text: String, reason: String) {
        #expect(throws: StreamEnd.invalidMessage(reason: reason)) { try ClientMessage(text) }
    }

    @Test("anything but JSON is rejected", arguments: ["", "hello", "{", #"{"type":"Terminate"} x"#, "{'type':1}"])
    func noJSON(text: String) {
        #expect(throws: StreamEnd.invalidJSON) { try ClientMessage(text) }
        #expect(throws: StreamEnd.invalidJSON) { try ClientMessage(realTime: text) }
        #expect(StreamingV3().closingCode(.invalidJSON) == 3006 && RealTimeV2().closingCode(.invalidJSON) == 4100)
    }

    @Test("messages that are too deep or too long are rejected")
    func limits() {
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        #expect(throws: StreamEnd.invalidJSON) { try ClientMessage(#"{"type":"KeepAlive","x":\#(deep)}"#) }
        let long = #"{"type":"KeepAlive","x":""# + String(repeating: "x", count: 70_000) + "\"}"
        #expect(throws: StreamEnd.invalidMessage(reason: "Invalid Message: it is too long")) {
            try ClientMessage(long)
        }
        let type = String(repeating: "é", count: 5000)
        #expect(throws: StreamEnd.invalidMessage(reason: "Invalid Message Type: " + type.prefix(40))) {
            try ClientMessage(#"{"type":"\#(type)"}"#)
        }
    }

    @Test("a bad value in an update is rejected")
    func badUpdate() {
        #expect(throws: StreamEnd.self) {
            try ClientMessage(#"{"type":"UpdateConfiguration","end_of_turn_confidence_threshold":"high"}"#)
        }
        #expect(throws: StreamEnd.self) {
            try ClientMessage(#"{"type":"UpdateConfiguration","keyterms_prompt":"x"}"#)
        }
    }

    @Test("version 2 sends audio as base64 and has its own messages")
    func realTime() throws {
        #expect(try ClientMessage(realTime: #"{"audio_data":"AQID/w=="}"#) == .audio([1, 2, 3, 255]))
        #expect(try ClientMessage(realTime: #"{"audio_data":"AQID/w"}"#) == .audio([1, 2, 3, 255]))
        #expect(try ClientMessage(realTime: #"{"audio_data":"+/+/"}"#) == .audio([0xfb, 0xff, 0xbf]))
        #expect(try ClientMessage(realTime: #"{"audio_data":""}"#) == .audio([]))
        #expect(try ClientMessage(realTime: #"{"terminate_session":true}"#) == .terminate)
        #expect(try ClientMessage(realTime: #"{"force_end_utterance":true}"#) == .forceEndpoint)
        var update = ConfigurationUpdate()
        update.minTurnSilence = 20_000
        #expect(try ClientMessage(realTime: #"{"end_utterance_silence_threshold":20000}"#) == .update(update))
        for bad in [
            #"{"audio_data":"A"}"#, #"{"audio_data":"A==="}"#, #"{"audio_data":"AQI-"}"#, #"{"audio_data":5}"#, "{}",
            #"{"end_utterance_silence_threshold":20001}"#, #"{"terminate_session":false}"#,
        ] {
            do {
                _ = try ClientMessage(realTime: bad)
                Issue.record("\(bad) is accepted")
            } catch {
                #expect(RealTimeV2().closingCode(error) == 4101, "\(bad)")
            }
        }
    }
}

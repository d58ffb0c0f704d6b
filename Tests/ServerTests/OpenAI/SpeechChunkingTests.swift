import Testing
import WhisperEngine
import WhisperServer

@Suite("Chunking strategy")
struct SpeechChunkingTests {
    private static func chunking(_ fields: [(String, String)]) throws -> SpeechChunking? {
        try TranscriptionForm(TranscriptSample.form([("model", "m")] + fields), task: .transcribe).chunking
    }

    @Test("auto and an object with nothing but its type have the cloud's defaults")
    func defaults() throws {
        let fields = [
            ("chunking_strategy", "auto"), ("chunking_strategy", #"{"type":"server_vad"}"#),
            ("chunking_strategy[type]", "server_vad"), ("vad_filter", "true"),
        ]
        for field in fields {
            let chunking = try #require(try Self.chunking([field]))
            #expect(chunking.prefixPadding == 300 && chunking.silenceDuration == 200 && chunking.threshold == 0.5)
        }
        #expect(try Self.chunking([("vad_filter", "false")]) == nil)
    }

    @Test("the members of an object can be given as JSON or as fields")
    func members() async throws {
        let json = #"{"type":"server_vad","prefix_padding_ms":0,"silence_duration_ms":10000,"threshold":0.25,"x":[]}"#
        let parts = [
            ("chunking_strategy[type]", "server_vad"), ("chunking_strategy[prefix_padding_ms]", "0"),
            ("chunking_strategy[silence_duration_ms]", "10000"), ("chunking_strategy[threshold]", "0.25"),
        ]
        let chunking = try #require(try Self.chunking([("chunking_strategy", json)]))
        #expect(try Self.chunking(parts) == chunking)
        #expect(chunking.prefixPadding == 0 && chunking.silenceDuration == 10_000 && chunking.threshold == 0.25)
        let options = chunking.options(with: .energy)
        #expect(options.speechPadMilliseconds == 0 && options.minSilenceMilliseconds == 10_000)
    }

    @Test(
        "bad values name the field",
        arguments: [
            "", "none", "{", "[]", #"{"type":"client_vad"}"#, "{}", #"{"type":"server_vad","threshold":1.1}"#,
            #"{"type":"server_vad","threshold":-0.1}"#, #"{"type":"server_vad","prefix_padding_ms":10001}"#,
            #"{"type":"server_vad","silence_duration_ms":-1}"#, #"{"type":"server_vad","silence_duration_ms":true}"#,
            #"{"type":"server_vad","threshold":[[[[[[0]]]]]]}"#,
        ])
    func bad(text: String) {
        let error = #expect(throws: HTTPError.self) { try Self.chunking([("chunking_strategy", text)]) }
        #expect(error?.status == 400 && error?.param == "chunking_strategy")
    }

    @Test("bad members are rejected as fields, too")
    func badFields() {
        for field in [("chunking_strategy[type]", "x"), ("chunking_strategy[threshold]", "0.5")] {
            #expect(throws: HTTPError.self) { try Self.chunking([field]) }
        }
    }
}

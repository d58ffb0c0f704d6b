import Testing
import WhisperEngine
import WhisperServer

@Suite("OpenAI responses")
struct OpenAIResponsesTests {
    private static func body(
        _ fields: [(String, String)], task: TranscriptionTask = .transcribe,
        _ transcript: Transcript = TranscriptSample.beach,
        groqID: String? = nil
    ) throws -> String {
        let form = try TranscriptionForm(TranscriptSample.form([("model", "m")] + fields), task: task)
        return OpenAIResponses(form, tokens: TokenLogprobs(TranscriptSample.tokenizer), groqID: groqID).body(transcript)
    }

    private static let text = #""The beach was full; \"volleyball\" --> 50%.""#
    private static let usage = #""usage":{"type":"duration","seconds":9}"#
    private static let segments = """
        "segments":[{"id":0,"seek":0,"start":0.0,"end":3.32,"text":" The beach was full;",\
        "tokens":[50364,440,7534,50530],"temperature":0.0,"avg_logprob":-0.286079,"compression_ratio":1.235294,\
        "no_speech_prob":0.009852},{"id":1,"seek":332,"start":3661.5,"end":3663.0,\
        "text":" \\"volleyball\\" --> 50%.","tokens":[50530],"temperature":0.4,"avg_logprob":-1000000000.0,\
        "compression_ratio":0.0,"no_speech_prob":0.0}]
        """
    private static let words = """
        "words":[{"word":"The","start":0.0,"end":0.4},{"word":"beach","start":0.4,"end":1.0},\
        {"word":"was","start":1.0,"end":1.5},{"word":"full","start":1.5,"end":3.32},\
        {"word":"volleyball","start":3661.5,"end":3662.0},{"word":">","start":3662.0,"end":3662.2},\
        {"word":"50%","start":3662.2,"end":3663.0}]
        """

    @Test("json has the text and, for transcriptions, the usage")
    func json() throws {
        #expect(try Self.body([]) == "{\"text\":\(Self.text),\(Self.usage)}")
        #expect(
            try Self.body([], groqID: "req_1") == "{\"text\":\(Self.text),\(Self.usage),\"x_groq\":{\"id\":\"req_1\"}}")
        #expect(try Self.body([], task: .translate) == "{\"text\":\(Self.text)}")
    }

    @Test("json has the log probabilities of the text's tokens if they are requested")
    func logprobs() throws {
        let body = try Self.body([("include[]", "logprobs")], TranscriptSample.logprobs, groqID: "req_1")
        #expect(
            body == """
                {"text":\(Self.text),\(Self.usage),"logprobs":[\
                {"token":" The","logprob":0.0,"bytes":[32,84,104,101]},\
                {"token":" beach","logprob":-0.693147,"bytes":[32,98,101,97,99,104]},\
                {"token":" \\\\xf0\\\\x9f\\\\x98","logprob":-9999.0,"bytes":[32,240,159,152]},\
                {"token":"\\\\x80","logprob":-9999.0,"bytes":[128]}],"x_groq":{"id":"req_1"}}
                """)
    }

    @Test("diarized_json has the segments with their speakers")
    func diarized() throws {
        let format = ("response_format", "diarized_json")
        let body = try Self.body([format, ("known_speaker_names[]", "Ann")], TranscriptSample.conversation)
        #expect(
            body == """
                {"task":"transcribe","duration":3.5,"text":"Hello. Yes? It rains.","segments":[\
                {"type":"transcript.text.segment","id":"seg_001","start":0.0,"end":0.5,"text":"Hello.","speaker":"Ann"},\
                {"type":"transcript.text.segment","id":"seg_002","start":1.0,"end":1.5,"text":"Yes?","speaker":"A"},\
                {"type":"transcript.text.segment","id":"seg_003","start":3.0,"end":3.5,"text":"It rains.","speaker":"Ann"}],\
                "usage":{"type":"duration","seconds":4}}
                """)
        let silence = try Self.body([format], TranscriptSample.silence)
        #expect(silence.contains(#""text":"","segments":[],"#))
    }

    @Test("verbose_json has segments, words or both, as requested")
    func verbose() throws {
        let start = #"{"task":"transcribe","language":"english","duration":8.47,"text":\#(Self.text),"#
        let format = ("response_format", "verbose_json")
        let (word, segment) = (("timestamp_granularities[]", "word"), ("timestamp_granularities[]", "segment"))
        #expect(try Self.body([format]) == start + Self.segments + "," + Self.usage + "}")
        #expect(try Self.body([format, word]) == start + Self.words + "," + Self.usage + "}")
        #expect(
            try Self.body([format, word, segment], groqID: "r")
                == start + Self.segments + "," + Self.words + "," + Self.usage + #","x_groq":{"id":"r"}}"#)
    }

    @Test(
        "languages are full lower-case names, and English for translations",
        arguments: [("ht", "haitian creole"), ("yue", "cantonese")])
    func languages(code: String, name: String) throws {
        var transcript = TranscriptSample.beach
        transcript.language = code
        let format = ("response_format", "verbose_json")
        #expect(try Self.body([format], transcript).contains("\"language\":\"\(name)\""))
        let translation = try Self.body([format], task: .translate, transcript)
        #expect(translation.hasPrefix(#"{"task":"translate","language":"english","#))
    }

    @Test("text and subtitles are plain, and each format has its type")
    func plain() throws {
        #expect(try Self.body([("response_format", "text")]) == "The beach was full; \"volleyball\" --> 50%.\n")
        #expect(
            try Self.body([("response_format", "srt")]) == """
                1
                00:00:00,000 --> 00:00:03,320
                The beach was full;

                2
                01:01:01,500 --> 01:01:03,000
                "volleyball" -> 50%.


                """)
        #expect(
            try Self.body([("response_format", "vtt")]) == """
                WEBVTT

                00:00:00.000 --> 00:00:03.320
                The beach was full;

                01:01:01.500 --> 01:01:03.000
                "volleyball" -&gt; 50%.


                """)
        #expect(
            try Self.body([("response_format", "md")]) == """
                **[0:00]** The beach was full;

                **[1:01:01]** "volleyball" --\\> 50%.

                """)
        let types = ["json", "verbose_json", "text", "srt", "vtt", "md"].map {
            ResponseFormat(rawValue: $0)?.contentType
        }
        #expect(
            types == [
                "application/json", "application/json", "text/plain; charset=utf-8", "text/plain; charset=utf-8",
                "text/vtt; charset=utf-8", "text/markdown; charset=utf-8",
            ])
    }

    @Test("silence is an empty text")
    func silence() throws {
        let body = { (format: String) in
            try Self.body([("response_format", format)], TranscriptSample.silence)
        }
        #expect(try body("json") == #"{"text":"","usage":{"type":"duration","seconds":2}}"#)
        #expect(
            try body("verbose_json") == """
                {"task":"transcribe","language":"english","duration":2.0,"text":"","segments":[],\
                "usage":{"type":"duration","seconds":2}}
                """)
        #expect(try body("text") == "\n")
        #expect(try body("srt") == "")
        #expect(try body("vtt") == "WEBVTT\n\n")
    }

    @Test("numbers that JSON does not have never appear")
    func numbers() throws {
        for value in [Double.nan, .infinity, -.infinity, 1e300] {
            var transcript = TranscriptSample.beach
            transcript.segments[0].noSpeechProb = value
            transcript.segments[0].temperature = value
            let body = try Self.body([("response_format", "verbose_json")], transcript)
            #expect(!body.contains("nan") && !body.contains("inf") && !body.contains("null"))
        }
    }
}

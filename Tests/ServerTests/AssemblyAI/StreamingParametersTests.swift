import Testing
import WhisperEngine
import WhisperServer

@Suite("Streaming parameters")
struct StreamingParametersTests {
    private static func parameters(_ query: (String, String)...) throws -> StreamingParameters {
        try StreamingParameters(query: query.map { (name: $0.0, value: $0.1) })
    }

    @Test("without a query everything has the cloud's defaults")
    func defaults() throws {
        let parameters = try Self.parameters()
        #expect(parameters.sampleRate == 16_000 && parameters.encoding == .pcm16 && parameters.model == nil)
        #expect(parameters.formatsTurns == false && parameters.endOfTurnThreshold == 0.4)
        #expect(parameters.minTurnSilence == 400 && parameters.maxTurnSilence == 1280)
        #expect(parameters.speechThreshold == 0.4 && parameters.keyterms == [] && parameters.prompt == "")
        #expect(parameters.languages == [] && !parameters.reportsLanguage && parameters.inactivityTimeout == nil)
    }

    @Test("the query of the Python client is read as intended")
    func python() throws {
        let parameters = try Self.parameters(
            ("end_of_turn_confidence_threshold", "0.4"), ("format_turns", "True"),
            ("keyterms_prompt", #"["a b", "c"]"#), ("sample_rate", "16000"), ("encoding", "pcm_s16le"),
            ("min_turn_silence", "300"))
        #expect(parameters.formatsTurns && parameters.keyterms == ["a b", "c"] && parameters.minTurnSilence == 300)
    }

    @Test("the new name of a silence wins over the old one, in any order")
    func oldName() throws {
        let old = ("min_end_of_turn_silence_when_confident", "700")
        #expect(try Self.parameters(old).minTurnSilence == 700)
        #expect(try Self.parameters(old, ("min_turn_silence", "300")).minTurnSilence == 300)
        #expect(try Self.parameters(("min_turn_silence", "300"), old).minTurnSilence == 300)
    }

    @Test(
        "the silence at the voice gate stays between 100 and 5000 ms",
        arguments: [("0", 0.1), ("9000", 5), ("250", 0.25)])
    func clamped(value: String, seconds: Double) throws {
        #expect(try Self.parameters(("min_turn_silence", value)).sessionChange.endSilence == seconds)
    }

    @Test(
        "bools are read in any letter case", arguments: [("true", true), ("False", false), ("1", true), ("0", false)])
    func bools(text: String, value: Bool) throws {
        #expect(try Self.parameters(("format_turns", text)).formatsTurns == value)
        #expect(try Self.parameters(("language_detection", text)).reportsLanguage == value)
    }

    @Test(
        "a language is a code, a list restricts the detection, and multi means any",
        arguments: [
            ("language", "en", ["en"]), ("language", "multi", []), ("language_code", "de-AT", ["de"]),
            ("language_codes", #"["de","fr","de"]"#, ["de", "fr"]), ("language_codes", "[]", []),
        ])
    func languages(name: String, value: String, codes: [String]) throws {
        #expect(try Self.parameters((name, value)).languages == codes)
    }

    @Test(
        "a bad value of a known name is an error that names it",
        arguments: [
            ("sample_rate", "7999"), ("sample_rate", "96001"), ("sample_rate", "16000.5"), ("sample_rate", "x"),
            ("sample_rate", ""), ("encoding", "opus"), ("encoding", "PCM_S16LE"), ("format_turns", "maybe"),
            ("end_of_turn_confidence_threshold", "1.01"), ("end_of_turn_confidence_threshold", "-0.1"),
            ("end_of_turn_confidence_threshold", "nan"), ("min_turn_silence", "-1"), ("max_turn_silence", "1.5"),
            ("max_turn_silence", "99999999999999999999"), ("vad_threshold", "2"), ("keyterms_prompt", "a,b"),
            ("keyterms_prompt", "[1]"), ("keyterms_prompt", "{}"), ("language", "klingon"),
            ("language_codes", "en"), ("inactivity_timeout", "4"), ("inactivity_timeout", "3601"),
        ])
    func bad(name: String, value: String) {
        do {
            _ = try Self.parameters((name, value))
            Issue.record("\(name)=\(value) is accepted")
        } catch StreamEnd.invalidParameter(let found, let rule) {
            #expect(found == name && !rule.isEmpty)
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test("limits are included, and unknown or misspelled names are ignored")
    func edges() throws {
        #expect(try Self.parameters(("sample_rate", "8000")).sampleRate == 8000)
        #expect(try Self.parameters(("sample_rate", "96000")).sampleRate == 96_000)
        #expect(try Self.parameters(("inactivity_timeout", "5")).inactivityTimeout == 5)
        #expect(try Self.parameters(("inactivity_timeout", "3600")).inactivityTimeout == 3600)
        let unknown = try Self.parameters(
            ("sample_rte", "x"), ("webhook_url", "http://127.0.0.1:1"), ("redact_pii", "x"), ("token", "t"))
        #expect(unknown == StreamingParameters())
        let speakers = try Self.parameters(("speaker_labels", "True"), ("max_speakers", "2"))
        #expect(speakers.wantsSpeakers && speakers.maxSpeakers == 2)
    }

    @Test("key terms are terms of the session, and its settings follow the parameters")
    func change() throws {
        let change = try Self.parameters(
            ("keyterms_prompt", #"["Thermidor","bisque"]"#), ("prompt", "Orders in a restaurant"),
            ("vad_threshold", "0.25"), ("language", "fr"), ("max_turn_silence", "2000")
        ).sessionChange
        #expect(change.initialPrompt == "Orders in a restaurant")
        #expect(change.terms == [Term("Thermidor"), Term("bisque")])
        #expect(change.speechThreshold == 0.25 && change.languages == ["fr"] && change.longSilence == 2)
        #expect(try Self.parameters().sessionChange.initialPrompt == "")
    }

    @Test("version 2 needs a sample rate, ends a turn at each pause and reads boosted words")
    func realTime() throws {
        let parameters = try StreamingParameters(realTimeQuery: [
            (name: "sample_rate", value: "8000"), (name: "encoding", value: "pcm_mulaw"),
            (name: "word_boost", value: #"["aws","azure"]"#), (name: "enable_extra_session_information", value: "true"),
        ])
        #expect(parameters.sampleRate == 8000 && parameters.encoding == .muLaw)
        #expect(parameters.keyterms == ["aws", "azure"] && parameters.minTurnSilence == 700)
        #expect(parameters.endOfTurnThreshold == 0)
        let dialect = RealTimeV2()
        for (query, code) in [
            ([], 4000), ([(name: "sample_rate", value: "0")], 4000), ([(name: "sample_rate", value: "-8000")], 4000),
            ([(name: "sample_rate", value: "16000"), (name: "word_boost", value: "aws")], 4104),
            ([(name: "sample_rate", value: "16000"), (name: "encoding", value: "mp3")], 4101),
        ] as [([(name: String, value: String)], Int)] {
            do {
                _ = try StreamingParameters(realTimeQuery: query)
                Issue.record("\(query) is accepted")
            } catch {
                #expect(dialect.closingCode(error) == code, "\(query)")
            }
        }
    }
}

import Foundation
import Testing
import WhisperEngine
import WhisperServer

@Suite("Refusals of the video route")
struct VideoRefusalTests {
    private let route: VideoRoute

    init() throws { route = try VideoRoute(TranscriptCache(.memory)) }

    private static let start = #"{"videoUrl":"https://youtu.be/dQw4w9WgXcQ","platform":"youtube""#

    @Test(
        "a request without a bearer token is refused",
        arguments: [nil, "", "Bearer", "Bearer  ", "token", "Basic dTpw"])
    func noToken(authorization: String?) async throws {
        #expect(
            try await route.answer(Self.start + "}", authorization: authorization)
                == Answer(401, #"{"error":"No token provided"}"#))
    }

    @Test("any token will do, in any case of the word", arguments: ["Bearer x", "bearer a b", "BEARER eyJh.b.c"])
    func token(authorization: String) async throws {
        #expect(try await route.answer(Self.start + "}", authorization: authorization).status == 400)
    }

    @Test("what the server refuses before the route has the same shape")
    func server() {
        let wrong = route.refusal(HTTPError(401, "The key was not accepted.", code: "invalid_api_key"))
        #expect(wrong.status == 401 && wrong.text == #"{"error":"Invalid token"}"#)
        let missing = route.refusal(.noKey)
        #expect(missing.status == 401 && missing.text == #"{"error":"No token provided"}"#)
        let busy = route.refusal(HTTPError(503, "Busy. Try again.", retryAfter: 1))
        #expect(busy.status == 503 && busy.text == #"{"error":"Busy. Try again."}"#)
        #expect(busy.headers["Retry-After"] == "1")
    }

    @Test(
        "a body that is not a JSON object is refused",
        arguments: [
            "", "{", "[]", "null", "\"x\"", start, start + "}}", start + ",}", start + #","platform":"youtube"}"#,
            start + #","x":"\#u{1}"}"#, start + #","x":"\u12"}"#, start + #","audioData":"QUJD}"#,
            start + #","audioData":"QU\xJD"}"#, start + #","audioData":"QU\#u{a}JD"}"#,
            start + #","x":"# + String(repeating: "[", count: 16) + String(repeating: "]", count: 16) + "}",
        ])
    func json(body: String) async throws {
        #expect(try await route.answer(body) == Answer(400, #"{"error":"Invalid JSON"}"#))
    }

    @Test(
        "a request without its required fields is refused",
        arguments: [
            "{}", #"{"platform":"tiktok"}"#, #"{"videoUrl":"https://youtu.be/dQw4w9WgXcQ"}"#,
            #"{"videoUrl":"","platform":"tiktok"}"#, #"{"videoUrl":null,"platform":"tiktok"}"#,
            #"{"videoUrl":1,"platform":"tiktok","audioData":"QUJD"}"#, #"{"videoUrl":"x","platform":["tiktok"]}"#,
        ])
    func required(body: String) async throws {
        #expect(
            try await route.answer(body)
                == Answer(400, #"{"error":"Missing required fields","required":["videoUrl","platform"]}"#))
    }

    @Test("an unknown platform is refused", arguments: ["vimeo", "TikTok", "tiktok ", #"you\"tube"#])
    func platform(name: String) async throws {
        #expect(
            try await route.answer(#"{"videoUrl":"x","platform":"\#(name)","audioData":"!"}"#)
                == Answer(400, #"{"error":"Invalid platform","allowed":["tiktok","instagram","youtube"]}"#))
    }

    @Test(
        "a request without a recording is refused unless its transcript is in the cache",
        arguments: ["", #","audioData":null"#, #","audioData":"""#, #","audioData":"data:audio/mp4;base64,""#])
    func required(audio: String) async throws {
        #expect(
            try await route.answer(Self.start + audio + "}")
                == Answer(
                    400,
                    #"{"error":"Audio data required","message":"Video not in cache. Please provide audioData "#
                        + #"(base64 encoded audio)"}"#
                ))
    }

    @Test(
        "a recording that is not base64 is refused",
        arguments: [
            #""QUJ""#, #""Q""#, #""QU!D""#, #""QUJ-""#, #""QUJD=""#, #""=QUJD""#, #""QU\u0000JD""#, "1", "true", "[]",
            "{}", #""data:audio/mp4,QUJD""#, #""Ünicode=""#,
        ])
    func base64(audio: String) async throws {
        #expect(
            try await route.answer(Self.start + #","audioData":\#(audio)}"#)
                == Answer(
                    400,
                    #"{"success":false,"error":"Invalid audio data","message":"audioData is not valid base64"}"#
                ))
    }

    @Test("escape sequences and white space in the base64 do not matter")
    func escapes() async throws {
        let bytes = (0..<255).map { UInt8($0) }
        let plain = Data(bytes).base64EncodedString()
        #expect(plain.contains("/") && plain.contains("+"))
        let escaped = plain.replacingOccurrences(of: "/", with: #"\/"#).replacingOccurrences(of: "+", with: #"\u002B"#)
        for text in [plain, escaped, #"data:audio\/mp4;base64,"# + escaped, #"\r\n"# + escaped + #"\n"#] {
            let route = try VideoRoute(TranscriptCache(.off))
            #expect(try await route.answer(Self.start + #","audioData":"\#(text)"}"#).status == 200)
            #expect(route.transcriber.recordings == [bytes])
        }
    }

    @Test("a recording of more than 25 MiB is refused")
    func tooLarge() async throws {
        func answer(bytes: Int) async throws -> Answer {
            let digits = String(repeating: "A", count: (bytes * 4 + 2) / 3)
            return try await route.answer(Self.start + #","audioData":"\#(digits)"}"#)
        }
        func refusal(_ size: String) -> String {
            #"{"success":false,"error":"Audio file too large","message":"Audio must be under 25 MB. Please send a "#
                + #"shorter clip.","maxSizeMB":25,"actualSizeMB":\#(size)}"#
        }
        #expect(try await answer(bytes: 26_214_401) == Answer(400, refusal("25.0")))
        #expect(try await answer(bytes: 34_078_720) == Answer(400, refusal("32.5")))
        #expect(route.transcriber.recordings.count == 0)
        #expect(try await answer(bytes: 26_214_400).status == 200)
        #expect(route.transcriber.recordings.map(\.count) == [26_214_400])
        // The size is refused before the base64.
        let digits = String(repeating: "A", count: 36_000_000) + "!"
        #expect(
            try await VideoRoute(TranscriptCache(.off)).answer(Self.start + #","audioData":"\#(digits)"}"#)
                == Answer(400, refusal("25.7")))
    }

    @Test("a recognition that fails is reported with its reason")
    func failed() async throws {
        func response(_ error: HTTPError) async throws -> Response {
            try await VideoRoute(TranscriptCache(.memory), error: error).response(
                Self.start + #","audioData":"QUJD"}"#)
        }
        func text(_ reason: String) -> String {
            #"{"success":false,"error":"Transcription failed","message":"Whisper transcription failed: \#(reason)"}"#
        }
        let unreadable = try await response(HTTPError(400, "This recording could not be read.", code: "invalid_audio"))
        #expect(unreadable.status == 500 && unreadable.text == text("This recording could not be read."))
        #expect(unreadable.headers["x-should-retry"] == "false")
        let busy = try await response(HTTPError(503, "The recognizer is busy.", retryAfter: 1))
        #expect(busy.status == 503 && busy.text == text("The recognizer is busy."))
        #expect(busy.headers["Retry-After"] == "1")
    }

    @Test("a recognition that failed is not cached")
    func failureNotCached() async throws {
        let cache = try TranscriptCache(.memory)
        let body = Self.start + #","audioData":"QUJD"}"#
        #expect(try await VideoRoute(cache, error: HTTPError(500, "x")).answer(body).status == 500)
        let route = try VideoRoute(cache)
        #expect(try await route.answer(body).text.contains(#""cached":false"#))
    }
}

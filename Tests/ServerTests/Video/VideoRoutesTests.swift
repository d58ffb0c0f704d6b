import Foundation
import Testing
import WhisperEngine
import WhisperServer

@Suite("Video route")
struct VideoRoutesTests {
    private let route: VideoRoute

    init() throws { route = try VideoRoute(TranscriptCache(.memory)) }

    private static let link = "https://www.tiktok.com/@user/video/7123456789"
    /// `ABC`, whose digest begins with b5d4045c3f466fa91fe2cc6abe79232a.
    private static let audio = "QUJD"

    private static func body(_ link: String = link, _ platform: String = "tiktok", audio: String? = nil) -> String {
        let audio = audio.map { #","audioData":"\#($0)""# } ?? ""
        return #"{"videoUrl":"\#(link)","platform":"\#(platform)"\#(audio),"userId":"user-42"}"#
    }

    private static let segments =
        #"[{"text":"Stir the \"soup\".","start":0.0,"end":2.4},{"text":"Serve.","start":3.0,"end":4.063}]"#

    private static func miss(_ id: String, _ platform: String = "tiktok", cost: String = "0") -> String {
        #"{"success":true,"cached":false,"transcript":"Stir the \"soup\". Serve.","segments":\#(segments),"#
            + #""videoId":"\#(id)","platform":"\#(platform)","language":"en","durationSeconds":45.123,"cost":\#(cost),"#
            + #""transcriptionTimeMs":1234,"message":"Video transcribed and cached for future use"}"#
    }

    private static func hit(_ id: String, _ platform: String = "tiktok", count: Int) -> String {
        #"{"success":true,"cached":true,"transcript":"Stir the \"soup\". Serve.","segments":\#(segments),"#
            + #""videoId":"\#(id)","platform":"\#(platform)","language":"en","durationSeconds":45.123,"cost":0,"#
            + #""accessCount":\#(count),"message":"Transcript retrieved from cache (no charge)"}"#
    }

    @Test("the route is the one that the application calls")
    func path() {
        #expect(route.pattern == "POST /api/app/video/get-or-transcribe")
        #expect(route.needsKey && route.bodyLimit == 67_108_864)
    }

    @Test("the first import is transcribed, later ones come from the cache, even without audio")
    func flow() async throws {
        #expect(try await route.answer(Self.body(audio: Self.audio)) == Answer(200, Self.miss("7123456789")))
        #expect(try await route.answer(Self.body()) == Answer(200, Self.hit("7123456789", count: 2)))
        // Whatever audio is sent then.
        #expect(try await route.answer(Self.body(audio: "!")) == Answer(200, Self.hit("7123456789", count: 3)))
        #expect(route.transcriber.recordings == [Array("ABC".utf8)])
    }

    @Test(
        "a long recording arrives as it was sent, however its text is escaped",
        arguments: [
            { $0 }, { $0.replacing("/", with: #"\/"#) },
            { $0.replacing("/", with: #"\u002f"#).replacing("+", with: #"\u002B"#) },
            { "data:audio\\/mp4;base64," + $0 }, { $0.replacing("A", with: "A\\r\\n") },
            { $0.map { #"\u00"# + String($0.asciiValue ?? 0, radix: 16) }.joined() },
        ] as [@Sendable (String) -> String])
    func long(escape: @Sendable (String) -> String) async throws {
        // Around the lengths at which a string counts as long, and at which a text is read in several blocks.
        for count in [6000, 6144, 6200, 50_000, 300_000] {
            let route = try VideoRoute(TranscriptCache(.off))
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 211 ^ $0 >> 7) }
            let body = Self.body(audio: escape(Data(bytes).base64EncodedString()))
            #expect(try await route.answer(body).status == 200)
            #expect(route.transcriber.recordings == [bytes])
            // With the recording first, white space, and other long values.
            let long = String(repeating: #"\"x\\"#, count: 20_000)
            let blanks = String(repeating: " ", count: 300_000)
            let other = """
                { \t"audioData" :\r\n "\(escape(Data(bytes).base64EncodedString()))" , "note": ["\(long)", 1, true],
                "\(long)": null, "videoUrl": "\(Self.link)", "platform": "tiktok"\(blanks)}
                """
            #expect(try await route.answer(other).status == 200)
            #expect(route.transcriber.recordings == [bytes, bytes])
        }
    }

    @Test("a long text that is not JSON, or whose recording is not base64, is rejected")
    func badLong() async throws {
        let long = String(repeating: "QUJD", count: 10_000)
        for audio in [long + "\n", long + #"\"#, long + "\0" + long] {
            #expect(try await route.answer(Self.body(audio: audio)).text.contains("Invalid JSON"), "\(audio.suffix(4))")
        }
        let endings = ["#", #"\u00e9"#, #"\u12"#, #"\x"#, "Q", "=AAA"]
        for audio in ["#" + long] + endings.map({ long + $0 }) {
            let answer = try await route.answer(Self.body(audio: audio))
            #expect(answer.text.contains("Invalid audio data"), "\(audio.suffix(6))")
        }
        // More than a request can need besides its recording.
        let many = (0..<900).map { #""m\#($0)":"\#(String(repeating: "x", count: 1000))""# }.joined(separator: ",")
        #expect(try await route.answer("{\(many)}").text.contains("Invalid JSON"))
        #expect(route.transcriber.recordings.isEmpty)
    }

    @Test("the same recording under another link comes from the cache, and the other link is known then")
    func otherLink() async throws {
        _ = try await route.answer(Self.body(audio: Self.audio))
        let other = "https://youtu.be/dQw4w9WgXcQ"
        #expect(
            try await route.answer(Self.body(other, "youtube", audio: Self.audio))
                == Answer(200, Self.hit("dQw4w9WgXcQ", "youtube", count: 2)))
        #expect(
            try await route.answer(Self.body(other, "youtube"))
                == Answer(200, Self.hit("dQw4w9WgXcQ", "youtube", count: 3)))
        #expect(route.transcriber.recordings.count == 1)
    }

    @Test("a link without an id is known by the digest of its recording")
    func noID() async throws {
        let file = #"file:\/\/\/private\/var\/trim.A1B2C3.MOV"#
        let id = "sha256-b5d4045c3f466fa91fe2cc6abe79232a"
        #expect(try await route.answer(Self.body(file, audio: Self.audio)) == Answer(200, Self.miss(id)))
        #expect(try await route.answer(Self.body(file)).status == 400)
        #expect(try await route.answer(Self.body(file, audio: Self.audio)) == Answer(200, Self.hit(id, count: 2)))
        #expect(
            try await route.answer(Self.body("https://evil.example/@u/video/1", audio: "data:audio/mp4;base64,QUJD"))
                == Answer(200, Self.hit(id, count: 3)))
    }

    @Test("a recording that another route transcribed with the same options is not transcribed again")
    func otherRoute() async throws {
        let digest = "b5d4045c3f466fa91fe2cc6abe79232a1a57cdf104f7a26e716e0a1e2789df78"
        await route.cache.store(FixedTranscriber.transcript, CacheFixture.key(digest), seconds: 1)
        #expect(
            try await route.answer(Self.body(audio: Self.audio)) == Answer(200, Self.hit("7123456789", count: 2)))
        #expect(try await route.answer(Self.body()) == Answer(200, Self.hit("7123456789", count: 3)))
        #expect(route.transcriber.recordings.count == 0)
    }

    @Test("a transcript by another model counts, unless each model has its own")
    func models() async throws {
        let cache = try TranscriptCache(.memory)
        _ = try await VideoRoute(cache, model: "other").answer(Self.body(audio: Self.audio))
        _ = try await VideoRoute(cache, model: "nano.en").answer(Self.body(audio: Self.audio))
        let own = try VideoRoute(cache, model: "base") { $0.isPerModel = true }
        #expect(try await own.answer(Self.body()).status == 400)
        let shared = try VideoRoute(cache, model: "base")
        #expect(try await shared.answer(Self.body()).status == 200)
    }

    @Test("without a cache everything is transcribed")
    func off() async throws {
        let route = try VideoRoute(TranscriptCache(.off))
        for _ in 0..<2 {
            #expect(try await route.answer(Self.body(audio: Self.audio)) == Answer(200, Self.miss("7123456789")))
        }
        #expect(try await route.answer(Self.body()).status == 400)
    }

    @Test("a cost can be reported for what was transcribed")
    func cost() async throws {
        let route = try VideoRoute(TranscriptCache(.memory)) { $0.costPerMinute = 0.006 }
        #expect(
            try await route.answer(Self.body(audio: Self.audio))
                == Answer(200, Self.miss("7123456789", cost: "0.004512")))
        #expect(try await route.answer(Self.body()) == Answer(200, Self.hit("7123456789", count: 2)))
    }

    @Test("silence has an empty transcript and no segments")
    func silence() async throws {
        let empty = Transcript(text: "", language: "en", duration: 2, segments: [])
        let digest = "b5d4045c3f466fa91fe2cc6abe79232a1a57cdf104f7a26e716e0a1e2789df78"
        await route.cache.store(empty, CacheFixture.key(digest), seconds: 1)
        let answer = try await route.answer(Self.body(audio: Self.audio))
        #expect(answer.text.contains(#""transcript":"","segments":[],"videoId""#))
    }

    @Test("every answer is JSON")
    func type() async throws {
        for body in [Self.body(audio: Self.audio), "", Self.body("x")] {
            #expect(try await route.response(body).headers["Content-Type"] == "application/json")
        }
    }

    @Test("neither the link's query nor the user is stored, nor the recording")
    func privacy() async throws {
        let fixture = try CacheFixture()
        let route = try VideoRoute(fixture.cache())
        let link = Self.link + "?secret=query"
        let audio = Data("audio bytes".utf8).base64EncodedString()
        _ = try await route.answer(Self.body(link, audio: audio), authorization: "Bearer s3cr3t")
        #expect(fixture.contains("7123456789") && fixture.contains("soup"))
        for text in ["secret", "user-42", "@user", "s3cr3t", "audio bytes", "YXVkaW8gYnl0ZXM"] {
            #expect(!fixture.contains(text), "\(text)")
        }
    }
}

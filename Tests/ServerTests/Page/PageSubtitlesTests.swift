import Testing
import WhisperEngine
import WhisperServer

@Suite("Page subtitles")
struct PageSubtitlesTests {
    private static let segments = """
        [{"start":0.5,"end":4,"speaker":null,"words":[[" Turn",0.5,1],[" north",1,1.5],[" at the <old>",1.5,2],\
        [" theater",2,2.5],[" and",2.5,2.75],[" go",2.75,3],[" west",3,4]]}]
        """

    private func answer(_ body: String, format: String = "srt") async throws -> Response {
        let route = try #require(
            PageFixture.routes(ScriptedTranscriber(result: .failure(HTTPError(500, "unexpected")))).first {
                $0.pattern == "/page/subtitles"
            })
        let head = RequestHead(method: "POST", path: "/page/subtitles", query: [("format", format)], client: "someone")
        return try await route.respond(Request(head, body: .bytes(Array(body.utf8))))
    }

    private func text(_ body: String, format: String = "srt") async throws -> String {
        guard case .bytes(let bytes) = try await answer(body, format: format).body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("words become cues with short lines")
    func srt() async throws {
        let lines = try await text("{\"language\":\"en\",\"segments\":\(Self.segments)}").split(separator: "\n")
        #expect(lines.count == 4 && lines[0] == "1" && lines[1].hasPrefix("00:00:00,500 --> 00:00:0"))
        #expect(lines.suffix(2).joined(separator: " ") == "Turn north at the <old> theater and go west")
        #expect(lines.suffix(2).allSatisfy { $0.count <= 42 })
    }

    @Test("speakers are named, signs escaped, and cues begin and end with the speech")
    func vtt() async throws {
        let segments = Self.segments.replacing("null", with: "\"Zoë & Co\"")
        let text = try await text("{\"segments\":\(segments),\"speech\":[[0.25,4.25]]}", format: "vtt")
        #expect(text.hasPrefix("WEBVTT\n\n00:00:00.250 --> 00:00:04.250\n<v Zoë &amp; Co>"))
        #expect(text.contains("&lt;old&gt;"))
    }

    @Test("paragraphs have their time and speaker")
    func paragraphs() async throws {
        let segments = Self.segments.replacing("null", with: "\"Zoë\"")
        let text = try await text("{\"segments\":\(segments)}", format: "md")
        #expect(text == "**[0:00] Zoë:** Turn north at the \\<old\\> theater and go west\n")
    }

    @Test(
        "anything else is rejected",
        arguments: [
            "", "[]", "{}", "{\"segments\":[{}]}", "{\"segments\":[{\"start\":2,\"end\":1,\"words\":[]}]}",
            "{\"segments\":[{\"start\":0,\"end\":1e99,\"words\":[]}]}",
            "{\"segments\":[{\"start\":0,\"end\":1,\"words\":[[\"a\",0]]}]}",
            "{\"segments\":[{\"start\":0,\"end\":1,\"words\":[[\"a\",1,0]]}]}",
            "{\"segments\":[{\"start\":\"0\",\"end\":1,\"words\":[]}]}",
        ])
    func malformed(body: String) async throws {
        let error = await #expect(throws: HTTPError.self) { try await answer(body) }
        #expect(error?.status == 400 && error?.param == "segments")
    }

    @Test("formats other than srt, vtt and md are rejected", arguments: ["", "json", "text", "ass"])
    func formats(format: String) async throws {
        let error = await #expect(throws: HTTPError.self) { try await answer("{\"segments\":[]}", format: format) }
        #expect(error?.status == 400 && error?.param == "format")
    }

    @Test("a transcript without words has no cues")
    func empty() async throws {
        #expect(try await text("{\"segments\":[]}").isEmpty)
        #expect(try await text("{\"segments\":[{\"start\":0,\"end\":1,\"words\":[]}]}").isEmpty)
    }
}

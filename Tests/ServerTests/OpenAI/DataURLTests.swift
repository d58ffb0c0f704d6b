import Foundation
import Testing
import WhisperEngine
import WhisperServer

@Suite("Recordings in URLs")
struct DataURLTests {
    private static func form(_ url: [UInt8], limit: Int = 1 << 24) throws -> TranscriptionForm {
        var settings = OpenAISettings()
        settings.maxUpload = limit
        var form = try TranscriptSample.form([("model", "m")], file: nil)
        form.files = [MultipartForm.File(name: "url", file: try Upload(url))]
        return try TranscriptionForm(form, task: .transcribe, settings: settings)
    }

    private static func url(_ base64: String) -> [UInt8] { Array("data:audio/wav;base64,\(base64)".utf8) }

    @Test(
        "base64 of any length decodes, also unpadded and with line breaks", arguments: [1, 2, 3, 4, 300_000, 1_000_001])
    func decoding(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) }
        let base64 = Data(bytes).base64EncodedString()
        let lines = Data(bytes).base64EncodedString(options: .lineLength76Characters)
        for text in [base64, lines, String(base64.prefix { $0 != "=" })] {
            let recording = try Self.form(Self.url(text)).recording
            #expect(recording.count == count)
            #expect(try recording.bytes(0..<count) == bytes)
        }
    }

    @Test(
        "anything that is not base64 is rejected",
        arguments: ["A", "AAA*", "AA=A", "A===", "AAAA=", "AAA==", "AB==", "AAAB=", "-_-_", ""])
    func damaged(text: String) {
        let error = #expect(throws: HTTPError.self) { try Self.form(Self.url(text)) }
        #expect(error?.status == 400 && error?.param == "url")
    }

    @Test(
        "no other URL is followed",
        arguments: [
            "http://127.0.0.1/a.wav", "https://example.com/a.wav", "file:///etc/passwd", "ftp://x", "//x", "a.wav",
        ])
    func others(url: String) {
        let error = #expect(throws: HTTPError.self) { try Self.form(Array(url.utf8)) }
        #expect(error?.status == 400 && error?.param == "url" && error?.code == "url_not_supported")
    }

    @Test("a data URL without base64 is rejected")
    func plain() {
        #expect(throws: HTTPError.self) { try Self.form(Array("data:audio/wav,RIFF".utf8)) }
    }

    @Test("a recording above the limit is too large")
    func limit() throws {
        let base64 = Data(count: 1001).base64EncodedString()
        #expect(try Self.form(Self.url(base64), limit: 1001).recording.count == 1001)
        let error = #expect(throws: HTTPError.self) { try Self.form(Self.url(base64), limit: 1000) }
        #expect(error?.status == 413)
    }

    @Test("a file and a URL together are rejected")
    func both() throws {
        var form = try TranscriptSample.form([("model", "m")])
        form.files.append(MultipartForm.File(name: "url", file: try Upload(Self.url("AAAA"))))
        let error = #expect(throws: HTTPError.self) { try TranscriptionForm(form, task: .transcribe) }
        #expect(error?.status == 400 && error?.param == "url")
    }
}

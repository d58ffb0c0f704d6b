import Testing
import WhisperServer

/// Every line of the table of forms in the specification.
@Suite("Multipart parser")
struct MultipartParserTests {
    private typealias Sample = MultipartSample

    private static let model = Sample.part("name=\"model\"", "whisper-1")
    private static let audio = "RIFF\r\n-\r\n--Xy\r\n--XyZa\r\n--XyZ-\r\n--XyZ \t x\r\r\n\0--XyZ--\n--XyZ"
    private static let file = Sample.part(
        "name=\"file\"; filename=\"a.WAV\"", audio, lines: ["Content-Type: audio/x-wav"])

    @Test("a form with a text and a file is parsed")
    func plain() throws {
        #expect(try Sample.file(Sample.body(Self.model, Self.file)) == Array(Self.audio.utf8))
        guard case .form(let parts) = Sample.parse(Sample.body(Self.model, Self.file)) else {
            Issue.record("refused")
            return
        }
        #expect(parts.first == "model=whisper-1")
        #expect(parts.last?.contains(" .wav audio/x-wav ") == true)
    }

    @Test("the order of parts does not matter")
    func order() {
        #expect(
            Sample.parse(Sample.body(Self.model, Self.file)) == Sample.parse(Sample.body(Self.file, Self.model)))
    }

    @Test(
        "the boundary is found, quoted or not, in any case and among other parameters",
        arguments: [
            "multipart/form-data; boundary=XyZ", "multipart/form-data; boundary=\"XyZ\"",
            "Multipart/Form-Data; Boundary=XyZ", "multipart/form-data; BOUNDARY=\"XyZ\"; charset=utf-8",
            "multipart/form-data; charset=utf-8; boundary=XyZ", "multipart/form-data;boundary=XyZ",
            "multipart/form-data; charset=\"a;b\"; boundary=XyZ ", "multipart/form-data ; boundary=XyZ;",
        ])
    func boundaries(contentType: String) {
        #expect(Sample.parse(Sample.body(Self.model), contentType: contentType) == .form(["model=whisper-1"]))
    }

    @Test("a boundary may have 70 characters of RFC 2046's set")
    func oddBoundary() {
        for boundary in [String(repeating: "b", count: 70), "a'()+_,-./:=?b c", "1B4E28BA-2FA1-11D2-883F-0016D3CCA427"]
        {
            let body = "--\(boundary)\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--\(boundary)--"
            let type = "multipart/form-data; boundary=\"\(boundary)\""
            #expect(Sample.parse(Array(body.utf8), contentType: type) == .form(["a=1"]))
        }
    }

    @Test(
        "missing, malformed and repeated boundaries are rejected",
        arguments: [
            "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\"",
            "multipart/form-data; boundary=" + String(repeating: "b", count: 71),
            "multipart/form-data; boundary=a{b}", "multipart/form-data; boundary=\"a\u{e4}\"",
            "multipart/form-data; boundary=\"XyZ \"", "multipart/form-data; boundary=\"a\tb\"",
            "multipart/form-data; boundary=\"XyZ", "multipart/form-data; boundary=a; boundary=b",
        ])
    func badBoundaries(contentType: String) {
        #expect(Sample.parse(Sample.body(Self.model), contentType: contentType).error?.status == 400)
    }

    @Test(
        "anything but a form is an unsupported type",
        arguments: [
            nil, "", "application/x-www-form-urlencoded", "application/json", "multipart/mixed; boundary=XyZ",
            "multipart/form-database; boundary=XyZ",
        ])
    func types(contentType: String?) {
        let error = Sample.parse(Sample.body(Self.model), contentType: contentType).error
        #expect(error?.status == 415 && error?.code == "unsupported_media_type")
    }

    @Test(
        "text around the parts is accepted",
        arguments: [
            "preamble\r\n--XyZ \t\r\nD\r\n\r\n1\r\n--XyZ--", "--XyZ\r\nD\r\n\r\n1\r\n--XyZ--",
            "--XyZ\r\nD\r\n\r\n1\r\n--XyZ--\r\nepilogue --XyZ", "\r\n--XyZ\r\nD\r\n\r\n1\r\n--XyZ-- \r\n",
            "--XyZa\r\n--X\r\n--XyZ\r\nD\r\n\r\n1\r\n--XyZ--\r\n--XyZ\r\n",
        ])
    func surroundings(template: String) {
        #expect(Sample.parse(Self.filled(template)) == .form(["a=1"]))
    }

    @Test(
        "a form that does not end is incomplete",
        arguments: [
            "", "--XyZ", "--XyZ\r\n", "--XyZ\r\nContent-Dispo", "--XyZ\r\nD\r\n", "--XyZ\r\nD\r\n\r\n",
            "--XyZ\r\nD\r\n\r\n1", "--XyZ\r\nD\r\n\r\n1\r\n--XyZ", "--XyZ\r\nD\r\n\r\n1\r\n--XyZ-",
            "--XyZ\r\nD\r\n\r\n1\n--XyZ--\n", "--XyZ\nD\n\n1\n--XyZ--\n",
        ])
    func incomplete(template: String) {
        let error = Sample.parse(Self.filled(template)).error
        #expect(error?.status == 400 && error?.code == "incomplete")
        #expect(error?.message.contains("incomplete") == true)
    }

    @Test("headers that end with a line feed alone are rejected")
    func lineFeeds() {
        let body = "--XyZ\r\nContent-Disposition: form-data; name=a\n\r\n\r\n1\r\n--XyZ--"
        #expect(Sample.parse(Array(body.utf8)).error?.status == 400)
    }

    @Test(
        "parts without a proper name are rejected",
        arguments: [
            "", "X: y", "Content-Disposition: attachment; name=a", "Content-Disposition: form-data",
            "Content-Disposition: form-data; filename=a", "Content-Disposition: form-data; name=\"\"",
            "Content-Disposition: form-data; name=a; name=b", "Content-Disposition: form-data; name=\"a",
            "Content-Disposition: form-data; name=\"a\" b", "Content-Disposition: form-data; name",
            "Content-Disposition : form-data; name=a", " Content-Disposition: form-data; name=a",
            "Content-Disposition: form-data;\r\n name=a", "Content-Disposition: form-data; name=\"a%00\"",
            "Content-Disposition: form-data; name=\"a\0b\"", "Content-Disposition: form-data; name=\"a%0Db\"",
            "Content-Disposition: form-data; name=\"a\rb\"", "Content-Disposition: form-data; name=\"a%0a\"",
            "Content-Disposition: form-data; name=\"%FF\"", "no colon",
            "Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b",
        ])
    func badHeads(head: String) {
        let body = "--XyZ\r\n\(head)\r\n\r\n1\r\n--XyZ--\r\n"
        #expect(Sample.parse(Array(body.utf8)).error?.status == 400)
    }

    @Test(
        "names are read in all notations",
        arguments: [
            ("name=\"a\\\"b\"", "a\"b"), ("name=\"a%22b\"", "a\"b"), ("name=token", "token"), ("NAME=\"a\"", "a"),
            ("name=\"x%5B%5D\"", "x[]"), ("name=\"a b\" ; other=1", "a b"), ("name=\"100%\"", "100%"),
            ("name=\"ü\"", "ü"), ("name=\"a;b\"", "a;b"),
        ])
    func names(parameter: String, name: String) {
        #expect(Sample.parse(Sample.body(Sample.part(parameter, "1"))) == .form(["\(name)=1"]))
    }

    @Test("headers come in any order and case")
    func headerOrder() {
        let body =
            "--XyZ\r\ncontent-TYPE: text/plain; charset=utf-8\r\nX-Any:1\r\n"
            + "CONTENT-disposition:form-data;name=a\r\n\r\nü\r\n--XyZ--"
        #expect(Sample.parse(Array(body.utf8)) == .form(["a=ü"]))
    }

    @Test("16 headers of 4 KiB are accepted, more are rejected")
    func headerLimits() {
        let lines = (0..<15).map { "X-\($0): y" }
        #expect(Sample.parse(Sample.body(Sample.part("name=a", lines: lines))).error == nil)
        #expect(Sample.parse(Sample.body(Sample.part("name=a", lines: lines + ["X: y"]))).error?.status == 400)
        let room = (4 << 10) - "Content-Disposition: form-data; name=a\r\nX: \r\n\r\n".utf8.count
        let long = String(repeating: "y", count: room)
        #expect(Sample.parse(Sample.body(Sample.part("name=a", lines: ["X: \(long)"]))).error == nil)
        #expect(Sample.parse(Sample.body(Sample.part("name=a", lines: ["X: \(long)y"]))).error?.status == 400)
    }

    @Test(
        "file names of all kinds are accepted and used for their extension only",
        arguments: [
            ("", ""), ("; filename=\"\"", ""), ("; filename=\"../../x.wav\"", "wav"),
            ("; filename=\"C:\\x.Mp3\"", "mp3"),
            ("; filename=\"" + String(repeating: "n", count: 10_000) + ".flac\"", "flac"),
            ("; filename*=UTF-8''%C3%BC.m4a", "m4a"), ("; filename=\"%C3%BC.ogg\"", "ogg"),
            ("; filename=\"ü.webm\"; filename*=UTF-8''x.mp4", "mp4"), ("; filename=\"a.b/../c\"", ""),
            ("; filename=upload", ""), ("; filename=\"a.%00\"", ""), ("; filename=\"say \\\"a\\\".wav\"", "wav"),
        ])
    func fileNames(parameter: String, ending: String) throws {
        let body = Sample.body(Sample.part("name=\"file\"" + parameter, "audio"))
        #expect(try Sample.file(body) == Array("audio".utf8))
        guard case .form(let parts) = Sample.parse(body) else { return }
        #expect(parts[0].contains(" .\(ending) "))
    }

    @Test("only encodings that change nothing are accepted")
    func transferEncodings() {
        for (encoding, isAccepted) in [
            ("binary", true), ("8bit", true), ("7BIT", true), ("base64", false), ("quoted-printable", false),
            ("x", false),
        ] {
            let part = Sample.part("name=file", lines: ["Content-Transfer-Encoding: \(encoding)"])
            #expect((Sample.parse(Sample.body(part)).error == nil) == isAccepted)
        }
    }

    @Test("a nested multipart is the content of its part")
    func nested() throws {
        let nested = "--in\r\nContent-Disposition: attachment\r\n\r\nx\r\n--in--"
        let part = Sample.part("name=file", nested, lines: ["Content-Type: multipart/mixed; boundary=in"])
        #expect(try Sample.file(Sample.body(part)) == Array(nested.utf8))
    }

    @Test("a second recording is rejected")
    func secondFile() {
        for name in ["file", "url"] {
            let part = Sample.part("name=\(name); filename=a", "x")
            let error = Sample.parse(Sample.body(part, part)).error
            #expect(error?.status == 400 && error?.param == name)
        }
    }

    @Test("64 parts are accepted, the next one is rejected, empty or not", arguments: ["", "x"])
    func partLimit(content: String) {
        let parts = (0..<64).map { Sample.part("name=n\($0)", content) }.joined()
        #expect(Sample.parse(Sample.body(parts)).error == nil)
        #expect(Sample.parse(Sample.body(parts, Sample.part("name=x", content))).error?.status == 400)
        let unfinished = Array((parts + Sample.part("name=x", content)).utf8)
        #expect(Sample.parse(unfinished).error?.code != "incomplete")
    }

    @Test(
        "texts have a limit of 1 KiB, prompts one of 64 KiB", arguments: [("language", 1 << 10), ("prompt", 64 << 10)])
    func textLimits(name: String, limit: Int) {
        let text = String(repeating: "t", count: limit)
        #expect(Sample.parse(Sample.body(Sample.part("name=\(name)", text))).error == nil)
        let error = Sample.parse(Sample.body(Sample.part("name=\(name)", text + "t"))).error
        #expect(error?.status == 400 && error?.param == name)
    }

    @Test("all texts together have a limit, which every useful form respects")
    func textLimit() {
        let prompt = { (name: String) in
            Sample.part("name=\(name)", String(repeating: "t", count: MultipartParser.maxPromptBytes))
        }
        let field = String(repeating: "t", count: MultipartParser.maxFieldBytes)
        let most = prompt("prompt") + prompt("hotwords") + (0..<62).map { Sample.part("name=n\($0)", field) }.joined()
        #expect(Sample.parse(Sample.body(most)).error == nil)
        let more = (0..<4).map { _ in prompt("prompt") }.joined()
        #expect(Sample.parse(Sample.body(more)).error?.status == 400)
    }

    @Test("a field that is sent as a file is a field like any other, and keeps its limits")
    func fieldsAsFiles() {
        let file = "; filename=upload"
        let lines = ["Content-Type: application/octet-stream"]
        let parts = ["language", "model", "x[]", "x[]"].map { name in
            Sample.part("name=\"\(name)\"\(file)", "ü", lines: lines)
        }
        #expect(Sample.parse(Sample.body(parts.joined())) == .form(["language=ü", "model=ü", "x[]=ü", "x[]=ü"]))
        let long = String(repeating: "t", count: MultipartParser.maxPromptBytes + 1)
        let prompt = Sample.part("name=prompt\(file)", long)
        #expect(Sample.parse(Sample.body(prompt)).error?.param == "prompt")
        // Other files have no meaning, and their content is not kept.
        let image = Sample.part("name=image\(file)", String(repeating: "\0", count: 10_000))
        #expect(Sample.parse(Sample.body(image, Self.model)) == .form(["image=", "model=whisper-1"]))
    }

    @Test("recordings of voices are dropped, whatever the list is called")
    func references() {
        for name in ["known_speaker_references", "known_speaker_references[]", "known_speaker_references[1]"] {
            let part = Sample.part("name=\"\(name)\"", String(repeating: "t", count: 100_000))
            #expect(Sample.parse(Sample.body(part)) == .form(["\(name)="]))
        }
    }

    @Test("texts must be UTF-8 without NUL")
    func encodings() {
        let start = Array(Sample.part("name=a", "").utf8.dropLast(2))
        for bytes: [UInt8] in [[0xff], [0xc3], [0x61, 0], [0xed, 0xa0, 0x80]] {
            let error = Sample.parse(start + bytes + Array("\r\n--XyZ--".utf8)).error
            #expect(error?.status == 400 && error?.param == "a")
        }
        let charset = Sample.part("name=_charset_", "iso-8859-1")
        #expect(Sample.parse(Sample.body(charset)) == .form(["_charset_=iso-8859-1"]))
    }

    @Test("an empty file is rejected, an empty text is not")
    func empty() {
        let error = Sample.parse(Sample.body(Sample.part("name=file; filename=a.wav", ""))).error
        #expect(error?.status == 400 && error?.param == "file")
        #expect(error?.message.contains("empty") == true)
        #expect(Sample.parse(Sample.body(Sample.part("name=a", ""))) == .form(["a="]))
    }

    @Test("a file at its limit is accepted, one byte more is too large")
    func fileLimit() {
        let body = { (count: Int) in
            Sample.body(Sample.part("name=file; filename=a", String(repeating: "x", count: count)))
        }
        #expect(Sample.parse(body(1000), limit: 1000).error == nil)
        let error = Sample.parse(body(1001), limit: 1000).error
        #expect(error?.status == 413 && error?.code == "request_too_large" && error?.param == "file")
    }

    /// `D` stands for a disposition with the name `a`.
    private static func filled(_ template: String) -> [UInt8] {
        let lines = template.split(separator: "D", omittingEmptySubsequences: false)
        return Array(lines.joined(separator: "Content-Disposition: form-data; name=a").utf8)
    }
}

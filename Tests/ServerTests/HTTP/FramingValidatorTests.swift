import Testing
import WhisperServer

@Suite("Framing of requests")
struct FramingValidatorTests {
    /// What a connection's bytes came to.
    private enum Outcome: Equatable {
        case passed
        case status(Int)
        case messageTooLong
        case tooManyFrames
    }

    /// Passes all bytes in pieces of this size, and again what was not checked of a piece.
    private static func outcome(
        _ bytes: [UInt8], pieces: Int, of validator: FramingValidator = FramingValidator()
    ) -> Outcome {
        var validator = validator
        var start = 0
        while start < bytes.count {
            let piece = Array(bytes[start..<min(start + pieces, bytes.count)])
            do throws(FramingValidator.Violation) {
                let count = try validator.check(piece.span)
                guard (1...piece.count).contains(count) else { return .status(-1) }
                start += count
            } catch {
                switch error {
                case .request(let error): return .status(error.status)
                case .messageTooLong: return .messageTooLong
                case .tooManyFrames: return .tooManyFrames
                }
            }
        }
        return .passed
    }

    private static func expect(
        _ bytes: some Sequence<UInt8>, _ outcome: Outcome, _ validator: FramingValidator? = nil,
        at location: SourceLocation = #_sourceLocation
    ) {
        let bytes = Array(bytes)
        for pieces in [1, 2, 7, 4096] {
            let found = Self.outcome(bytes, pieces: pieces, of: validator ?? FramingValidator())
            #expect(found == outcome, "pieces of \(pieces)", sourceLocation: location)
        }
    }

    private static let get = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"

    private static func post(_ fields: String...) -> String {
        "POST / HTTP/1.1\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    @Test("requests pass, one after the other, with and without bodies")
    func requests() {
        Self.expect(Self.get.utf8, .passed)
        Self.expect((Self.get + Self.get + "\r\n" + Self.get).utf8, .passed)
        Self.expect((Self.post("Content-Length: 7") + "\nabc\r\n\n" + Self.get).utf8, .passed)
        Self.expect((Self.post("content-length:\t3 ") + "abc" + Self.get).utf8, .passed)
        Self.expect((Self.post("Content-Length: 0") + Self.get).utf8, .passed)
        Self.expect("OPTIONS * HTTP/1.0\r\nX: a \u{e9}\tb:c\r\nEmpty:\r\n\r\n".utf8, .passed)
    }

    @Test("checking stops at the end of a head and of a request, since only the answer decides what follows")
    func ends() throws {
        var validator = FramingValidator()
        let head = Self.post("Content-Length: 3")
        let bytes = Array((head + "abc" + Self.get).utf8)
        #expect(try validator.check(bytes.span) == head.utf8.count)
        #expect(validator.isInsideBody)
        #expect(try validator.check(Array("abcGET".utf8).span) == 3)
        #expect(!validator.isInsideBody)
    }

    @Test(
        "requests that others might read differently are rejected",
        arguments: [
            "GET /health HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\n\r\n",
            "GET / HTTP/1.1\r\nX: a\r\n b\r\n\r\n",
            "GET / HTTP/1.1\r\nX : a\r\n\r\n", "GET / HTTP/1.1\r\nX: a\0b\r\n\r\n", "GET / HTTP/1.1\r\nX: a\rb\r\n\r\n",
            "GET / HTTP/1.1\r\n: a\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\nX(y): a\r\n\r\n",
            "GET  / HTTP/1.1\r\n\r\n", " GET / HTTP/1.1\r\n\r\n", "GET / x HTTP/1.1\r\n\r\n", "GET /\r\n\r\n",
            "G(T / HTTP/1.1\r\n\r\n", "GET /\u{e9} HTTP/1.1\r\n\r\n", "GET / http/1.1\r\n\r\n", "\r\n\r\n\r\nGET",
            "GET / HTTP/1.1 \r\n\r\n", "GET / HTTP/1.1\r\nX: a\u{7f}\r\n\r\n",
        ])
    func syntax(text: String) {
        Self.expect(text.utf8, .status(400))
    }

    @Test("other versions are rejected", arguments: ["HTTP/1.1x", "HTTP/2.0", "HTTP/0.9", "HTTP/", "HTTP/1.11"])
    func versions(version: String) {
        Self.expect("GET / \(version)\r\n\r\n".utf8, .status(505))
    }

    @Test("a head that does not end is rejected")
    func endlessHead() {
        Self.expect("GET / HTTP/1.1\r\nX: ".utf8 + [UInt8](repeating: 0x61, count: 1 << 17), .status(431))
        Self.expect([UInt8](repeating: 0x61, count: 1 << 17) + [0x61], .status(414))
    }

    @Test(
        "a body of ambiguous length is rejected",
        arguments: [
            (["Content-Length: -1"], 400), (["Content-Length: +3"], 400), (["Content-Length: 3x"], 400),
            (["Content-Length: 3, 3"], 400), (["Content-Length:"], 400), (["Content-Length: 9223372036854775808"], 400),
            (["Content-Length: 3", "content-length: 3"], 400),
            (["Content-Length: 3", "Transfer-Encoding: chunked"], 400), (["Transfer-Encoding: gzip, chunked"], 501),
            (["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], 501), (["Transfer-Encoding: identity"], 501),
        ])
    func lengths(fields: [String], status: Int) {
        Self.expect(("POST / HTTP/1.1\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n").utf8, .status(status))
    }

    @Test(
        "chunks pass, with sizes in any case, extensions and trailers",
        arguments: [
            "0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "00a\r\n0123456789\r\n1;a=b\r\n\n\r\n0\r\n\r\n",
            "A\r\n0123456789\r\n0\r\nX-Trailer: a\r\nY: b\r\n\r\n",
        ])
    func chunks(body: String) {
        Self.expect((Self.post("Transfer-Encoding: Chunked") + body + Self.get).utf8, .passed)
    }

    @Test(
        "chunks that others might read differently are rejected",
        arguments: [
            "zz\r\n", "\r\n5\r\nhello", "-5\r\n", "0x5\r\n", "5 \r\n", "5\nhello", "5\r\nhelloXX", "5\r\nhello\n0",
            "11111111111111111\r\n", "ffffffffffffffff\r\n", "5;a\u{1}\r\n", "0\r\nno colon\r\n", "0\r\n X: a\r\n",
            "5;" + String(repeating: "a", count: 100),
        ])
    func badChunks(body: String) {
        Self.expect((Self.post("Transfer-Encoding: chunked") + body).utf8, .status(400))
    }

    @Test("trailers that do not end are rejected")
    func endlessTrailers() {
        let trailers = String(repeating: "X: \(String(repeating: "a", count: 90))\r\n", count: 100)
        Self.expect((Self.post("Transfer-Encoding: chunked") + "0\r\n" + trailers).utf8, .status(431))
    }

    // MARK: - WebSockets

    /// A masked frame with a payload of zeros.
    private static func frame(_ opcode: UInt8, _ count: Int, isLast: Bool = true) -> [UInt8] {
        let length: [UInt8] =
            count < 126
            ? [UInt8(count)]
            : count < 1 << 16
                ? [126, UInt8(count >> 8), UInt8(count & 0xff)]
                : [127] + (0..<8).reversed().map { UInt8(count >> (8 * $0) & 0xff) }
        return [opcode | (isLast ? 0x80 : 0), 0x80 | length[0]] + length.dropFirst() + [1, 2, 3, 4]
            + [UInt8](repeating: 0, count: min(count, 5000))
    }

    private static var open: FramingValidator {
        var validator = FramingValidator()
        validator.startMessages(maxLength: 1000)
        return validator
    }

    @Test("messages up to the limit pass, whole or in frames, with pings in between")
    func messages() {
        let parts = Self.frame(2, 500, isLast: false) + Self.frame(9, 125) + Self.frame(0, 500)
        Self.expect(Self.frame(1, 1000) + Self.frame(1, 0) + parts + parts + Self.frame(8, 2), .passed, Self.open)
    }

    @Test("a message over the limit is rejected when it begins, and one that never ends when it has grown too long")
    func longMessages() {
        Self.expect(Self.frame(2, 1001), .messageTooLong, Self.open)
        Self.expect(Self.frame(2, 1 << 40), .messageTooLong, Self.open)
        let part = Self.frame(0, 100, isLast: false)
        Self.expect(Self.frame(2, 100, isLast: false) + (0..<9).flatMap { _ in part }, .passed, Self.open)
        Self.expect(Self.frame(2, 100, isLast: false) + (0..<10).flatMap { _ in part }, .messageTooLong, Self.open)
    }

    @Test(
        "a client may send many small frames at once, but not for ever",
        arguments: [(9, 0), (9, 125), (10, 5), (2, 0), (2, 64)])
    func manyFrames(opcode: UInt8, count: Int) {
        let frame = Self.frame(opcode, count)
        Self.expect((0..<1500).flatMap { _ in frame }, .passed, Self.open)
        Self.expect((0..<3000).flatMap { _ in frame }, .tooManyFrames, Self.open)
    }

    @Test("empty fragments count as frames")
    func manyFragments() {
        let part = Self.frame(0, 0, isLast: false)
        Self.expect(Self.frame(2, 100, isLast: false) + (0..<3000).flatMap { _ in part }, .tooManyFrames, Self.open)
    }

    @Test("audio may come as fast as it can be sent")
    func muchAudio() {
        let frame = Self.frame(2, 80)
        Self.expect((0..<4000).flatMap { _ in frame }, .passed, Self.open)
    }
}

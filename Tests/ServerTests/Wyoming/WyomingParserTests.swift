import Testing
import WhisperEngine
import WhisperServer

@Suite("Wyoming parser")
struct WyomingParserTests {
    private static let stream = Array(
        """
        {"type":"describe"}
        {"type":"transcribe","data":{"language":"fr","name":"base"},"data_length":17}
        {"language":"en"}{"type":"audio-chunk","data_length":11,"payload_length":5}\r
        {"rate": 8}a\nb\n{{"type":"audio-stop"}

        """.utf8)
    private static let events = [
        WyomingEvent("describe"),
        WyomingEvent("transcribe", data: object([("name", .string("base")), ("language", .string("en"))])),
        WyomingEvent("audio-chunk", data: object([("rate", .number("8"))]), payload: Array("a\nb\n{".utf8)),
        WyomingEvent("audio-stop"),
    ]

    private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { JSONValue.Member(name: $0.0, value: $0.1) })
    }

    @Test("every division of the bytes gives the same events", arguments: 1...stream.count)
    func divisions(size: Int) throws {
        var parser = WyomingParser()
        var found: [WyomingEvent] = []
        for start in stride(from: 0, to: Self.stream.count, by: size) {
            parser.append(Array(Self.stream[start..<min(start + size, Self.stream.count)]))
            while let event = try parser.next() { found.append(event) }
        }
        #expect(found == Self.events)
        #expect(!parser.isInsideEvent)
    }

    @Test("a line without an end is refused once it is too long, not before")
    func longLine() throws {
        var parser = WyomingParser()
        parser.append([UInt8](repeating: 0x20, count: WyomingParser.maxLine))
        #expect(try parser.next() == nil)
        parser.append([0x20])
        #expect(throws: WyomingError.self) { try parser.next() }
    }

    @Test("the longest line, data and payload are accepted")
    func longest() throws {
        var parser = WyomingParser()
        let text = String(repeating: "x", count: WyomingParser.maxData - 7)
        let head =
            #"{"type":"t","data_length":\#(WyomingParser.maxData),"payload_length":\#(WyomingParser.maxPayload)}"#
        parser.append(Array(head.utf8))
        parser.append([UInt8](repeating: 0x20, count: WyomingParser.maxLine - head.utf8.count) + [0x0a])
        parser.append(Array(#"{"a":""#.utf8) + Array(text.dropLast().utf8) + Array("\"}".utf8))
        parser.append([UInt8](repeating: 7, count: WyomingParser.maxPayload))
        let event = try #require(try parser.next())
        #expect(event.payload.count == WyomingParser.maxPayload)
        #expect(event.data["a"]?.string?.utf8.count == WyomingParser.maxData - 8)
    }
}

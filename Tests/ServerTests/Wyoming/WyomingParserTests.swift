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
    /// The type, the members of the data, and the payload.
    private static let events: [(String, [String: JSONValue], [UInt8])] = [
        ("describe", [:], []), ("transcribe", ["name": .string("base"), "language": .string("en")], []),
        ("audio-chunk", ["rate": .number("8")], Array("a\nb\n{".utf8)), ("audio-stop", [:], []),
    ]

    @Test("every division of the bytes gives the same events", arguments: 1...stream.count)
    func divisions(size: Int) throws {
        var parser = WyomingParser()
        var found: [WyomingEvent] = []
        for start in stride(from: 0, to: Self.stream.count, by: size) {
            parser.append(Array(Self.stream[start..<min(start + size, Self.stream.count)]))
            while let event = try parser.next() { found.append(event) }
        }
        #expect(found.map(\.type) == Self.events.map(\.0))
        for (event, expected) in zip(found, Self.events) {
            #expect(event.payload == expected.2)
            guard case .object(let members) = event.data else {
                Issue.record("no object")
                continue
            }
            #expect(members.count == expected.1.count)
            #expect(members.allSatisfy { expected.1[$0.name] == $0.value })
        }
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

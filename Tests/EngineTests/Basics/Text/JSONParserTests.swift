import Testing

@Suite("JSON parser")
struct JSONParserTests {
    /// Parses an object member by member, keeping its strings as bytes and other values as their text.
    private func members(_ text: String) throws -> [String: [UInt8]] {
        let bytes = Array(text.utf8)
        var found: [String: [UInt8]] = [:]
        var parser = JSONParser(text: bytes, membersLeft: 10)
        try parser.document(depth: 3) { (name, parser) throws(JSONValue.Problem) in
            if parser.isAtString {
                var value: [UInt8] = []
                try parser.pieces { value += $0 }
                found[name] = value
            } else {
                let start = parser.position
                _ = try parser.value(depth: 2)
                found[name] = Array(bytes[start..<parser.position])
            }
        }
        return found
    }

    @Test("the members of an object are passed on with their bytes, escape sequences resolved")
    func pieces() throws {
        let found = try members(
            #" { "plain" : "abc" , "escaped":"\/a\u00e4\ud83d\ude00\\\"b\n", "empty":"","list": [1, {"x":2}] , "n":-1e3} "#
        )
        #expect(
            found.mapValues { String(decoding: $0, as: UTF8.self) } == [
                "plain": "abc", "escaped": "/aä😀\\\"b\n", "empty": "", "list": #"[1, {"x":2}]"#, "n": "-1e3",
            ])
        #expect(try members("{}") == [:])
    }

    @Test(
        "a text that is not a single object is rejected",
        arguments: [
            "", "1", "[]", #""a""#, "{", #"{"a"}"#, #"{"a":"#, #"{"a":"b"#, #"{"a":"b\"#, #"{"a":"\x"}"#, #"{"a":1}}"#,
            #"{"a":1,"a":2}"#, #"{"a":1,}"#, "{\"a\":\"\n\"}", #"{"a":[[[1]]]}"#, #"{"a":[1,2,3,4,5,6,7,8,9,10]}"#,
        ])
    func refused(text: String) { #expect(throws: JSONValue.Problem.self) { try members(text) } }
}

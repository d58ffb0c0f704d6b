import Testing
import WhisperServer

@Suite("Percent coding")
struct PercentCodingTests {
    @Test(
        "escapes are decoded once, and anything that is not text is rejected",
        arguments: [
            ("/v1/models", "/v1/models"), ("/a%2Fb", "/a/b"), ("/%2541", "/%41"), ("/a+b", "/a+b"),
            ("/%C3%BC", "/ü"), ("/%", nil), ("/%4", nil), ("/%zz", nil), ("/%00", nil), ("/%FF", nil),
        ])
    func paths(text: String, decoded: String?) {
        #expect(PercentCoding.decode(text) == decoded)
    }

    @Test("a query is a list of names and values; a plus is a blank")
    func queries() throws {
        let query = try #require(PercentCoding.query("a=1&keyterms=%5B%22a+b%22%5D&flag&a=2&x=y=z"))
        #expect(query.map(\.name) == ["a", "keyterms", "flag", "a", "x"])
        #expect(query.map(\.value) == ["1", "[\"a b\"]", "", "2", "y=z"])
        #expect(PercentCoding.query("a=%") == nil)
    }
}

import Testing

@Suite("Compression ratio")
struct CompressionRatioTests {
    struct Case: Decodable {
        struct File: Decodable { let cases: [Case] }
        let text: String
        let bytes: Int
        let compressed: Int
        let ratio: Double
    }

    @Test("the ratio equals the reference's")
    func ratios() throws {
        let cases = try Fixtures.decoding("compression-ratio", as: Case.File.self).cases
        #expect(cases.count == 26)
        for one in cases {
            #expect(one.text.utf8.count == one.bytes)
            #expect(CompressionRatio.of(one.text) == one.ratio)
        }
    }

    @Test("an empty text has ratio 0, and a long one does not trap")
    func extremes() {
        #expect(CompressionRatio.of("") == 0)
        #expect(CompressionRatio.of(String(repeating: "la ", count: 1_000_000)) > 500)
    }
}

import Testing

@Suite("Planted numbers")
struct PlantedNumbersTests {
    struct Case: Decodable {
        let seed: Int
        let ints: [Int]
        let value: Double
    }
    struct File: Decodable { let cases: [Case] }

    @Test("planted numbers equal those of the fixtures' generator")
    func values() throws {
        let cases = try Fixtures.json("decoding/unit.json", as: File.self).cases
        #expect(cases.count == 7)
        for one in cases {
            #expect(PlantedNumbers.unit(PlantedNumbers.state(one.seed, one.ints)) == one.value)
        }
    }
}

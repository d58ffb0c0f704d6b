import Testing

@Suite("Byte string table")
struct ByteStringTableTests {
    /// Random strings of few different bytes, so that many are equal or prefixes of others.
    private static func strings(_ count: Int) -> [[UInt8]] {
        var numbers = SplitMix64(seed: 3)
        return (0..<count).map { _ in
            let length = Int.random(in: 0...20, using: &numbers)
            return (0..<length).map { _ in UInt8.random(in: 0...2, using: &numbers) }
        }
    }

    @Test("it finds the first of equal strings, as a dictionary does", arguments: [0, 1, 5000])
    func found(capacity: Int) {
        let strings = Self.strings(5000), others = Self.strings(9000).suffix(4000)
        var table = ByteStringTable(capacity: capacity), numbers: [[UInt8]: Int] = [:]
        for (number, string) in strings.enumerated() {
            let isFirst = table.add(string.span)
            #expect(isFirst == (numbers[string] == nil))
            if isFirst { numbers[string] = number }
        }
        for string in strings + others + [[], [7], [UInt8](repeating: 1, count: 100)] {
            let number = table.number(of: string.span)
            #expect(number == numbers[string])
        }
    }

    @Test("strings that differ only in length or in zeros are different")
    func zeros() {
        var table = ByteStringTable()
        let strings = (0...17).map { [UInt8](repeating: 0, count: $0) }
        for string in strings {
            let isFirst = table.add(string.span)
            #expect(isFirst)
        }
        let found = strings.map { table.number(of: $0.span) }
        #expect(found == Array(strings.indices))
    }
}

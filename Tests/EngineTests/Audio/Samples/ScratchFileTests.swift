import Testing

@Suite("Scratch file")
struct ScratchFileTests {
    @Test("what is written is read, also where some or all of it is zero")
    func zeros() throws {
        let blocks: [[UInt8]] = [
            [0], [7], [], [0, 0, 0], [0, 0, 1], [1, 0, 0], [255], Array(repeating: 0, count: 5000), [9, 9, 9],
            Array(repeating: 0, count: 4095) + [1], Array(repeating: 3, count: 100), [0],
        ]
        let file = try #require(ScratchFile(in: [FilePath("/tmp")]))
        var all: [UInt8] = []
        for block in blocks {
            try file.write(block, at: all.count)
            all += block
        }
        #expect(try file.read(at: 0, count: all.count) == all)
        try file.write([0, 256, 0] as [Int16], at: all.count)
        #expect(try file.read(at: all.count, count: 6) == [0, 0, 0, 1, 0, 0])
    }
}

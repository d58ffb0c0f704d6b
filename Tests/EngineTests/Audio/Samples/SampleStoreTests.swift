import Foundation
import Testing

@Suite("Sample store")
struct SampleStoreTests {
    private func samples(_ count: Int, from start: Int = 0) -> [Float] {
        (start..<(start + count)).map { Float(Int16(truncatingIfNeeded: $0 &* 7)) / 32768 }
    }

    private func expect(_ expected: [Float], _ found: [Float]) {
        #expect(found == expected)
    }

    @Test("appended samples are read back from memory and disk", arguments: [0, 1, 100, 4 << 20])
    func roundTrip(memoryBytes: Int) throws {
        let store = SampleStore(folders: [FilePath("/nonexistent"), FilePath("/tmp")], memoryBytes: memoryBytes)
        for start in stride(from: 0, to: 100_000, by: 1000) { try store.append(samples(1000, from: start)) }
        let all = samples(100_000)
        let (count, isOnDisk) = (store.count, store.isOnDisk)
        #expect(count == 100_000)
        #expect(isOnDisk == (memoryBytes < 200_000))
        try expect(all, store.read(0..<100_000))
        for range in [0..<0, 0..<1, 99_999..<100_000, 12_345..<67_890, 49..<51] {
            try expect(Array(all[range]), store.read(range))
        }
        try expect(Array(all[99_990...]), store.read(99_990..<200_000))
        try expect([], store.read(200_000..<200_010))
    }

    @Test("two minutes stay in memory, then a file is used")
    func spill() throws {
        let store = SampleStore()
        try store.append(samples(SampleStore.memoryBytes / 2))
        let before = store.isOnDisk
        try store.append(samples(1))
        let after = store.isOnDisk
        #expect(!before && after)
        try expect(samples(10), store.read(0..<10))
    }

    @Test("without a writable folder the samples stay in memory")
    func noDisk() throws {
        let store = SampleStore(folders: [FilePath("/proc"), FilePath("/nonexistent")], memoryBytes: 10)
        try store.append(samples(1000))
        try store.append(samples(1000, from: 1000))
        let isOnDisk = store.isOnDisk
        #expect(!isOnDisk)
        try expect(samples(2000), store.read(0..<2000))
    }

    @Test("the file has no name in its folder")
    func unnamed() throws {
        let folder = try AudioFolder()
        let store = SampleStore(folders: [FilePath(folder.url.path)], memoryBytes: 10)
        try store.append(samples(1000))
        let isOnDisk = store.isOnDisk
        #expect(isOnDisk)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test("samples are rounded to 16 bits and clipped")
    func rounding() throws {
        let store = SampleStore()
        try store.append([0.3, 2, -2, .nan, 1, -1])
        let words: [Float] = [9830, 32767, -32768, 0, 32767, -32768]
        try expect(words.map { $0 / 32768 }, store.read(0..<6))
    }

    @Test("errors name the folder")
    func messages() {
        #expect(SampleStoreError.diskFull(FilePath("/tmp")).description.contains("no space left in /tmp"))
    }
}

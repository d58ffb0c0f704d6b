import Foundation
import Testing
import WhisperEngine

/// Thousands of files with a few wrong bytes in the sections that control the reader.
@Suite("Random damage to ggml files")
struct GGMLFuzzTests {
    static let good = GGMLContents(width: 2)

    /// The offsets of headers, lengths and names: everything except filters and data.
    private static let controlOffsets: [Int] = {
        var offsets = Array(4..<56) + Array(good.vocabularyOffset..<good.recordsOffset)
        for (record, offset) in zip(good.records, good.recordOffsets) {
            offsets += offset..<(offset + record.header.count)
        }
        return offsets
    }()

    /// Boundary values for arithmetic.
    private static let numbers = [
        0, 1, -1, 2, 3, 31, 32, 33, 127, 128, 129, 201, 255, 256, 4096, 4097, 8192, 65_535, 65_536, 51_864,
        Int(Int32.max), Int(Int32.min), Int(Int32.max) - 1, 1 << 30, 1 << 24, 0x67676d6c,
    ]

    @Test("a damaged file loads or fails with an error that names it, within a second", arguments: 0..<4)
    func fuzz(seed: Int) throws {
        let folder = try TemporaryFolder()
        let bytes = Self.good.bytes
        let path = try folder.write(bytes)
        let handle = try FileHandle(forUpdating: folder.url.appending(path: "model.bin"))
        var draws = SplitMix64(seed: UInt64(seed))
        var loaded = 0, rejected: [String: Int] = [:], slowest = Duration.zero
        for _ in 0..<1000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...3, using: &draws) {
                guard let at = Self.controlOffsets.randomElement(using: &draws) else { continue }
                switch Int.random(in: 0..<4, using: &draws) {
                case 0: damaged[at] = UInt8.random(in: 0...255, using: &draws)
                case 1: damaged[at] ^= 1 << UInt8.random(in: 0..<8, using: &draws)
                default:
                    let number = GGMLContents.bytes(Self.numbers.randomElement(using: &draws) ?? 0)
                    damaged.replaceSubrange(at..<(at + 4), with: number)
                }
            }
            if Int.random(in: 0..<5, using: &draws) == 0 {
                let from = Self.good.recordOffsets.randomElement(using: &draws) ?? 0
                damaged.removeLast(damaged.count - min(damaged.count, from + Int.random(in: 0..<60, using: &draws)))
            }
            try handle.seek(toOffset: 0)
            try handle.write(contentsOf: Data(damaged))
            try handle.truncate(atOffset: UInt64(damaged.count))
            let time = ContinuousClock().measure {
                do throws(ModelError) {
                    _ = try GGMLFile(path)
                    loaded += 1
                } catch {
                    rejected[Mirror(reflecting: error).children.first?.label ?? "", default: 0] += 1
                    if !error.description.contains(path.description) { Issue.record("no path in \(error)") }
                }
            }
            slowest = max(slowest, time)
        }
        #expect(slowest < .seconds(1))
        // Several kinds of errors occurred, so the damage reached all parts of the reader.
        #expect(rejected.count >= 6 && loaded < 500, "\(loaded) loaded, \(rejected)")
    }

    @Test("a model with damaged weights can be used or fails with an error that names it", arguments: 0..<2)
    func weights(seed: Int) throws {
        let folder = try TemporaryFolder()
        var draws = SplitMix64(seed: UInt64(seed))
        let backend = try ComputeOptions(backend: .openblas, threads: 1).makeBackend()
        for _ in 0..<20 {
            var bytes = Self.good.bytes
            for _ in 0..<5 {
                let at = Int.random(in: Self.good.recordsOffset..<bytes.count, using: &draws)
                bytes[at] = UInt8.random(in: 0...255, using: &draws)
            }
            let path = try folder.write(bytes)
            do {
                let model = try WhisperModel(try GGMLFile(path), backend: backend)
                let decoder = try TextDecoder(model, maxRows: 1)
                decoder.attend(to: try AudioEncoder(model).encode([Float](repeating: 0.5, count: 3000 * 80)))
                #expect(try decoder.start([50_257], logitsAt: [0])[0].count == 51_864)
            } catch let error as ModelError {
                #expect(error.description.contains(path.description))
            }
        }
    }
}

import Foundation
import Testing
import WhisperEngine

/// Thousands of checkpoints with a few wrong bytes in the sections that control the reader.
@Suite("Random damage to PyTorch files")
struct PyTorchFuzzTests {
    /// Boundary values for arithmetic.
    private static let numbers = [
        0, 1, -1, 2, 3, 22, 30, 46, 64, 65, 127, 128, 255, 256, 65_535, 65_536, 51_864, Int(Int32.max), Int(Int32.min),
        1 << 30, 1 << 24, 0x04034b50, 0x02014b50,
    ]
    /// All opcodes that the reader knows and some that it does not.
    private static let opcodes: [UInt8] =
        Array("()]}.NJKMXGtsuacQRbqrhj0o".utf8) + [
            0x80, 0x81, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x93,
        ]

    /// A small file and the ranges of its bytes that are not weights.
    private struct Original {
        let bytes: [UInt8]
        let control: [Int]
        let pickle: Range<Int>

        init(_ name: String) throws {
            bytes = try [UInt8](Data(contentsOf: Fixtures.url("pytorch/\(name)")))
            let archive = try ZIPArchive(ReadOnlyFile(PyTorchFileTests.fixture(name)))
            pickle = archive.entries.first { $0.name.hasSuffix("data.pkl") }?.bytes ?? 0..<0
            var isWeight = [Bool](repeating: false, count: bytes.count)
            for entry in archive.entries where entry.name.contains("/data/") {
                for at in entry.bytes { isWeight[at] = true }
            }
            control = bytes.indices.filter { !isWeight[$0] }
        }
    }

    @Test("a damaged checkpoint loads or fails with an error that names it, within a second", arguments: 0..<4)
    func fuzz(seed: Int) throws {
        let folder = try TemporaryFolder()
        let original = try Original(seed % 2 == 0 ? "plain.pt" : "views.pt")
        let path = try folder.write(original.bytes)
        let handle = try FileHandle(forUpdating: folder.url.appending(path: "model.bin"))
        var draws = SplitMix64(seed: UInt64(seed))
        var loaded = 0, rejected: [String: Int] = [:], slowest = Duration.zero
        for _ in 0..<1000 {
            let damaged = Self.damage(original, &draws)
            try handle.seek(toOffset: 0)
            try handle.write(contentsOf: Data(damaged))
            try handle.truncate(atOffset: UInt64(damaged.count))
            let time = ContinuousClock().measure {
                do {
                    let file = try PyTorchFile(path)
                    loaded += 1
                    // Views may lie anywhere in their storages.
                    for name in ["encoder.conv1.weight", "decoder.ln.weight"] { _ = try file.tensor(name).floats() }
                    try file.verify()
                } catch let error as ModelError {
                    rejected[Mirror(reflecting: error).children.first?.label ?? "", default: 0] += 1
                    if !error.description.contains(path.description) { Issue.record("no path in \(error)") }
                } catch { Issue.record("\(error)") }
            }
            slowest = max(slowest, time)
        }
        #expect(slowest < .seconds(1))
        // Several kinds of errors occurred, so the damage reached all parts of the reader.
        #expect(rejected.count >= 6 && loaded < 600, "\(loaded) loaded, \(rejected)")
    }

    private static func damage(_ original: Original, _ draws: inout SplitMix64) -> [UInt8] {
        var bytes = original.bytes
        for _ in 0..<Int.random(in: 1...3, using: &draws) {
            let inPickle = Bool.random(using: &draws)
            let places = inPickle ? Array(original.pickle) : original.control
            guard let at = places.randomElement(using: &draws), at + 8 < bytes.count else { continue }
            switch Int.random(in: 0..<6, using: &draws) {
            case 0: bytes[at] = UInt8.random(in: 0...255, using: &draws)
            case 1: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &draws)
            case 2: bytes[at] = opcodes.randomElement(using: &draws) ?? 0
            case 3:
                let number = GGMLContents.bytes(numbers.randomElement(using: &draws) ?? 0)
                bytes.replaceSubrange(at..<(at + 4), with: number)
            case 4:
                // The distance of a copied run is like an opcode that occurs elsewhere.
                let from = places.randomElement(using: &draws) ?? at, count = Int.random(in: 1...8, using: &draws)
                if from + count <= bytes.count {
                    bytes.replaceSubrange(at..<(at + count), with: Array(bytes[from..<(from + count)]))
                }
            default:
                // The directory then lies elsewhere than its end record says.
                if inPickle, Int.random(in: 0..<4, using: &draws) > 0 { continue }
                bytes.remove(at: at)
            }
        }
        if Int.random(in: 0..<20, using: &draws) == 0 {
            bytes.removeLast(Int.random(in: 1...bytes.count, using: &draws))
        }
        return bytes
    }

    @Test("a mutated pickle in an intact archive gives an error that names the file, within a second", arguments: 0..<4)
    func pickles(seed: Int) throws {
        let folder = try TemporaryFolder()
        var draws = SplitMix64(seed: UInt64(100 + seed))
        var contents = PickleDamageTests.good
        contents.extras = [("a", .list([.int(1 << 40), .tuple([.none, .float(2)])]))]
        let pickle = contents.root.pickled
        // Without the storages, so that the files are small: only tensors may be missing.
        contents.storages = []
        var rejected: [String: Int] = [:], slowest = Duration.zero
        for _ in 0..<1000 {
            var damaged = pickle
            for _ in 0..<Int.random(in: 1...4, using: &draws) {
                let at = Int.random(in: 0..<damaged.count, using: &draws)
                switch Int.random(in: 0..<4, using: &draws) {
                case 0: damaged[at] = Self.opcodes.randomElement(using: &draws) ?? 0
                case 1: damaged.insert(Self.opcodes.randomElement(using: &draws) ?? 0, at: at)
                case 2: damaged.removeSubrange(at..<min(damaged.count, at + Int.random(in: 1...9, using: &draws)))
                default:
                    let end = min(damaged.count, at + Int.random(in: 1...200, using: &draws))
                    damaged.insert(contentsOf: damaged[at..<end], at: at)
                }
                if damaged.isEmpty { damaged = pickle }
            }
            contents.pickle = damaged
            let path = try folder.write(contents.bytes)
            let time = ContinuousClock().measure {
                do throws(ModelError) {
                    _ = try PyTorchFile(path)
                    Issue.record("loaded without weights")
                } catch {
                    rejected[Mirror(reflecting: error).children.first?.label ?? "", default: 0] += 1
                    if !error.description.contains(path.description) { Issue.record("no path in \(error)") }
                }
            }
            slowest = max(slowest, time)
        }
        #expect(slowest < .seconds(1))
        #expect(rejected.count >= 3, "\(rejected)")
    }
}

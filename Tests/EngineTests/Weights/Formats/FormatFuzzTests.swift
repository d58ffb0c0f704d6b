import Foundation
import Testing
import WhisperEngine

/// Thousands of models with a few wrong bytes in the parts that control the readers.
@Suite("Random damage to CTranslate2 and Hugging Face models")
struct FormatFuzzTests {
    /// Boundary values for arithmetic.
    private static let numbers = [
        0, 1, 2, 3, 4, 5, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0x10000, 51_864, 0x7fff_ffff, 0x8000_0000,
        0xffff_fffe, 0xffff_ffff,
    ]

    /// Opens the model after each of many damages to a file.
    ///
    /// - Parameter damage: returns the damaged bytes.
    private func fuzz(
        _ folder: TemporaryFolder, _ name: String, count: Int, seed: Int, damage: (inout SplitMix64) -> [UInt8]
    ) throws {
        var draws = SplitMix64(seed: UInt64(seed)), loaded = 0, rejected: [String: Int] = [:]
        var slowest = Duration.zero
        let url = folder.url.appending(path: name)
        for _ in 0..<count {
            try Data(damage(&draws)).write(to: url)
            let time = try ContinuousClock().measure {
                if let error = try FormatFixture.open(folder.path) {
                    rejected[Mirror(reflecting: error).children.first?.label ?? "\(error)", default: 0] += 1
                    if !error.description.contains(folder.path.description) { Issue.record("no path in \(error)") }
                    if error.category == .ioError || error.category == .outOfResources { Issue.record("\(error)") }
                } else {
                    loaded += 1
                }
            }
            slowest = max(slowest, time)
        }
        #expect(slowest < .seconds(1))
        // Several kinds of errors occurred, so the damage reached all parts of the reader.
        #expect(rejected.count >= 4 && loaded < count / 2, "\(loaded) loaded, \(rejected)")
    }

    private static func damaged(
        _ bytes: [UInt8], at offsets: [Int], _ draws: inout SplitMix64, widths: [Int] = [1, 2, 4]
    ) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &draws) {
            let at = offsets[Int.random(in: 0..<offsets.count, using: &draws)]
            switch Int.random(in: 0..<4, using: &draws) {
            case 0: bytes[at] = UInt8.random(in: 0...255, using: &draws)
            case 1: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &draws)
            default:
                let width = widths[Int.random(in: 0..<widths.count, using: &draws)]
                let number = numbers[Int.random(in: 0..<numbers.count, using: &draws)]
                let end = min(bytes.count, at + width)
                bytes.replaceSubrange(at..<end, with: CTranslate2Contents.number(number, width).prefix(end - at))
            }
        }
        if Int.random(in: 0..<8, using: &draws) == 0 {
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &draws))
        }
        return bytes
    }

    @Test("a damaged model.bin opens or fails with an error that names it", arguments: 0..<2)
    func ctranslate2(seed: Int) throws {
        var contents = CTranslate2Contents(.tiny())
        // With scales.
        let name = "decoder/layer_0/ffn/linear_0/weight"
        contents[name].type = 1
        contents[name].data.removeLast(contents[name].data.count / 2)
        contents.variables.append(
            .init(name: name + "_scale", shape: [8], type: 0, data: [UInt8](repeating: 0x40, count: 32)))
        let folder = try TemporaryFolder()
        try folder.write(contents)
        // Without a vocabulary an intact model fails at once, after everything else was read.
        try FileManager.default.removeItem(at: folder.url.appending(path: "vocabulary.txt"))
        let bytes = contents.bytes, offsets = contents.controlRanges.flatMap { Array($0) }
        try fuzz(folder, "model.bin", count: 1000, seed: seed) { Self.damaged(bytes, at: offsets, &$0) }
    }

    @Test("a damaged safetensors file opens or fails with an error that names it", arguments: 0..<2)
    func safetensors(seed: Int) throws {
        let contents = HuggingFaceContents(.tiny())
        let folder = try TemporaryFolder()
        try contents.write(to: folder, tokenizer: false)
        // With this tokenizer an intact model fails at once, after everything else was read.
        try folder.create("tokenizer.json", "{}")
        let bytes = [UInt8](contents.safetensors())
        let header = 8 + (0..<8).reduce(0) { $0 | Int(bytes[$1]) << (8 * $1) }
        // Digits and punctuation, so that most of the headers remain JSON.
        let offsets = Array(0..<8) + (8..<header).filter { !(0x61...0x7a).contains(bytes[$0]) }
        let digits = Array("0123456789-,:[]{}\"F".utf8)
        try fuzz(folder, "model.safetensors", count: 1000, seed: seed) { draws in
            if Bool.random(using: &draws) { return Self.damaged(bytes, at: offsets, &draws) }
            var damaged = bytes
            let at = offsets[Int.random(in: 8..<offsets.count, using: &draws)]
            damaged[at] = digits[Int.random(in: 0..<digits.count, using: &draws)]
            return damaged
        }
    }

    @Test(
        "damaged JSON files open or fail with an error that names them",
        arguments: [
            "config.json", "generation_config.json", "model.safetensors.index.json", "pytorch_model.bin.index.json",
            "tokenizer.json",
        ])
    func json(name: String) throws {
        let contents = HuggingFaceContents(.tiny())
        let folder = try TemporaryFolder()
        try contents.write(
            to: folder, shards: ["a", "b"], pyTorch: name.hasPrefix("pytorch"), tokenizer: name == "tokenizer.json")
        if name != "tokenizer.json" { try folder.create("tokenizer.json", "{}") }
        let bytes = [UInt8](try Data(contentsOf: folder.url.appending(path: name)))
        var draws = SplitMix64(seed: 7)
        for _ in 0..<(name == "tokenizer.json" ? 20 : 500) {
            let damaged = Self.damaged(bytes, at: Array(bytes.indices), &draws, widths: [1])
            try Data(damaged).write(to: folder.url.appending(path: name))
            if let error = try FormatFixture.open(folder.path) {
                #expect(error.description.contains(folder.path.description) && error.category == .data)
            }
        }
    }
}

import Foundation
import Testing

/// The fuzzer of the model readers, optimized and without sanitizers. `scripts/test.sh` also runs it with
/// AddressSanitizer, for a minute per format, and `scripts/fuzz.sh` for longer.
@Suite("Random damage to models")
struct ModelFuzzerTests {
    /// Makes different mutants in each run; `scripts/fuzz.sh --seed N` repeats the run whose seed a failure shows.
    private static let seed = Int.random(in: 1..<1_000_000)
    private static let crashers = Fixtures.folder.appending(path: "../../../.build/crashers").standardizedFileURL

    @Test("of a thousand mutants of each format, each loads or fails with an error that names it")
    func mutants() throws {
        let outcome = try Program.shell(
            "model-fuzzer --executions 5000 --seed \(Self.seed) --save '\(Self.crashers.path)'", in: Program.Scratch())
        #expect(outcome.status == 0, "seed \(Self.seed): \(outcome.output)\(outcome.error)")
        let lines = outcome.output.split(separator: "\n")
        for format in ["ggml", "ctranslate2", "hugging-face", "pytorch", "parakeet"] {
            let line = try #require(lines.first { $0.hasPrefix(format + " ") }, "\(outcome.output)")
            // Executions, and how far they got: container, header, tensors, loaded.
            let counts = line.split { !$0.isNumber }.compactMap { Int($0) }.suffix(5)
            try #require(counts.count == 5, "seed \(Self.seed): \(line)")
            let all = counts[counts.startIndex], deep = counts.suffix(2).reduce(0, +)
            // Of 130,000 PyTorch mutants 11 % got this far, of the other formats more.
            #expect(all == 1000 && deep * 20 >= all, "seed \(Self.seed): \(line)")
        }
    }

    @Test("the fuzzer notices a crash, saves the model and makes it smaller")
    func crash() throws {
        let scratch = try Program.Scratch()
        // As if all models of more than 1000 bytes crashed the readers.
        let outcome = try Program.shell(
            "MODEL_FUZZER_TRAP=1000 model-fuzzer --executions 1 --seed 1 --formats ggml --save saved", in: scratch)
        #expect(outcome.status == 1 && outcome.output.contains("1 crashers"), "\(outcome.output)\(outcome.error)")
        let saved = scratch.url.appending(path: "saved/seed-1-0")
        let original = try Data(contentsOf: saved.appending(path: "original/model.bin"))
        let minimized = try Data(contentsOf: saved.appending(path: "minimized/model.bin"))
        #expect(original.count > 10_000 && (1001..<2000).contains(minimized.count))
        let cause = try String(contentsOf: saved.appending(path: "cause.txt"), encoding: .utf8)
        #expect(cause.hasPrefix("seed 1, mutant 0\nended by signal"), "\(cause)")
    }
}

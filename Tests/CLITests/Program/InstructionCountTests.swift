import Foundation
import Testing
import WhisperEngine

/// Counts what the engine executes in small parts of the network, so that no change makes it slower unnoticed. Unlike
/// times, the counts are the same on a busy machine and on any processor with AVX2: Valgrind 3.19 shows all of them as one
/// processor without AVX-512, and what libraries execute is left out.
@Suite("Instruction counts", .enabled(if: Processor.with(instructionSet: "avx2") { true } == true))
struct InstructionCountTests {
    /// What `instruction-probe` runs.
    private static let parts = [
        "encoder", "decoder layers, one token", "decoder layers, five tokens", "step, one beam", "step, five beams",
    ]
    /// A function is recorded by its name if it executes this share of its part; the others are summed.
    private static let recordedShare = 0.01
    /// How far a count may be from the recorded one, and for small functions, from the recorded count of the whole part.
    private static let tolerance = 0.05, toleranceOfPart = 0.005
    private static let others = "others"

    private struct Record: Codable {
        static let renewal = "RECORD=1 swift test -c release --disable-testable-imports --filter InstructionCountTests"

        var renewedBy = renewal
        /// The instructions of each part by function.
        var parts: [String: [String: Int]]
    }

    @Test("encoder and decoder execute as many instructions as recorded, within 5 %", arguments: ["float32", "int8"])
    func counts(type: String) throws {
        let counted = try Self.counted(type)
        let file = Fixtures.folder.appending(path: "instructions-\(type).json")
        let recorded = try? JSONDecoder().decode(Record.self, from: Data(contentsOf: file))
        var messages: [String] = []
        for (index, part) in Self.parts.enumerated() {
            let before = recorded?.parts[part] ?? [:]
            let now = Self.merged(counted[part] ?? [:], share: Self.tolerance, names: Set(before.keys))
            let changes = Self.changes(from: before, to: now)
            if changes.isEmpty { continue }
            messages.append(
                """
                \(part), avx2, \(type): instructions \(Self.change(Self.sum(before), Self.sum(now)))
                \(changes.joined(separator: "\n"))
                To look into it, run `strip --strip-debug -o probe .build/release/instruction-probe`, `valgrind \
                --tool=callgrind --callgrind-out-file=counts --dump-after='*probe7counted*' ./probe \
                Models/nano.en.ggml.bin avx2 \(type)` and `callgrind_annotate counts.\(2 * index + 2)`.
                """)
        }
        if !messages.isEmpty, ProcessInfo.processInfo.environment["RECORD"] == "1" {
            let record = Record(parts: counted.mapValues { Self.merged($0, share: Self.recordedShare) })
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try (encoder.encode(record) + Data("\n".utf8)).write(to: file)
            messages.append("\(file.lastPathComponent) was rewritten")
        }
        #expect(messages.isEmpty, "\(messages.joined(separator: "\n"))\nIf this is intended: \(Record.renewal)")
    }

    /// One line for each function with another count.
    private static func changes(from before: [String: Int], to now: [String: Int]) -> [String] {
        let slack = toleranceOfPart * Double(sum(before))
        return Set(before.keys).union(now.keys).sorted().compactMap { name in
            let old = before[name] ?? 0, new = now[name] ?? 0
            guard abs(Double(new - old)) > max(tolerance * Double(old), slack) else { return nil }
            return "  \(name): \(change(old, new))"
        }
    }

    private static func sum(_ counts: [String: Int]) -> Int { counts.values.reduce(0, +) }

    private static func change(_ old: Int, _ new: Int) -> String {
        let percent = old == 0 ? "new" : String(format: "%+.1f %%", 100 * (Double(new) / Double(old) - 1))
        return "\(percent), \(old) recorded, \(new) now"
    }

    /// Runs the probe and returns the instructions of each part by function.
    private static func counted(_ type: String) throws -> [String: [String: Int]] {
        let scratch = try Program.Scratch()
        // Valgrind 3.19 cannot read the debug information of current compilers.
        let outcome = try Program.shell(
            """
            strip --strip-debug -o probe "$(command -v instruction-probe)" &&
            valgrind -q --tool=callgrind --callgrind-out-file=counts --compress-strings=no --compress-pos=no \
                --dump-after='*probe7counted*' ./probe "$MODEL" avx2 \(type)
            """, in: scratch)
        try #require(outcome.status == 0, "\(outcome.output)\(outcome.error)")
        return try parts.enumerated().reduce(into: [:]) { counts, part in
            // Every other file is what the probe does before a part.
            let file = scratch.url.appending(path: "counts.\(2 * (part.offset + 1))")
            let own = ownFunctions(try String(contentsOf: file, encoding: .utf8))
            try #require(!own.isEmpty, "no counts of \(part.element)")
            counts[part.element] = own
        }
    }

    /// The instructions of each function of the probe itself in a file by Callgrind.
    private static func ownFunctions(_ text: String) -> [String: Int] {
        var counts: [String: Int] = [:], function = ""
        var isOwn = false, isCall = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("ob=") {
                isOwn = line.hasSuffix("/probe")
            } else if line.hasPrefix("fn=") {
                function = String(line.dropFirst(3))
            } else if line.hasPrefix("calls=") {
                isCall = true
            } else if line.first?.isNumber == true {
                // A position and a count; after `calls=`, that of the function called, which has lines of its own.
                if isOwn, !isCall, let count = line.split(separator: " ").last.flatMap({ Int($0) }) {
                    counts[function, default: 0] += count
                }
                isCall = false
            }
        }
        return counts
    }

    /// Sums the functions that execute a smaller share and have none of these names, and those of Swift, whose names
    /// depend on the compiler.
    private static func merged(_ counts: [String: Int], share: Double, names: Set<String> = []) -> [String: Int] {
        let least = share * Double(sum(counts))
        return counts.reduce(into: [:]) { merged, entry in
            let isNamed = names.contains(entry.key) || Double(entry.value) >= least && !entry.key.hasPrefix("$")
            merged[isNamed ? entry.key : others, default: 0] += entry.value
        }
    }
}

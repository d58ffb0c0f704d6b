import Foundation
import Testing

@Suite("Scarce resources")
struct ResourceTests {
    private let scratch: Program.Scratch

    init() throws {
        scratch = try Program.Scratch()
        _ = try Program.shell("cp \"$CLIPS/say-01.wav\" note.wav", in: scratch)
    }

    /// Runs a shell command for each number, which is available as `$n`.
    private func sweep(_ numbers: [Int], _ line: String) throws -> [(number: Int, status: String, text: String)] {
        let list = numbers.map(String.init).joined(separator: " ")
        let outcome = try Program.shell(
            """
            for n in \(list); do
              printf '%s:' $n; (\(line)) > said 2>&1; printf '%s:' $?; tr '\\n' ' ' < said; ls -A out 2>/dev/null | grep -v stamp | tr '\\n' ' '
              echo; rm -rf out
            done
            """, in: scratch)
        return try outcome.output.split(separator: "\n").map { line in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            try #require(parts.count == 3)
            return (Int(parts[0]) ?? 0, String(parts[1]), String(parts[2]))
        }
    }

    private static let run = "timeout 60 whisper-local transcribe -q -f txt -o out"

    /// Each run must either write the whole file and end with 0, or report missing memory, end with 75 and write no file.
    private func check(_ runs: [(number: Int, status: String, text: String)], _ missing: String) {
        for run in runs where run.status == "0" { #expect(run.text == "note.txt ", "\(run)") }
        for run in runs where run.status != "0" {
            #expect(run.status == "75" && run.text.contains(missing) && !run.text.contains("note.txt"), "\(run)")
        }
        #expect(runs.first?.status == "75" && runs.last?.status == "0", "\(runs.map(\.status))")
    }

    @Test("with any limit of address space a run succeeds or reports missing memory", arguments: [1, 2])
    func addressSpace(threads: Int) throws {
        // Below this limit the system cannot even load the libraries.
        let libraries = try Program.shell(
            "n=100000; until (ulimit -v $n; whisper-local --version); do n=$((n + 10000)); done >said 2>&1; echo $n",
            in: scratch)
        let least = try #require(Int(libraries.output.split(separator: "\n").last ?? ""))
        let limits =
            stride(from: least, to: least + 60_000, by: 10_000).map(\.self)
            + [100, 200, 300, 400, 500, 600, 800, 1200, 2000].map { least + $0 * 1000 }
        check(try sweep(limits, "ulimit -v $n; \(Self.run) --threads \(threads) note.wav"), "memory")
    }

    @Test("whichever allocation fails, it is reported and no file is left incomplete")
    func blocks() throws {
        let counts = [0, 1, 2, 4, 7, 11, 16, 22, 29, 37, 50, 80, 1000]
        check(
            try sweep(
                counts, "FAULT_MAPS=$n LD_PRELOAD=$FAULTS \(Self.run) --backend openblas note.wav"),
            "not enough memory")
    }

    @Test("twenty concurrent runs write the same as one")
    func together() throws {
        let outcome = try Program.shell(
            """
            for i in $(seq 20); do cp note.wav n$i.wav; done
            for i in $(seq 20); do
              { whisper-local transcribe -q --threads 1 -f txt,json -o out n$i.wav; echo $? >> statuses; } &
            done
            wait; sort -u statuses; cat out/*.txt | sort | uniq -c | sed 's/^ *//'; ls -A out | grep -v stamp | wc -l
            """, in: scratch)
        #expect(outcome.output == "0\n20 Open the garden door, please.\n40\n")
        #expect(outcome.error == "")
    }
}

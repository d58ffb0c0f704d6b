import Foundation
import Testing

/// `bench --compare` runs `Benchmarks/compare.py`, which installs other recognizers and measures for minutes. Here the
/// recognizers are a program that does nothing for minutes.
@Suite("bench --compare")
struct ComparisonTests {
    private let scratch: Program.Scratch

    init() throws {
        scratch = try Program.Scratch()
        try scratch.write("peers/complete")
        try scratch.write("peers/lib/python3.11/site-packages/x")
        try scratch.write(
            "peers/bin/python", "#!/bin/sh\nsleep 300 & echo $! >sleeper.new; mv sleeper.new sleeper; wait\n")
    }

    private static let compare =
        "python3 \"$FIXTURES/../../../Benchmarks/compare.py\" --program \"$(command -v whisper-local)\""

    @Test("the script starts with no signal blocked or ignored that stops it")
    func signals() throws {
        try scratch.write("bin/python3", "#!/bin/sh\nexec grep -E '^Sig(Blk|Ign)' /proc/self/status\n")
        let outcome = try Program.shell(
            "chmod +x bin/python3; PATH=\"$PWD/bin:$PATH\" exec whisper-local bench --compare", in: scratch)
        let masks = outcome.output.split(separator: "\n").compactMap { UInt64($0.suffix(16), radix: 16) }
        // Signal 32 belongs to the C library.
        #expect(masks.count == 2 && masks.allSatisfy { $0 & 0x7fff_ffff == 0 }, "\(outcome)")
    }

    @Test(
        "a signal ends the comparison and everything that it has started at once",
        arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func stopped(number: Int32, status: Int32) throws {
        let running = try Program.start(
            "chmod +x peers/bin/python; exec \(Self.compare) --environment peers --models models", in: scratch)
        let sleeper = scratch.url.appending(path: "sleeper").path
        for _ in 0..<12_000 where !FileManager.default.fileExists(atPath: sleeper) { usleep(10_000) }
        let process = try String(contentsOfFile: sleeper, encoding: .utf8).dropLast()
        let start = ContinuousClock.now
        running.signal(number)
        let outcome = try running.outcome()
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(outcome.status == status && outcome.error == "", "\(outcome)")
        // A killed process takes a moment to go, and may stay as a zombie.
        func state() -> String? { try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) }
        func runs() -> Bool { state().map { !$0.contains("State:\tZ") } ?? false }
        for _ in 0..<500 where runs() { usleep(10_000) }
        #expect(!runs(), "\(state() ?? "")")
    }

    @Test("nothing is installed without a yes")
    func asks() throws {
        let outcome = try Program.shell(
            """
            \(Self.compare) --environment none; echo $?
            in-terminal 120 10 'see:[y/N]' 'send:n\\n' -- \(Self.compare) --environment none; echo $?
            ls
            """, in: scratch)
        #expect(outcome.output.hasPrefix("64\n") && outcome.output.hasSuffix("\r\n0\npeers\n"), "\(outcome)")
        #expect(
            outcome.error.hasPrefix(
                "error: the peers are not installed in none, and standard input is not a terminal to ask on\n"
                    + "try: Benchmarks/compare.py --yes"), "\(outcome)")
        #expect(outcome.output.contains("install the peers into none (1.7 GB from PyPI)? [y/N]"), "\(outcome)")
    }

    @Test("what is missing is named, without a traceback")
    func missing() throws {
        let outcome = try Program.shell(
            """
            \(Self.compare) --environment none --program nothing; echo $?
            python=$(command -v python3)
            PATH=none $python "$FIXTURES/../../../Benchmarks/compare.py" --environment none --yes --program /bin/sh; echo $?
            printf '#!/bin/sh\\necho no numpy >&2; exit 1\\n' >peers/bin/python; chmod +x peers/bin/python
            \(Self.compare) --environment peers; echo $?
            """, in: scratch)
        #expect(outcome.output == "69\n69\n69\n", "\(outcome)")
        let lines = outcome.error.split(separator: "\n")
        #expect(
            lines.map { $0.prefix(7) } == ["error: ", "try: sc", "error: ", "try: ap", "error: ", "try: ch"],
            "\(outcome)")
        #expect(
            lines[0].contains("nothing") && lines[2].contains("g++") && lines[4].hasSuffix(": no numpy"), "\(outcome)")
    }
}

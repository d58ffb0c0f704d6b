import Testing
import WhisperEngine
import WhisperCommands

@Suite("Long and hostile values in messages")
struct LongValueTests {
    @Test(
        "a value of 65 kB is not repeated in full",
        arguments: [
            "transcribe --task V", "transcribe --beam-size V", "transcribe --beam-size=1V", "transcribe --language V",
            "transcribe --V", "transcribe -m V talk.wav", "V", "models info V", "models pull V",
            "models pull --sha256 V base",
            "transcribe --temperature V", "transcribe V", "transcribe -o V talk.wav", "history show V",
            "speakers enroll V",
            "transcribe --clip-timestamps V talk.wav", "live --session V", "bench --rounds V", "transcribe -f V",
            "dictate --deliver V", "completions V", "transcribe --files-from V", "speakers remove V",
        ])
    func long(command: String) throws {
        let outcome = try Program.shell(
            """
            value=$(head -c 65000 /dev/zero | tr '\\0' x); cp $CLIPS/say-00.wav talk.wav
            whisper-local \(command.replacing("V", with: "$value"))
            """, in: Program.Scratch())
        #expect(outcome.status != 0 && outcome.status < 126, "\(outcome.status)")
        #expect(outcome.error.contains("error: ") && outcome.error.utf8.count < 12_000, "\(outcome.error.utf8.count)")
        #expect(!outcome.error.contains("internal error"), "\(outcome.error.prefix(300))")
    }

    @Test("the beginning of a long value is shown, not cut within a character")
    func excerpt() {
        let name = String(repeating: "ü", count: 149)
        #expect(ShellQuoting.inQuotes(name.utf8) == "'\(name)'")
        #expect(ShellQuoting.inQuotes(("x" + name + name).utf8) == "'x\(name)…'")
        #expect(UsageError.unwantedOperand(Array((name + name).utf8)).report.what == "unexpected argument '\(name)…'")
    }

    @Test(
        "a clock at no date is reported before anything is stored",
        arguments: ["4000000000000000000", "-4000000000000000000", "253402300799"])
    func clock(second: String) throws {
        let outcome = try Program.shell(
            """
            export LD_PRELOAD=$FAULTS FAULT_CLOCK=\(second)
            whisper-local live -q --speed max --file $CLIPS/say-00.wav --session talk; echo $?
            whisper-local transcribe -q -f json -o out $CLIPS/say-00.wav; echo $?
            whisper-local history list; echo $?
            whisper-local --version >version; echo $?
            ls
            """, in: Program.Scratch())
        let message = """
            error: the system clock is wrong: \(second) seconds after 1970 is not in the years 1 to 9998
            try: set the clock (timedatectl set-time)

            """
        #expect(outcome.output == "75\n75\n75\n0\nversion\n", "\(outcome)")
        #expect(outcome.error == String(repeating: message, count: 3), "\(outcome)")
    }
}

import Foundation
import Testing

/// `--channels split` as a user runs it.
@Suite("Speakers by channel")
struct ChannelsTests {
    private let scratch: Program.Scratch

    /// A call: the right channel speaks while the left one does, and once more later.
    private static let make = "merge-channels call.wav $CLIPS/say-00.wav $CLIPS/say-01.wav@3.5"

    init() throws { scratch = try Program.Scratch() }

    private func run(_ script: String) throws -> Program.Outcome {
        try Program.shell(Self.make + "\n" + script, in: scratch)
    }

    private func content(_ name: String) throws -> String {
        try String(contentsOf: scratch.url.appending(path: name), encoding: .utf8)
    }

    private static let lines = """
        [speaker 1] Turn the fan down to 5%.
        [speaker 1] Where did you put the short chair?
        [speaker 2] Open the garden door, please.

        """

    /// The lines in alphabetical order: which one comes first is up to the recording.
    private func sorted(_ text: String) -> String {
        text.split(separator: "\n").sorted().map { $0 + "\n" }.joined()
    }

    @Test("the text of each channel is printed with its speaker, in chronological order")
    func printed() throws {
        let outcome = try run("whisper-local transcribe --channels split call.wav")
        #expect(outcome.status == 0 && outcome.error == "")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.map { String($0.prefix(10)) } == lines.map { String($0.prefix(10)) }.sorted())
        let text = lines.map { String($0.drop { $0 != "]" }.dropFirst(3)) + "\n" }.joined()
        #expect(sorted(text) == Self.lines)
    }

    @Test("every format names the speakers, given by name")
    func formats() throws {
        let outcome = try run(
            "whisper-local transcribe -q --channels split --speaker-names 'Anna <A>, Ben \"B\"' -f all call.wav")
        #expect(outcome == Program.Outcome(status: 0, output: "", error: ""))
        for (name, part) in [
            ("txt", "[Anna <A>] Turn the fan down to 5%.\n"), ("srt", "\n[Ben \"B\"] Open the garden door, please.\n"),
            ("vtt", "\n<v Anna &lt;A&gt;>Turn the fan down to 5%.\n"), ("tsv", "start\tend\tspeaker\ttext\n"),
            ("tsv", "\tBen \"B\"\tOpen the garden door, please.\n"), ("csv", "start,end,speaker,text\n"),
            ("csv", ",\"Ben \"\"B\"\"\",\"Open the garden door, please.\"\n"),
            ("lrc", "] [Ben \"B\"] Open the garden door, please.\n"),
            ("json", #""speaker": "Anna <A>", "language": "en"}"#),
        ] {
            #expect(try content("call.\(name)").contains(part), "\(name)")
        }
    }

    @Test("without --channels split files have no trace of speakers")
    func mixed() throws {
        let outcome = try run(
            """
            whisper-local transcribe -q -f all -o mix --channels mix call.wav
            whisper-local transcribe -q -f all -o default call.wav
            diff -r mix default && ! grep -rq speaker mix
            """)
        #expect(outcome.status == 0)
    }

    @Test(
        "channels of a pipe and of other formats are split, too",
        arguments: [
            "cat call.wav | whisper-local transcribe --no-timestamps --channels split -",
            "merge-channels - $CLIPS/say-00.wav $CLIPS/say-01.wav@3.5 > x"
                + " && cat x | whisper-local transcribe --no-timestamps --channels split --raw s16le:16000:2 -",
            "cat call.wav | whisper-local transcribe --no-timestamps --channels split --batch-size 2 --vad-filter -",
        ] + mediaFormats)
    func inputs(command: String) throws {
        let outcome = try run(command)
        #expect(outcome.status == 0 && outcome.error == "")
        #expect(sorted(outcome.output) == Self.lines)
    }

    #if HAS_FFMPEG
        private static let mediaFormats = [
            "ffmpeg -v error -i call.wav x.flac && whisper-local transcribe --no-timestamps --channels split x.flac",
            "ffmpeg -v error -i call.wav x.flac && cat x.flac"
                + " | whisper-local transcribe --no-timestamps --channels split -",
            "ffmpeg -v error -i call.wav -b:a 256k x.opus"
                + " && whisper-local transcribe --no-timestamps --channels split x.opus",
        ]
    #else
        private static let mediaFormats: [String] = []
    #endif

    @Test("six channels are six speakers, and the silent ones have no text")
    func sixChannels() throws {
        let outcome = try run(
            """
            merge-channels six.wav $CLIPS/say-00.wav '' '' '' '' $CLIPS/say-01.wav
            whisper-local transcribe --no-timestamps --channels split six.wav
            """)
        #expect(outcome.status == 0 && outcome.error == "")
        #expect(sorted(outcome.output) == Self.lines.replacingOccurrences(of: "speaker 2", with: "speaker 6"))
    }

    @Test("with -v, lines about a channel name its speaker")
    func verbose() throws {
        let outcome = try run(
            """
            merge-channels half.wav $CLIPS/say-00.wav ''
            whisper-local transcribe -v --channels split --speaker-names Anna,Ben half.wav
            """)
        #expect(outcome.status == 0)
        #expect(
            outcome.error.split(separator: "\n").filter { $0.contains(": the recording is silent") }
                == ["Ben: the recording is silent: all samples are equal"])
    }

    @Test("a mono recording is one speaker, with a warning")
    func mono() throws {
        let outcome = try run(
            "cp $CLIPS/say-01.wav mono.wav; whisper-local transcribe --no-timestamps --channels split mono.wav")
        #expect(
            outcome
                == Program.Outcome(
                    status: 0, output: "[speaker 1] Open the garden door, please.\n",
                    error: "warning: mono.wav has only one channel; transcribing it as one speaker\n"))
    }

    @Test("a wrong number of names fails for that recording only")
    func wrongNames() throws {
        let outcome = try run(
            """
            cp $CLIPS/say-01.wav mono.wav
            whisper-local transcribe --no-timestamps --channels split --speaker-names Anna,Ben mono.wav call.wav
            """)
        #expect(outcome.status == 64)
        #expect(
            outcome.error == """
                mono.wav:
                error: --speaker-names has 2 names, but mono.wav has 1 channel
                try: give one name for each channel
                call.wav:
                1 done, 1 failed
                failed: --speaker-names has 2 names, but mono.wav has 1 channel

                """)
        #expect(outcome.output.contains("[Anna] ") && outcome.output.contains("[Ben] "))
    }

    @Test(
        "invalid names and names without channels are rejected before anything is read",
        arguments: [
            (
                "--speaker-names Anna,Ben",
                """
                error: --speaker-names requires --speakers or --channels split
                try: add --speakers or --channels split, or omit --speaker-names

                """
            ),
            (
                "--channels split --speaker-names Anna,,Ben",
                "error: --speaker-names: invalid value 'Anna,,Ben'\ntry: names separated by commas, such as Anna,Ben\n"
            ),
            (
                "--channels split --speaker-names \"$(printf 'A\\033[2J,B')\"",
                "error: --speaker-names: invalid value $'A\\x1b[2J,B'\ntry: names separated by commas, such as Anna,Ben\n"
            ),
            (
                "--channels both",
                "error: --channels: invalid value 'both'\ntry: one of: mix, split\n"
            ),
        ])
    func rejected(options: String, error: String) throws {
        let outcome = try run("whisper-local transcribe \(options) missing.wav")
        #expect(outcome == Program.Outcome(status: 64, output: "", error: error))
    }

    @Test("a pipe that does not fit on the disk is transcribed as far as it was read, then reported")
    func fullDisk() throws {
        let outcome = try run(
            """
            export TMPDIR="$PWD"
            ulimit -f 400
            cat call.wav call.wav | whisper-local transcribe --no-timestamps --channels split --raw s16le:16000:2 -
            """)
        #expect(outcome.status == 74)
        #expect(outcome.output.contains("[speaker 1] Turn the fan"))
        #expect(
            outcome.error == """
                error: cannot write the temporary copy of standard input that reading its channels one by one requires
                try: free some space, set TMPDIR to another folder, or save the recording to a file first

                """)
    }

    @Test("Ctrl-C keeps the final segments of all channels, in chronological order")
    func interrupted() throws {
        let running = try Program.start(
            """
            python3 - <<'END'
            import os, wave
            clip = wave.open(os.environ["CLIPS"] + "/say-00.wav").readframes(10**9)
            with wave.open("long.wav", "wb") as out:
                out.setparams((2, 2, 16000, 0, "NONE", ""))
                both = b"".join(clip[i : i + 2] * 2 for i in range(0, len(clip), 2))
                for _ in range(300):
                    out.writeframes(both)
            END
            exec whisper-local transcribe --channels split -f tsv long.wav
            """, in: scratch)
        #expect(running.waitForLine())
        running.signal(SIGINT)
        let outcome = try running.outcome()
        #expect(outcome.status == 130)
        #expect(outcome.error.hasPrefix("partial transcript: ./long.partial.tsv\nstopped at "))
        let rows = try content("long.partial.tsv").split(separator: "\n").dropFirst()
        #expect(!rows.isEmpty && rows.count == outcome.output.split(separator: "\n").count)
        let starts = rows.compactMap { $0.split(separator: "\t").first.flatMap { Int($0) } }
        #expect(starts.count == rows.count && starts == starts.sorted())
        #expect(rows.contains { $0.contains("\tspeaker 1\t") } && rows.contains { $0.contains("\tspeaker 2\t") })
    }

    @Test("twelve minutes of two channels, also from a pipe, need at most 20 MB more than three")
    func memory() throws {
        let script = """
            cat > measure.py <<'END'
            import array, os, resource, subprocess, sys, wave
            names = [os.environ["CLIPS"] + f"/say-{number:02}.wav" for number in range(4)]
            clips = [array.array("h", wave.open(name).readframes(10**9)) for name in names]
            with wave.open("long.wav", "wb") as out:
                out.setparams((2, 2, 16000, 0, "NONE", ""))
                left, turn = int(sys.argv[1]) * 60 * 16000, 0
                while left > 0:
                    clip = clips[turn % 4]
                    both = array.array("h", bytes(4 * len(clip)))
                    both[turn % 2 :: 2] = clip
                    out.writeframes(both.tobytes())
                    left, turn = left - len(clip), turn + 1
            file = open("long.wav", "rb")
            reader = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
            subprocess.run(["whisper-local", "transcribe", "-q", "--beam-size", "1",
                "--temperature-increment-on-fallback", "0", "--condition-on-previous-text", "false",
                "--channels", "split", "-f", "txt", "-o", ".", sys.argv[2]], check=True, stdin=reader.stdout)
            reader.stdout.close()
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
            END
            for source in long.wav -; do
                python3 measure.py 3 $source; python3 measure.py 12 $source
            done
            """
        let outcome = try run(script)
        #expect(outcome.status == 0, "\(outcome.error)")
        let peaks = outcome.output.split(separator: "\n").compactMap { Int($0) }
        try #require(peaks.count == 4)
        #expect(peaks[1] - peaks[0] <= 20 * 1024, "\(peaks) KB")
        #expect(peaks[3] - peaks[2] <= 20 * 1024, "\(peaks) KB")
    }
}

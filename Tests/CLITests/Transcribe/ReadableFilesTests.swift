import Foundation
import Testing

/// Files of `transcribe` that people read, and runs over several recordings.
@Suite("Readable files")
struct ReadableFilesTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    @Test("paragraphs in txt and md; the plain txt has a line for each segment")
    func paragraphs() throws {
        let outcome = try Program.shell(
            """
            cp "$CLIPS/say-00.wav" talk.wav
            whisper-local transcribe -q -f txt -o plain talk.wav
            whisper-local transcribe -q -f txt,md --paragraphs -o joined talk.wav
            cat plain/talk.txt joined/talk.txt joined/talk.md
            """, in: scratch)
        let (first, second) = ("Turn the fan down to 5%.", "Where did you put the short chair?")
        #expect(outcome.error == "")
        #expect(
            outcome.output == "\(first)\n\(second)\n\(first) \(second)\n**[0:00]** \(first) \(second)\n")
    }

    @Test("--beside writes to the folder of each recording, names that differ only in their extension keep it")
    func beside() throws {
        let outcome = try Program.shell(
            """
            mkdir -p a b/c; cp "$CLIPS/say-01.wav" a/note.wav; cp a/note.wav b/c/note.wav; cp a/note.wav b/c/note.aiff
            whisper-local transcribe -q -f txt,srt --beside a/note.wav b && find . -name '*note*' | sort
            cd a && whisper-local transcribe -q --beside note.wav && ls && cd ..
            whisper-local transcribe --beside -o out a; whisper-local transcribe -f txt --beside --skip-existing a b
            """, in: scratch)
        #expect(
            outcome.output == """
                ./a/.note.stamp
                ./a/note.srt
                ./a/note.txt
                ./a/note.wav
                ./b/c/.note.aiff.stamp
                ./b/c/.note.wav.stamp
                ./b/c/note.aiff
                ./b/c/note.aiff.srt
                ./b/c/note.aiff.txt
                ./b/c/note.wav
                ./b/c/note.wav.srt
                ./b/c/note.wav.txt
                note.json
                note.srt
                note.tsv
                note.txt
                note.vtt
                note.wav

                """)
        let said = outcome.error.split(separator: "\n")
        let refusal = "error: --beside cannot be combined with --output-dir: files have one folder"
        #expect(said.first == refusal[...], "\(outcome.error)")
        #expect(outcome.status == 0 && said.last == "0 done, 3 skipped")
    }

    @Test("a run over several recordings ends with what failed before others were done")
    func failures() throws {
        let outcome = try Program.shell(
            """
            cp "$CLIPS/say-01.wav" note.wav; echo text > bad.wav
            whisper-local transcribe --no-timestamps bad.wav note.wav absent.wav
            """, in: scratch)
        let said = outcome.error.split(separator: "\n").map(String.init)
        #expect(said.suffix(3).first == "1 done, 2 failed", "\(outcome.error)")
        #expect(said.last?.hasPrefix("failed: ") == true && said.last?.contains("bad.wav") == true)
        #expect(said.dropLast().last == "failed: no such file: absent.wav")
    }

    @Test("a recording whose transcription was interrupted goes on where it stopped, with the same files")
    func resumed() throws {
        let outcome = try Program.shell(
            """
            python3 - <<END
            import os, wave
            speech = wave.open(os.environ["CLIPS"] + "/say-00.wav").readframes(10**9)
            with wave.open("long.wav", "wb") as file:
                file.setparams((1, 2, 16000, 0, "NONE", ""))
                for _ in range(40): file.writeframes(speech + bytes(32000 * 30 - len(speech)))
            END
            run="whisper-local transcribe --condition-on-previous-text false -f json,srt"
            $run -o whole long.wav > whole.txt
            : > first.txt; $run -o out long.wav > first.txt & until [ "$(wc -l < first.txt)" -gt 5 ]; do sleep 0.05; done
            kill -TERM $!; wait $!; echo $?
            $run --initial-prompt Hello -o other long.wav 2>&1 >/dev/null | grep -c continuing
            $run -o out long.wav > again.txt; echo $?; ls -A out
            cmp whole.txt again.txt && cmp whole/long.srt out/long.srt && cmp whole/long.json out/long.json && echo same
            """, in: scratch)
        #expect(outcome.output == "143\n0\n0\n.long.stamp\nlong.json\nlong.srt\nsame\n")
        #expect(outcome.error.contains("continuing at "), "\(outcome.error)")
    }

    @Test("each channel of an interrupted recording goes on where it stopped, and they are merged as without")
    func resumedChannels() throws {
        let outcome = try Program.shell(
            """
            python3 - <<END
            import array, os, wave
            def clip(name): return array.array("h", wave.open(os.environ["CLIPS"] + f"/{name}.wav").readframes(10**9))
            fan, door = clip("say-00"), clip("say-01")
            samples = array.array("h", bytes(4 * 16000 * 31 * 40))
            for turn in range(40):
                for channel, text, start in ((0, fan, 0), (1, door, 9 + turn % 5)):
                    for index, sample in enumerate(text):
                        samples[2 * (16000 * (31 * turn + start) + index) + channel] = sample
            with wave.open("call.wav", "wb") as file:
                file.setparams((2, 2, 16000, 0, "NONE", ""))
                file.writeframes(samples.tobytes())
            END
            run="whisper-local transcribe --channels split --condition-on-previous-text false -f json,srt"
            $run -o whole call.wav > whole.txt
            for count in 9 40; do
                : > part.txt; $run -o out call.wav > part.txt & until [ "$(wc -l < part.txt)" -gt $count ]; do sleep 0.05; done
                kill -TERM $!; wait $!; echo $?
            done
            $run -o out call.wav > again.txt; echo $?; ls -A out
            cmp whole.txt again.txt && cmp whole/call.srt out/call.srt && cmp whole/call.json out/call.json && echo same
            """, in: scratch)
        #expect(outcome.output == "143\n143\n0\n.call.stamp\ncall.json\ncall.srt\nsame\n")
        #expect(outcome.error.contains("continuing at "), "\(outcome.error)")
    }

    #if HAS_FFMPEG
        @Test("times are those of a player: of segments, words, subtitles, speakers and in json")
        func clock() throws {
            let outcome = try Program.shell(
                """
                ffmpeg -v error -f lavfi -i testsrc=size=64x64:rate=10:duration=12 -itsoffset 7.3 -i "$CLIPS/say-00.wav" \
                -map 0 -map 1 -c:v mpeg4 -c:a aac late.mkv
                for clock in file audio; do whisper-local transcribe -q -f srt,tsv --clock $clock -o $clock late.mkv; done
                whisper-local transcribe -q -f tsv --preset openai-whisper -o openai late.mkv
                head -n 2 file/late.srt | tail -n 1; cut -f 1 file/late.tsv audio/late.tsv openai/late.tsv | grep -v start
                whisper-local transcribe --offset 7.3 --duration 3 late.mkv
                whisper-local transcribe -f tsv --skip-existing --clock audio -o file late.mkv 2>&1
                """, in: scratch)
            #expect(outcome.status == 0, "\(outcome.error)")
            let lines = outcome.output.split(separator: "\n").map(String.init)
            try #require(lines.count >= 9, "\(outcome.output)")
            #expect(lines[0].hasPrefix("00:00:07,"))
            let starts = lines[1...6].compactMap { Double($0) }
            try #require(starts.count == 6)
            #expect(abs(starts[0] - starts[2] - 7300) < 100 && abs(starts[1] - starts[3] - 7300) < 100)
            #expect(starts[2] < 1000 && starts[4] < 1000)
            #expect(lines[7].hasPrefix("[00:07.") && lines[7].hasSuffix("Turn the fan down to 5%."))
            // Outputs with other times are not current.
            #expect(lines.last?.hasPrefix("[00:03.") == true, "\(outcome.output)")
        }
    #endif
}

import Testing

@Suite("transcribe --packed-weights")
struct SharedWeightsTests {
    private static let run = "whisper-local transcribe -v --beam-size 1 -f txt"

    @Test("processes that start at once store the weights once, and all write the same text")
    func atOnce() throws {
        let outcome = try Program.shell(
            """
            whisper-local transcribe -q --beam-size 1 -f txt -o own $CLIPS/say-00.wav >/dev/null
            for n in 1 2 3 4 5 6 7 8; do
                \(Self.run) --packed-weights a/packed -o out$n $CLIPS/say-00.wav >/dev/null 2>log$n &
            done
            wait
            for n in 1 2 3 4 5 6 7 8; do cmp own/say-00.txt out$n/say-00.txt || echo differs; done
            cat log? | grep -c '^weights packed into a/packed/packed-.*[.]weights$'
            cat log? | grep -c '^weights mapped from a/packed/packed-.*[.]weights$'
            stat -c %a a/packed a/packed/*
            """, in: Program.Scratch())
        #expect(outcome.output == "1\n7\n700\n400\n" && outcome.error == "" && outcome.status == 0, "\(outcome)")
    }

    @Test("an unfinished file of a killed process is removed by the next one")
    func killed() throws {
        let outcome = try Program.shell(
            """
            FAULT_PATH=packed- FAULT_RENAME=hang LD_PRELOAD=$FAULTS \(Self.run) --packed-weights p $CLIPS/say-00.wav \
                >/dev/null 2>&1 &
            while ! ls p/*.tmp >/dev/null 2>&1; do sleep 0.02; done
            ls p | sed 's/.*[.]//' | sort
            kill -9 $!
            wait 2>/dev/null
            \(Self.run) --packed-weights p $CLIPS/say-00.wav 2>&1 >/dev/null | grep -o '^weights [a-z]* '
            \(Self.run) --packed-weights p $CLIPS/say-00.wav 2>&1 >/dev/null | grep -o '^weights [a-z]* '
            ls p | sed 's/.*[.]//'
            """, in: Program.Scratch())
        #expect(outcome.output == "lock\ntmp\nweights packed \nweights mapped \nweights\n", "\(outcome)")
    }

    @Test("without space or a folder, the text is the same; only --verbose mentions it")
    func unusable() throws {
        let outcome = try Program.shell(
            """
            touch file
            whisper-local transcribe --beam-size 1 -f txt -o own $CLIPS/say-00.wav >/dev/null
            for folder in full file/packed /proc/packed none; do
                (ulimit -f 4096; whisper-local transcribe --beam-size 1 --packed-weights $folder -f txt -o out \
                    $CLIPS/say-00.wav >/dev/null)
                cmp own/say-00.txt out/say-00.txt || echo differs
                (ulimit -f 4096; \(Self.run) --packed-weights $folder $CLIPS/say-00.wav 2>&1 >/dev/null) | grep weights
            done
            ls full
            whisper-local transcribe --packed-weights= $CLIPS/say-00.wav; echo $?
            """, in: Program.Scratch())
        #expect(
            outcome.output == """
                weights not shared: cannot write to folder full: no space left on device
                weights not shared: output folder file/packed is a file
                weights not shared: output folder /proc/packed does not exist
                64

                """, "\(outcome)")
        #expect(outcome.error.hasPrefix("error: --packed-weights: "), "\(outcome)")
    }
}

import Testing

@Suite("History")
struct HistoryTests {
    private static let data = ".home/.local/share/whisper-local"

    @Test("the commands print what the fixture records")
    func session() throws {
        try Fixtures.expect(try Session(Fixtures.text("history.session")).played(), equals: "history.session")
    }

    @Test("on a terminal, deletion asks for each session and only a yes deletes")
    func asks() throws {
        let outcome = try Program.shell(
            """
            for name in a b c; do : | journal-writer plant \(Self.data)/sessions.db $name closed 1; done
            printf 'n\\ny\\n\\n' | script -qec 'whisper-local history delete a b c' /dev/null
            whisper-local history list | cut -d ' ' -f 1
            """, in: Program.Scratch())
        #expect(outcome.output.contains("delete b (0:00, 0 finals)? [y/N] "))
        #expect(outcome.output.split(separator: "\n").suffix(2).sorted() == ["a", "c"])
        #expect(outcome.status == 0)
    }

    /// A script that plants a session whose process was killed after some finals. Its saved audio is a clip with the
    /// initial header of `live --keep-audio`.
    private func broken(_ clip: String, finals: String) -> String {
        """
        printf '\(finals)' | journal-writer plant \(Self.data)/sessions.db talk open 1
        sound=$(ls \(Self.data)/sessions.d/*.lock); sound=${sound%.lock}.wav
        { printf 'RIFFH\\0\\0\\0WAVEJUNK\\034\\0\\0\\0'; head -c 28 /dev/zero
          tail -c +13 "$CLIPS/\(clip).wav" | head -c 24; printf 'data\\0\\0\\0\\0'
          tail -c +45 "$CLIPS/\(clip).wav"; } > "$sound"
        """
    }

    @Test("audio after the last final is offered for recovery, transcribed and appended once")
    func recover() throws {
        let outcome = try Program.shell(
            broken("say-00", finals: "8320 52800 0  Turn the fan.\\n")
                + """

                whisper-local history list > table; cat table | cut -d ' ' -f 1
                whisper-local history recover talk; echo $?
                whisper-local history show talk | tail -2
                whisper-local history list | grep -c closed
                whisper-local history recover talk; echo $?
                """, in: Program.Scratch())
        #expect(
            outcome.output == """
                NAME
                talk
                [00:03.300 --> 00:05.080]  Where did you put the short chair?
                0
                [00:00.520 --> 00:03.300]  Turn the fan.
                [00:03.300 --> 00:05.080]  Where did you put the short chair?
                1
                66

                """)
        #expect(
            outcome.error == """
                note: talk has 0:02 of saved audio after its last final text; run whisper-local history recover talk
                1 final recovered
                error: nothing to recover: session talk was closed normally
                try: whisper-local history show talk

                """)
    }

    @Test("a model of another family recovers, too")
    func otherFamily() throws {
        let outcome = try Program.shell(
            broken("say-00", finals: "8320 52800 0  Turn the fan.\\n")
                + """

                whisper-local history recover --model "$FIXTURES/../parakeet/tdt/model" talk > recovered
                whisper-local history show talk | tail -n 1 | diff - recovered && echo shown
                """, in: Program.Scratch())
        #expect(outcome == Program.Outcome(status: 0, output: "shown\n", error: "1 final recovered\n"))
    }

    @Test("--languages says what is detected, whatever language the session had, and is checked against the model")
    func languages() throws {
        let outcome = try Program.shell(
            broken("say-00", finals: "8320 52800 0  Turn the fan.\\n")
                + """

                whisper-local history recover --languages fr,de talk; echo $?
                whisper-local history recover --languages en,fr talk
                """, in: Program.Scratch())
        #expect(outcome.output == "64\n[00:03.300 --> 00:05.080]  Where did you put the short chair?\n", "\(outcome)")
        #expect(outcome.error.hasPrefix("error: model nano.en is English-only and cannot transcribe french\n"))
    }

    @Test("audio whose text was discarded with Ctrl-C can be recovered")
    func cancelled() throws {
        let outcome = try Program.shell(
            broken("say-00", finals: "8320 52800 0  Turn the fan.\\n")
                + """

                sqlite3 \(Self.data)/sessions.db "UPDATE session SET state = 'cancelled'"
                whisper-local history recover talk
                whisper-local history list | grep -c closed
                """, in: Program.Scratch())
        #expect(outcome.output == "[00:03.300 --> 00:05.080]  Where did you put the short chair?\n1\n", "\(outcome)")
    }

    @Test("an interrupted recovery continues after its last final")
    func brokenRecovery() throws {
        let outcome = try Program.shell(
            broken("say-00", finals: "")
                + """

                mkfifo pipe; whisper-local history recover talk > pipe & read -r line < pipe; kill -9 $!
                wait; echo "$line"; whisper-local history recover talk > rest
                whisper-local history show --no-timestamps talk
                """, in: Program.Scratch())
        #expect(outcome.output.hasPrefix("[00:00.520 --> 00:03.340]  Turn the fan down to 5%.\n"))
        #expect(outcome.output.hasSuffix("\nTurn the fan down to 5%.\nWhere did you put the short chair?\n"))
    }

    @Test("the tail of the last final's last word is not recovered as speech")
    func wordEnd() throws {
        let finals = "8320 52800 0  Turn the fan down to 5%%.\\n53440 75000 0  Where did you put the short chair?\\n"
        let outcome = try Program.shell(
            broken("say-00", finals: finals)
                + "\nwhisper-local history recover talk; whisper-local history list | grep -c closed",
            in: Program.Scratch())
        #expect(outcome.output == "1\n" && outcome.error == "0 finals recovered\n", "\(outcome)")
    }

    @Test("a session without saved audio or without its model cannot be recovered")
    func unrecoverable() throws {
        let outcome = try Program.shell(
            """
            : | journal-writer plant \(Self.data)/sessions.db talk open 1
            whisper-local history recover talk 2>&1 | sed 's/ at .*/ at PLACE/'
            """
                + "\n" + broken("say-00", finals: "")
                + "\nwhisper-local history recover --model smal talk 2>&1; ls -A \(Self.data)/sessions.d | wc -l",
            in: Program.Scratch())
        #expect(
            outcome.output == """
                error: no saved audio for session talk at PLACE
                try: only sessions recorded with --keep-audio can be recovered
                error: model 'smal' is not installed; did you mean 'small'? (installed: nano.en)
                try: whisper-local models pull small
                1

                """)
    }
}

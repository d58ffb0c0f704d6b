import Foundation
import Testing

/// The commands for models, with a small Parakeet model in the user's own folder.
@Suite("Commands with a Parakeet model")
struct ParakeetCommandTests {
    private let home: ModelHome

    init() throws {
        home = try ModelHome()
        try FileManager.default.copyItem(
            at: Fixtures.folder.appending(path: "../parakeet/tdt/model").standardizedFileURL,
            to: home.scratch.url.appending(path: ".home/.local/share/whisper-local/models/parakeet"))
    }

    private func lines(_ command: String) throws -> [String] {
        let outcome = try home.run("whisper-local \(command)")
        #expect(outcome.status == 0 && outcome.error == "")
        return outcome.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test("list, info and verify know it by its name")
    func models() throws {
        #expect(
            try lines("models list").contains {
                $0.hasPrefix("parakeet ") && $0.hasSuffix(" 4 languages f16 your own folder")
            })
        let info = try lines("models info parakeet")
        for line in [
            "name parakeet", "found in your own folder", "format Hugging Face", "type f16", "languages 4 languages",
            "encoder 2 layers, 4 heads, width 32", "decoder TDT, 2 layers, width 32", "mel bands 128",
            "vocabulary 256 tokens",
        ] { #expect(info.contains(line), "\(line)") }
        let json = try home.json("whisper-local models info --json parakeet")
        #expect(json["decoder"] as? String == "TDT")
        #expect((json["dimensions"] as? [String: Int])?["hidden_size"] == 32)
        #expect(try lines("models verify parakeet").first?.hasPrefix("parakeet: ok, ") == true)
    }

    @Test("bench measures it, and transcribe refuses what only Whisper can do")
    func others() throws {
        let json = try home.json("whisper-local bench --json --rounds 1 --threads 1 --model parakeet")
        #expect((json["encode_ms"] as? Double ?? 0) > 0)
        let refused = try home.run("whisper-local transcribe --model parakeet --best-of 3 $CLIPS/say-03.wav")
        #expect(refused.status == 64 && refused.error.contains("--best-of"))
    }

    @Test("transcribe says what it cannot do, and what it does with a language")
    func refusals() throws {
        for (options, status, text) in [
            ("--language fr", 0, "parakeet finds the language by itself; French is only noted"),
            ("--languages fr,de", 0, "parakeet finds the language by itself; --languages only decides which is noted"),
            ("--languages fr,ja", 0, "model parakeet does not know Japanese; it only detects the others"),
            ("--languages ja,zh", 64, "this model supports 4 languages but not ja (japanese)"),
            ("--language ja", 64, "japanese"), ("--translate", 64, "Parakeet models cannot translate"),
            ("--preset openai-whisper", 64, "no use for --preset"),
        ] {
            let outcome = try home.run("whisper-local transcribe --model parakeet \(options) $CLIPS/say-03.wav")
            #expect(outcome.status == status && outcome.error.contains(text), "\(outcome)")
        }
        let transcribe = "whisper-local transcribe --quiet --model parakeet --language fr"
        let json = try home.json("\(transcribe) -f json -o . $CLIPS/say-03.wav && cat say-03.json")
        #expect(json["language"] as? String == "fr")
    }

    @Test("align finds the times of a text with it")
    func alignment() throws {
        let outcome = try home.run(
            "whisper-local transcribe -q -m parakeet -f txt -o . $CLIPS/say-03.wav && "
                + "whisper-local align -m parakeet $CLIPS/say-03.wav say-03.txt")
        #expect(outcome.status == 0 && outcome.error.contains("words of the text are said"), "\(outcome)")
        #expect(outcome.output.hasPrefix("[00:0"), "\(outcome)")
    }

    @Test(
        "transcribe uses it without a name if it suits the options",
        arguments: [
            ("", true), ("--language en", true), ("--language ja", false), ("--best-of 3", false),
            ("--languages en,fr --multilingual", true), ("--languages en,ja", false),
            ("--model nano.en", false),
        ])
    func preferred(options: String, isUsed: Bool) throws {
        let outcome = try home.run(
            "whisper-local transcribe \(options) $CLIPS/say-03.wav", environment: ["WHISPER_LOCAL_MODEL": ""])
        let note = "note: using the model parakeet; --model chooses another\n"
        #expect(outcome.error.contains(note) == isUsed, "\(outcome)")
        #expect(outcome.status == 0 || options.hasSuffix("ja"), "\(outcome)")
    }

    @Test("without a name, a damaged model is passed over with a warning, and one of another program without")
    func damaged() throws {
        let transcribe = "whisper-local transcribe \"$CLIPS/say-01.wav\""
        let unset = ["WHISPER_LOCAL_MODEL": ""]
        let outcome = try home.run(
            """
            cd "$HOME/.local/share/whisper-local/models"; printf 'GGUF\\003' | cat - /dev/zero | head -c 24 >llama.gguf
            head -c 100000 "$MODELS/../parakeet/tdt/q8_0.gguf" >other.gguf; \(transcribe)
            rm -r parakeet; \(transcribe); whisper-local transcribe -q "$CLIPS/say-01.wav"
            """, environment: unset)
        let warning =
            "warning: $PWD/.home/.local/share/whisper-local/models/other.gguf is truncated: it ends after 100000 of "
            + "152096 bytes; it is not used (download it again; it is damaged or incomplete)\n"
        #expect(
            outcome.error.hasPrefix(warning + "note: using the model parakeet; --model chooses another\n" + warning),
            "\(outcome)")
        #expect(outcome.error.components(separatedBy: "other.gguf").count == 3, "\(outcome)")
        #expect(outcome.error.contains("note: nano.en is only a demonstration"), "\(outcome)")
    }

    @Test("other commands use it without a name if tiny.en is not installed and it suits the options")
    func withoutDefault() throws {
        let clip = "\"$CLIPS/say-01.wav\""
        let live = "live --speed max --file \(clip)", note = "note: using the model parakeet; --model chooses another\n"
        var commands = [
            (live, true), ("\(live) --language ja", false), ("\(live) --translate", false),
            ("bench --rounds 1", true), ("bench --rounds 1 --tokens 3", false), ("bench --live \(clip)", true),
        ]
        #if HAS_SOUP
            // It stops before it listens.
            let serve = "serve --api-key-file none"
            commands += [(serve, true), ("\(serve) --preset openai-whisper", false)]
        #endif
        for (command, isUsed) in commands {
            let outcome = try home.run("whisper-local \(command)", environment: ["WHISPER_LOCAL_MODEL": ""])
            #expect(outcome.error.hasPrefix(note) == isUsed, "\(command): \(outcome)")
            #expect(!isUsed || !outcome.error.contains("nano.en"), "\(command): \(outcome)")
        }
        let script = "cd \"$HOME/.cache/whisper\"; ln small.en.pt tiny.en.pt; whisper-local \(live)"
        let withDefault = try home.run(script, environment: ["WHISPER_LOCAL_MODEL": ""])
        #expect(withDefault.error == "model: tiny.en\n", "\(withDefault)")
    }

    @Test("live prefers a model for live audio that knows as many languages, and says what is wrong with tiny.en")
    func liveAudio() throws {
        let live = "whisper-local live --speed max --file \"$CLIPS/say-01.wav\""
        let outcome = try home.run(
            """
            cp -r "$MODELS/../parakeet/streaming/model" "$HOME/.local/share/whisper-local/models/english"; \(live)
            cp -r "$MODELS/../parakeet/streaming35/model" "$HOME/.local/share/whisper-local/models/stream"; \(live)
            mkdir "$HOME/.local/share/whisper-local/models/tiny.en"
            echo {} >"$HOME/.local/share/whisper-local/models/tiny.en/config.json"; \(live)
            """, environment: ["WHISPER_LOCAL_MODEL": ""])
        func note(_ name: String) -> String { "note: using the model \(name); --model chooses another\n" }
        let incomplete =
            "note: model 'tiny.en' is incomplete: files are missing in $PWD/.home/.local/share/whisper-local/models/tiny.en\n"
        #expect(
            outcome.error == note("parakeet") + note("stream") + incomplete + note("stream"), "\(outcome)")
    }

    #if HAS_SOUP
        @Test("serve refuses a damaged model, and logs why one that a client asks for cannot be loaded")
        func damagedServer() throws {
            let outcome = try home.run(
                """
                cut="$HOME/.local/share/whisper-local/models/cut.gguf"
                head -c 100000 "$MODELS/../parakeet/tdt/q8_0.gguf" >"$cut"; whisper-local serve -m cut; echo $?
                whisper-local serve -m parakeet --port 0 --socket socket 2>log & server=$!
                until grep -q loaded log; do sleep 0.05; done
                curl -s --unix-socket socket http://localhost/v1/audio/transcriptions -F model=cut -F file=@$CLIPS/say-01.wav
                kill $server; wait $server; cat log
                """)
            let reason =
                "$PWD/.home/.local/share/whisper-local/models/cut.gguf is truncated: it ends after 100000 of 152096 bytes"
            #expect(outcome.error.hasPrefix("error: \(reason)\ntry: download it again"), "\(outcome)")
            #expect(outcome.output.hasPrefix("65\n{\"error\""), "\(outcome)")
            #expect(outcome.output.contains("\nwarning: model cut cannot be loaded: \(reason); "), "\(outcome)")
        }

        @Test(
            "serve refuses what none of its models has a use for, and warns if only some have none",
            arguments: [
                ("-m ctc --beam-size 5", "error: Parakeet CTC models have no use for --beam-size"),
                ("-m parakeet --preset openai-whisper", "error: Parakeet models have no use for --preset"),
                (
                    "-m parakeet -m ctc --beam-size 5",
                    "warning: ctc: Parakeet CTC models have no use for --beam-size; leave it out, or use a Whisper model"
                ), ("-m parakeet --beam-size 5", "error: cannot read the key file"),
                ("-m ctc --beam-size 1", "error: cannot read the key file"),
            ])
        func serve(options: String, text: String) throws {
            let outcome = try home.run(
                """
                cp -r "$MODELS/../parakeet/ctc/model" "$HOME/.local/share/whisper-local/models/ctc"
                whisper-local serve --api-key-file none \(options)
                """)
            #expect(outcome.error.hasPrefix(text), "\(outcome)")
        }
    #endif
}

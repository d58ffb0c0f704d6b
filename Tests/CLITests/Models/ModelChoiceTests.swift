import Foundation
import Testing

@Suite("Choice of a model")
struct ModelChoiceTests {
    private let home: ModelHome

    init() throws { home = try ModelHome() }

    @Test("the default model is tiny.en if any program has it, else nano.en with a note that --quiet hides")
    func defaultModel() throws {
        let note =
            "note: nano.en is only a demonstration that knows a few hundred words; for real speech: whisper-local models "
            + "pull tiny.en\n"
        let unset = ["WHISPER_LOCAL_MODEL": ""]
        let demonstration = try home.run("whisper-local transcribe \"$CLIPS/say-01.wav\"", environment: unset)
        #expect(demonstration.status == 0 && demonstration.error == note)
        #expect(demonstration.output == "[00:00.000 --> 00:02.100]  Open the garden door, please.\n")
        let quiet = try home.run("whisper-local transcribe -q \"$CLIPS/say-01.wav\"", environment: unset)
        #expect(quiet.status == 0 && quiet.error == "")
        let real = try home.run(
            """
            ln "$HOME/.cache/whisper/small.en.pt" "$HOME/.cache/whisper/tiny.en.pt"
            whisper-local transcribe -v --temperature 0 --beam-size 1 --temperature-increment-on-fallback None "$CLIPS/say-01.wav"
            """, environment: unset)
        #expect(real.status == 0)
        #expect(
            real.error.hasPrefix(
                "model tiny.en: found in openai-whisper's cache\nmodel tiny.en ($PWD/.home/.cache/whisper/tiny.en.pt)"))
    }

    @Test("a file in the current folder that is not a model does not hide an installed one")
    func currentFolder() throws {
        let path = "$PWD/.home/.local/share/whisper-local/models/ggml-base.bin\n"
        let outcome = try home.run(
            """
            : >base; whisper-local models path base
            echo 'Some words.' >base; whisper-local models path base
            rm base; mkfifo base; whisper-local models path base
            rm base; cp "$MODELS/ggml-micro.en.bin" base; whisper-local models path base; whisper-local models path ./base
            echo text >notes; whisper-local models path notes
            """)
        #expect(outcome.output == path + path + path + "base\n./base\nnotes\n", "\(outcome.error)")
    }

    @Test("files in the current folder do not replace the default model, whose problems are reported")
    func defaultInCurrentFolder() throws {
        let script = "whisper-local transcribe \"$CLIPS/say-01.wav\""
        let unset = ["WHISPER_LOCAL_MODEL": ""]
        let copied = try home.run(": >nano.en; cp \"$MODELS/ggml-micro.en.bin\" tiny.en; \(script)", environment: unset)
        #expect(copied.output == "[00:00.000 --> 00:02.100]  Open the garden door, please.\n", "\(copied.error)")
        #expect(copied.error.hasPrefix("note: nano.en is only a demonstration"), "\(copied.error)")
        let folder = "$HOME/.local/share/whisper-local/models/tiny.en"
        let broken = try home.run(
            "mkdir \"\(folder)\"; echo {} >\"\(folder)/config.json\"; \(script)", environment: unset)
        #expect(
            broken.error.hasPrefix(
                "note: model 'tiny.en' is incomplete: files are missing in $PWD/.home/.local/share/whisper-local/models/tiny.en\n"
                    + "note: nano.en is only a demonstration"), "\(broken.error)")
    }

    @Test("a damaged model does not hide a good one with its name in a later place")
    func damagedFirst() throws {
        let script = """
            own="$HOME/.local/share/whisper-local/models/ggml-nano.en.bin"; head -c 100000 "$MODELS/ggml-micro.en.bin" >"$own"
            whisper-local transcribe -m nano.en "$CLIPS/say-01.wav"; echo $?
            whisper-local transcribe -m "$own" "$CLIPS/say-01.wav"; echo $?
            """
        let outcome = try home.run(script)
        #expect(
            outcome.output == "[00:00.000 --> 00:02.100]  Open the garden door, please.\n0\n65\n", "\(outcome.error)")
        #expect(
            outcome.error.hasPrefix(
                "warning: $PWD/.home/.local/share/whisper-local/models/ggml-nano.en.bin is truncated"),
            "\(outcome.error)")
        #expect(outcome.error.contains("Models/nano.en.ggml.bin in this program's repository\n"), "\(outcome.error)")
        let both = try home.run(
            """
            cd "$HOME/.cache/whisper"
            for file in base.pt ../../.local/share/whisper-local/models/ggml-base.bin; do
                head -c 200000 "$MODELS/ggml-micro.en.bin" >cut; mv cut $file
            done
            whisper-local transcribe -m base "$CLIPS/say-01.wav"
            """)
        #expect(both.status == 65)
        #expect(
            both.error.hasPrefix("error: $PWD/.home/.local/share/whisper-local/models/ggml-base.bin is truncated"),
            "\(both.error)")
    }

    @Test("-v says which model was used and which others have its name")
    func verbose() throws {
        let outcome = try home.run(
            "whisper-local transcribe -v -m base --language en --temperature 0 --beam-size 1 --temperature-increment-on-fallback None \"$CLIPS/say-01.wav\""
        )
        #expect(outcome.status == 0)
        #expect(
            outcome.error.hasPrefix(
                "model base: found in your own folder; not used: $PWD/.home/.cache/whisper/base.pt in openai-whisper's "
                    + "cache\n"), "\(outcome.error)")
    }

    @Test("models pull installs where the program looks, whatever XDG_DATA_HOME is")
    func installationFolder() throws {
        let outcome = try home.run(
            """
            mkdir -p data/whisper-local/models
            for folder in .home/.local/share data; do cp "$MODELS/ggml-micro.en.bin" $folder/whisper-local/models/tiny.en.pt; done
            XDG_DATA_HOME=relative whisper-local models pull -q tiny.en
            XDG_DATA_HOME=$PWD/data whisper-local models pull -q tiny.en
            """)
        #expect(
            outcome.output
                == "$PWD/.home/.local/share/whisper-local/models/tiny.en.pt\n$PWD/data/whisper-local/models/tiny.en.pt\n",
            "\(outcome.error)")
    }

    #if HAS_SOUP
        @Test("serve -v says where the models were found")
        func verboseServer() throws {
            let outcome = try home.run("whisper-local serve -v -m base -m 'my micro' --api-key-file none")
            #expect(
                outcome.error.hasPrefix(
                    "model base: found in your own folder; not used: $PWD/.home/.cache/whisper/base.pt in "
                        + "openai-whisper's cache\nmodel 'my micro': found in your own folder\nerror: cannot read the key file"
                ), "\(outcome.error)")
        }
    #endif

    @Test("doctor says where each model is from")
    func doctor() throws {
        let outcome = try home.run("whisper-local doctor")
        for line in [
            "base  $PWD/.home/.local/share/whisper-local/models/ggml-base.bin  8 MB  (your own folder)",
            "small.en  $PWD/.home/.cache/whisper/small.en.pt  8 MB  (openai-whisper's cache)",
            "$PWD/.home/.cache/huggingface/hub  (the Hugging Face cache)",
        ] {
            #expect(outcome.output.contains(line), "\(outcome.output)")
        }
    }
}

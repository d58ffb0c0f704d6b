import Foundation
import Testing

@Suite("Models commands")
struct ModelsCommandTests {
    private let home: ModelHome

    init() throws { home = try ModelHome() }

    @Test("list shows installed models with their origin, then the available ones")
    func list() throws {
        let outcome = try home.run("whisper-local models list")
        #expect(outcome.status == 0 && outcome.error == "")
        let lines = outcome.output.split(separator: "\n").map { line in
            line.split(separator: " ").joined(separator: " ")
        }
        #expect(
            lines.prefix(8) == [
                "NAME SIZE LANGUAGES TYPE WHERE",
                "base 8 MB 100 languages f16 your own folder",
                "'my micro' 8 MB English f16 your own folder",
                "base 8 MB 100 languages f16 openai-whisper's cache, not used",
                "small.en 8 MB English f16 openai-whisper's cache",
                "nano.en 31 MB English f16 this program's repository",
                "tiny.en 78 MB English f16 not installed", "tiny 78 MB 99 languages f16 not installed",
            ])
        #expect(lines.contains("large-v3-q5_0 1.08 GB 100 languages q5_0 not installed"))
        #expect(!lines.contains { $0.hasPrefix("base 148 MB") || $0.hasPrefix("small.en 488") })
    }

    @Test("list --json has the same facts for programs")
    func listJSON() throws {
        let object = try home.json("whisper-local models list --json")
        let installed = try #require(object["installed"] as? [[String: Any]])
        #expect(installed.map { $0["name"] as? String } == ["base", "my micro", "base", "small.en", "nano.en"])
        #expect(
            installed.map { $0["place"] as? String } == [
                "own", "own", "openai-whisper", "openai-whisper", "repository",
            ])
        #expect(installed.map { $0["used"] as? Bool } == [true, true, false, true, true])
        #expect(installed.map { $0["languages"] as? Int } == [100, 1, 100, 1, 1])
        #expect(
            installed[0]["path"] as? String == home.scratch.url.path
                + "/.home/.local/share/whisper-local/models/ggml-base.bin")
        #expect(installed.allSatisfy { $0["format"] as? String == "ggml" && $0["problem"] is NSNull })
        let available = try #require(object["available"] as? [[String: Any]])
        let large = try #require(available.first { $0["name"] as? String == "large-v3" })
        #expect(large["sha1"] as? String == "ad82bf6a9043ceed055076d0fd39f5f186ff8062")
        #expect(large["bytes"] as? Int == 3_095_033_483 && large["languages"] as? Int == 100)
        #expect(!available.contains { $0["name"] as? String == "base" })
    }

    @Test("list shows whether the networks for speech and speakers are installed, and where")
    func networks() throws {
        let outcome = try home.run(
            """
            touch "$HOME/.local/share/whisper-local/models/speakers.safetensors"
            whisper-local models list
            """)
        let lines = outcome.output.split(separator: "\n").map { line in
            line.split(separator: " ").joined(separator: " ")
        }
        #expect(
            lines.suffix(3) == [
                "silero-vad 1 MB - f32 not installed", "speakers 34 MB - f32 your own folder",
                "speakers-2022 34 MB - f32 not installed",
            ])
        let networks = try #require(try home.json("whisper-local models list --json")["networks"] as? [[String: Any]])
        #expect(networks.map { $0["name"] as? String } == ["silero-vad", "speakers", "speakers-2022"])
        #expect(networks[0]["path"] is NSNull && networks[0]["place"] is NSNull)
        #expect(
            networks[1]["path"] as? String == home.scratch.url.path
                + "/.home/.local/share/whisper-local/models/speakers.safetensors")
        #expect(networks[1]["place"] as? String == "own")
    }

    @Test("list reports models that cannot be used and continues")
    func listBroken() throws {
        let outcome = try home.run(
            """
            head -c 100000 "$MODELS/ggml-micro.en.bin" >"$HOME/.cache/whisper/tiny.pt"
            hub="$HOME/.cache/huggingface/hub/models--Systran--faster-whisper-medium"
            mkdir -p "$hub/snapshots/abc" "$hub/refs"; printf abc >"$hub/refs/main"; echo {} >"$hub/snapshots/abc/config.json"
            whisper-local models list
            """)
        #expect(outcome.status == 0)
        let notes = outcome.error.split(separator: "\n")
        #expect(notes.count == 2)
        #expect(
            notes.first?.hasPrefix("note: tiny cannot be used: $PWD/.home/.cache/whisper/tiny.pt is truncated") == true)
        #expect(
            outcome.error.hasSuffix(
                "note: medium cannot be used: model 'medium' is incomplete: files are missing in "
                    + "$PWD/.home/.cache/huggingface/hub/models--Systran--faster-whisper-medium/snapshots/abc\n"))
        #expect(outcome.output.contains("the Hugging Face cache (Systran/faster-whisper-medium)\n"))
        #expect(outcome.output.contains("nano.en"))
    }

    @Test("list and verify leave out repositories of which only the tokenizer was downloaded")
    func tokenizerOnly() throws {
        let outcome = try home.run(
            """
            hub="$HOME/.cache/huggingface/hub/models--openai--whisper-tiny"; mkdir -p "$hub/blobs" "$hub/refs"
            mkdir -p "$hub/snapshots/abc"; printf abc >"$hub/refs/main"; echo {} >"$hub/snapshots/abc/tokenizer.json"
            rm "$HOME/.local/share/whisper-local/models/ggml-base.bin"
            whisper-local models list >list && whisper-local models verify >list
            """)
        #expect(outcome == Program.Outcome(status: 0, output: "", error: ""))
    }

    @Test("info shows format, dimensions, languages, alignment heads and memory")
    func info() throws {
        let outcome = try home.run("whisper-local models info base")
        #expect(outcome.status == 0 && outcome.error == "")
        let lines = outcome.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(
            lines.prefix(13) == [
                "name base", "path $PWD/.home/.local/share/whisper-local/models/ggml-base.bin",
                "found in your own folder", "format ggml", "size 8 MB", "type f16", "languages 100 languages",
                "parameters 3618432", "encoder 2 layers, 1 head, width 64, context 1500",
                "decoder 2 layers, 1 head, width 64, context 448", "mel bands 128", "vocabulary 51866 tokens",
                "alignment heads for word timestamps are not known; word times are less accurate",
            ])
        let memory = lines.dropFirst(13).map { $0.split(separator: " ") }
        #expect(memory.map { $0.dropLast(2).last } == ["float32", "bfloat16", "int16", "int8"])
    }

    @Test("info --json takes a path and says that the official heads are known")
    func infoJSON() throws {
        let object = try home.json("whisper-local models info --json \"$MODELS/ggml-micro.en.bin\"")
        #expect(object["name"] as? String == "micro.en" && object["place"] is NSNull)
        #expect(object["languages"] as? Int == 1 && object["alignment_heads"] as? String == "unknown")
        let dimensions = try #require(object["dimensions"] as? [String: Int])
        #expect(dimensions["n_vocab"] == 51_864 && dimensions["n_text_ctx"] == 448 && dimensions.count == 10)
        let memory = try #require(object["memory"] as? [String: Int])
        #expect(Set(memory.keys) == ["float32", "bfloat16", "int16", "int8"])
    }

    @Test("path prints the path that a name stands for, byte for byte")
    func path() throws {
        #expect(
            try home.run("whisper-local models path base")
                == Program.Outcome(
                    status: 0, output: "$PWD/.home/.local/share/whisper-local/models/ggml-base.bin\n", error: ""))
        let odd = try home.run(
            """
            folder=$(printf 'o\\377dd folder'); mkdir "$folder"; cp "$MODELS/ggml-micro.en.bin" "$folder/x.pt"
            [ "$(WHISPER_LOCAL_MODELS=$folder whisper-local models path x)" = "$folder/x.pt" ] && echo same
            """)
        #expect(odd == Program.Outcome(status: 0, output: "same\n", error: ""))
    }

    @Test(
        "a missing or unknown name is an error",
        arguments: [
            ("path", 64, "no model given"), ("path a b", 64, "unexpected argument 'b'"),
            ("path none", 69, "model 'none' is not installed"), ("info tiny", 69, "model 'tiny' is not installed"),
            ("info ./none", 69, "no such model file: ./none"), ("verify none", 69, "model 'none' is not installed"),
            ("remove none --yes", 69, "model 'none' is not installed"), ("list x", 64, "unexpected argument 'x'"),
            ("lst", 64, "unknown command 'lst'; did you mean 'models list'?"),
        ])
    func errors(command: String, status: Int, message: String) throws {
        let outcome = try home.run("whisper-local models \(command)")
        #expect(Int(outcome.status) == status && outcome.output == "")
        #expect(outcome.error.hasPrefix("error: \(message)"), "\(outcome.error)")
    }

    @Test("verify without a name checks all models; without a published digest it says so")
    func verifyAll() throws {
        let outcome = try home.run(
            "rm \"$HOME/.local/share/whisper-local/models/ggml-base.bin\"; whisper-local models verify")
        #expect(outcome.status == 0 && outcome.error == "")
        let unknown = "ok, no published digest to compare with"
        #expect(
            outcome.output.split(separator: "\n").dropLast() == [
                "'my micro': \(unknown) ('$PWD/.home/.local/share/whisper-local/models/ggml-my micro.bin')",
                "base: \(unknown) ($PWD/.home/.cache/whisper/base.pt)",
                "small.en: \(unknown) ($PWD/.home/.cache/whisper/small.en.pt)",
            ])
        #expect(outcome.output.split(separator: "\n").last?.hasPrefix("nano.en: \(unknown)") == true)
    }

    @Test("verify finds a file with a published name that is not the published one")
    func verifyDigest() throws {
        let outcome = try home.run(
            "sha1sum <\"$HOME/.cache/whisper/base.pt\" | cut -c1-40; whisper-local models verify base 'my micro'")
        let lines = outcome.output.split(separator: "\n")
        #expect(outcome.status == 65 && lines.count == 3)
        #expect(
            lines[1]
                == "base: $PWD/.home/.local/share/whisper-local/models/ggml-base.bin is not the published file: its SHA-1 is "
                + "\(lines[0]), not 465707469ff3a37a2b9b8d8f89f2f99de7299dac; download it again, or rename it if it is a "
                + "model of your own")
        #expect(lines[2].hasPrefix("'my micro': ok"))
    }

    @Test("verify compares files in the Hugging Face cache with the digests after which their blobs are named")
    func verifyHub() throws {
        let outcome = try home.run(
            """
            hub="$HOME/.cache/huggingface/hub/models--openai--whisper-tiny"; mkdir -p "$hub/blobs" "$hub/refs"
            mkdir -p "$hub/snapshots/abc"; printf abc >"$hub/refs/main"
            # As the hub's library does: large files are named after their SHA-256, others after their git blob ID.
            for file in "$FIXTURES"/../formats/hf-sharded/*; do
                case $file in
                *.safetensors) blob=$(sha256sum <"$file") ;;
                *) blob=$({ printf 'blob %d\\0' "$(stat -c %s "$file")"; cat "$file"; } | sha1sum) ;;
                esac
                blob=${blob%% *}
                cp "$file" "$hub/blobs/$blob"
                ln -s "../../blobs/$blob" "$hub/snapshots/abc/${file##*/}"
            done
            shard=model-00002-of-00003.safetensors
            for model in tiny openai/whisper-tiny "$hub/snapshots/abc/$shard"; do
                whisper-local models verify "$model"; echo $?
            done
            for file in $shard generation_config.json; do
                blob=$(readlink -f "$hub/snapshots/abc/$file"); echo "blob ${blob##*/}"
                cp "$blob" kept
                printf ' ' | dd of="$blob" bs=1 seek=$(($(stat -c %s "$blob") - 1)) conv=notrunc status=none
                whisper-local models verify tiny; echo $?
                cp kept "$blob"
            done
            rm "$(readlink -f "$hub/snapshots/abc/$shard")"
            whisper-local models verify tiny; echo $?
            """)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 13, "\(outcome.output) \(outcome.error)")
        let hub = "$PWD/.home/.cache/huggingface/hub/models--openai--whisper-tiny"
        let (folder, six) = (
            "\(hub)/snapshots/abc", "ok, 6 files have the digests that they have on the Hugging Face hub"
        )
        #expect(lines[0] == "tiny: \(six) (\(folder))" && lines[1] == "0")
        #expect(lines[2] == "tiny: \(six) (\(folder))" && lines[3] == "0")
        #expect(
            lines[4].contains(": ok, 1 file has the digest that it has on the Hugging Face hub (") && lines[5] == "0")
        for (start, file, kind) in [
            (6, "model-00002-of-00003.safetensors", "SHA-256"), (9, "generation_config.json", "git blob ID"),
        ] {
            let digest = lines[start].dropFirst("blob ".count)
            #expect(digest.count == (kind == "SHA-256" ? 64 : 40))
            #expect(
                lines[start + 1].hasPrefix("tiny: \(folder)/\(file) is not the published file: its \(kind) is "),
                "\(lines[start + 1])")
            #expect(
                lines[start + 1].hasSuffix(
                    ", not \(digest); rm \(hub)/blobs/\(digest), then download the model again"), "\(lines[start + 1])")
            #expect(lines[start + 2] == "65")
        }
        #expect(lines[12] == "69")
        #expect(outcome.error.hasPrefix("error: model 'tiny' is incomplete"))
    }

    @Test("verify finds truncated files and weights that are not numbers")
    func verifyDamage() throws {
        let outcome = try home.run(
            """
            cd "$HOME/.cache/whisper"
            head -c 2000000 small.en.pt >cut.pt
            cp small.en.pt nan.pt
            printf '\\377\\377\\377\\377' | dd of=nan.pt bs=1 seek=$(($(stat -c %s nan.pt) - 4)) conv=notrunc status=none
            whisper-local models verify cut nan
            """)
        let lines = outcome.output.split(separator: "\n")
        #expect(outcome.status == 65 && lines.count == 2)
        #expect(lines[0].contains("cut.pt is truncated: it ends after 2000000 of"))
        #expect(lines[1].contains("is not a finite number"), "\(outcome.output)")
    }
}

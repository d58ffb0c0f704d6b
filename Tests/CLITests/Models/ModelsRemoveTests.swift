import Foundation
import Testing

@Suite("Removing models")
struct ModelsRemoveTests {
    private let home: ModelHome

    init() throws { home = try ModelHome() }

    @Test("remove deletes a model of the user's own folder and nothing else")
    func remove() throws {
        let own = "$PWD/.home/.local/share/whisper-local/models/ggml-base.bin"
        #expect(
            try home.run("whisper-local models remove base")
                == Program.Outcome(
                    status: 64, output: "",
                    error: "error: cannot ask for confirmation: standard input is not a terminal\n"
                        + "try: add --yes to delete without asking\n"))
        #expect(
            try home.run("whisper-local models remove --yes base")
                == Program.Outcome(status: 0, output: "deleted \(own)\n", error: ""))
        let cached = try home.run("whisper-local models remove --yes base")
        #expect(
            cached
                == Program.Outcome(
                    status: 77, output: "",
                    error: "error: not deleting model 'base': $PWD/.home/.cache/whisper/base.pt is in openai-whisper's "
                        + "cache\ntry: delete $PWD/.home/.cache/whisper/base.pt yourself\n"))
        #expect(try home.run("ls \"$HOME/.cache/whisper\"").output == "base.pt\nsmall.en.pt\n")
    }

    @Test("of a folder, remove deletes the model's files and links, not what they point to or what else is there")
    func removeFolder() throws {
        let outcome = try home.run(
            """
            models="$HOME/.local/share/whisper-local/models" folder="$HOME/.local/share/whisper-local/models/tuned"
            for folder in tuned own; do
                mkdir -p "$models/$folder" kept; cd "$models/$folder"
                echo {} >"$OLDPWD/kept/config.json"; ln -s "$OLDPWD/kept/config.json" config.json
                touch model.bin vocabulary.json tokenizer.json model-00001-of-00002.safetensors
                cd "$OLDPWD"
            done
            mkdir "$models/own/recordings"
            touch "$models/own/recordings/interview.wav" "$models/own/notes.txt" "$models/own/.draft"
            ln -s "$PWD/kept" "$models/own/link"
            for folder in tuned own; do whisper-local models remove --yes $folder; echo $?; done
            ls -A "$models" "$models/own" "$models/own/recordings" kept
            """)
        let folder = "$PWD/.home/.local/share/whisper-local/models"
        #expect(
            outcome.output == """
                deleted \(folder)/tuned
                0
                deleted the model in \(folder)/own; kept 4 entries that do not belong to it
                0
                \(folder):
                ggml-base.bin
                ggml-my micro.bin
                own

                \(folder)/own:
                .draft
                link
                notes.txt
                recordings

                \(folder)/own/recordings:
                interview.wav

                kept:
                config.json

                """, "\(outcome)")
    }

    @Test("remove accepts no paths, and reports folders that cannot be changed")
    func removeErrors() throws {
        let byPath = try home.run("whisper-local models remove --yes \"$HOME/.cache/whisper/base.pt\"")
        #expect(byPath.status == 64)
        #expect(byPath.error.hasPrefix("error: $PWD/.home/.cache/whisper/base.pt is a path, not the name"))
        let locked = try home.run(
            """
            chmod 500 "$HOME/.local/share/whisper-local/models"
            $UNPRIVILEGED whisper-local models remove --yes base; status=$?
            chmod 700 "$HOME/.local/share/whisper-local/models"; exit $status
            """)
        #expect(locked.status == 77)
        #expect(
            locked.error.hasPrefix("error: cannot delete $PWD/.home/.local/share/whisper-local/models/ggml-base.bin"))
    }

    @Test(
        "remove does not accept a relative path as a name",
        arguments: [
            "./ggml-base.bin", "../models/ggml-base.bin", "../../../../.cache/whisper/base.pt", "./base", ".", "..", "",
        ])
    func removeRelativePath(name: String) throws {
        let outcome = try home.run(
            """
            echo {} >"$HOME/.local/share/whisper-local/models/config.json"
            echo {} >"$HOME/.local/share/whisper-local/config.json"
            find "$HOME" -type f >before
            whisper-local models remove --yes '\(name)'; echo $?
            find "$HOME" -type f | cmp before
            """)
        #expect(outcome.status == 0 && outcome.output == "64\n", "\(outcome.output) \(outcome.error)")
        #expect(outcome.error.contains(name.isEmpty ? "name is empty" : "\(name) is a path"), "\(outcome.error)")
    }

    @Test("remove knows repositories in the Hugging Face cache by their IDs, and leaves them alone")
    func removeRepository() throws {
        let outcome = try home.run(
            """
            hub="$HOME/.cache/huggingface/hub/models--openai--whisper-small"
            mkdir -p "$hub/snapshots/abc"; touch "$hub/snapshots/abc/config.json" "$hub/snapshots/abc/model.safetensors"
            whisper-local models remove --yes openai/whisper-small; echo $?; ls "$hub/snapshots/abc"
            """)
        #expect(outcome.output == "77\nconfig.json\nmodel.safetensors\n")
        #expect(outcome.error.hasSuffix("try: hf cache rm model/openai/whisper-small\n"), "\(outcome.error)")
    }

    @Test("a .nemo or GGUF file in a folder is deleted if it is the folder's model")
    func singleFiles() throws {
        let script = """
            models="$HOME/.local/share/whisper-local/models"; mkdir "$models/tuned" "$models/fast"
            cp "$FIXTURE" "$models/tuned/a.nemo"; touch "$models/tuned/notes.txt"
            cp "$FIXTURE" "$models/fast/z.nemo"; touch "$models/fast/config.json" "$models/fast/model.bin"
            whisper-local models list --names
            for folder in tuned fast; do whisper-local models remove --yes $folder >/dev/null; ls "$models/$folder"; done
            """
        let fixture = Fixtures.folder.appending(path: "../parakeet/tdt/f16.nemo").standardizedFileURL.path
        let outcome = try home.run(script, environment: ["FIXTURE": fixture])
        #expect(outcome.output.contains("tuned\n") && outcome.output.hasSuffix("\nnotes.txt\nz.nemo\n"), "\(outcome)")
    }

    @Test("remove deletes from the user's own folder when $WHISPER_LOCAL_MODELS names it, too")
    func removeFromNamedFolder() throws {
        let outcome = try home.run(
            """
            export WHISPER_LOCAL_MODELS="$HOME/.local/share/whisper-local/models"
            whisper-local models remove --yes base; echo $?; ls "$WHISPER_LOCAL_MODELS"
            """)
        #expect(
            outcome.output
                == "deleted $PWD/.home/.local/share/whisper-local/models/ggml-base.bin\n0\nggml-my micro.bin\n",
            "\(outcome.error)")
    }

    @Test("remove takes the short names under which models are pulled")
    func removeAlias() throws {
        let outcome = try home.run(
            """
            folder="$HOME/.local/share/whisper-local/models"; cd "$folder"
            ln ggml-base.bin ggml-large-v3-turbo.bin
            whisper-local models remove --yes turbo; echo $?; ls
            """)
        #expect(
            outcome.output
                == "deleted $PWD/.home/.local/share/whisper-local/models/ggml-large-v3-turbo.bin\n0\n"
                + "ggml-base.bin\nggml-my micro.bin\n", "\(outcome.error)")
    }

    @Test("list shows what interrupted downloads have left, and remove deletes it")
    func partialDownloads() throws {
        let outcome = try home.run(
            """
            cd "$HOME/.local/share/whisper-local/models"
            head -c 3000000 ggml-base.bin >ggml-large-v3-turbo.bin.part; touch ggml-large-v3-turbo.bin.part.version
            touch ggml-base.bin.part ggml-small.bin.part
            whisper-local models list >list; echo $?; rm list
            for name in turbo base; do whisper-local models remove --yes $name; echo $?; done
            flock .ggml-small.bin.lock whisper-local models remove --yes small; echo $?
            ls
            """)
        let folder = "$PWD/.home/.local/share/whisper-local/models"
        #expect(
            outcome.output == """
                0
                deleted \(folder)/ggml-large-v3-turbo.bin.part
                0
                deleted \(folder)/ggml-base.bin
                deleted \(folder)/ggml-base.bin.part
                0
                75
                ggml-my micro.bin
                ggml-small.bin.part

                """, "\(outcome.error)")
        #expect(
            outcome.error.contains(
                "note: large-v3-turbo is partly downloaded (3 MB); to resume: whisper-local models pull large-v3-turbo; to "
                    + "delete it: whisper-local models remove large-v3-turbo\n"), "\(outcome.error)")
        #expect(outcome.error.contains("is already downloading small"), "\(outcome.error)")
    }
}

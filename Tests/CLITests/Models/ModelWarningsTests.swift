import Foundation
import Testing

/// What every command that loads a model says about it.
@Suite("Warnings about a model")
struct ModelWarningsTests {
    private static let damaged =
        "warning: damaged.bin: the vocabulary was damaged by an old converter; using the built-in one\n"

    @Test(
        "a vocabulary that was replaced is reported by transcribe, live and dictate",
        arguments: [
            "whisper-local transcribe -m damaged.bin --no-timestamps \"$CLIPS/say-01.wav\"",
            "whisper-local live -m damaged.bin --no-timestamps --speed max --file \"$CLIPS/say-01.wav\"",
            """
            XDG_RUNTIME_DIR=$PWD whisper-local dictate -m damaged.bin --file "$CLIPS/say-01.wav" &
            until grep -q demonstration .err; do kill -0 $! || exit; sleep 0.05; done
            kill -TERM $!; wait $! || echo "Open the garden door, please."
            """,
        ])
    func damagedVocabulary(command: String) throws {
        let outcome = try Program.shell(
            "python3 \"$FIXTURES/model.py\" \"$MODEL\" damaged.bin 4 4 damaged-vocabulary\n" + command,
            in: Program.Scratch())
        let announcement =
            command.contains("transcribe")
            ? "" : Program.greeting.replacing("nano.en", with: "damaged.bin")
        let background = command.contains("&\n") ? "this job ignores Ctrl-C; to stop it: kill NUMBER\n" : ""
        #expect(outcome.status == 0 && outcome.output == "Open the garden door, please.\n")
        #expect(
            outcome.error.replacing(/kill \d+/, with: "kill NUMBER")
                == (background.isEmpty ? "" : Program.keysMissing) + Self.damaged + announcement + background)
    }

    @Test(
        "with -v, a Hugging Face folder without a tokenizer is reported",
        arguments: ["transcribe", "live --speed max --file"])
    func noTokenizer(command: String) throws {
        let outcome = try Program.shell(
            """
            cp -r "$FIXTURES/../formats/hf-sharded" bare
            for verbosity in -q -v; do whisper-local \(command) "$CLIPS/say-01.wav" $verbosity -m bare; done
            """, in: Program.Scratch())
        #expect(outcome.status == 0)
        let lines = outcome.error.split(separator: "\n").filter { $0.contains("vocab") }
        #expect(lines == ["bare: no tokenizer.json or vocab.json; using the built-in vocabulary"], "\(outcome.error)")
    }
}

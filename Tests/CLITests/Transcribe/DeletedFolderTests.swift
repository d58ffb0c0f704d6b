import Testing

@Suite("Folders that are gone")
struct DeletedFolderTests {
    @Test(
        "from a current folder that has been deleted, every command that writes to it says so, and none hangs",
        arguments: [
            "transcribe -o out", "transcribe -o a/b/c", "transcribe -f srt", "transcribe -f all -o .",
            "transcribe -o ./out/",
            "models convert ./convert.bin", "models pull --model-dir a/b base", "transcribe --report log.jsonl",
        ])
    func current(command: String) throws {
        let words = command.split(separator: " ")
        // The operands of `convert` are a model and its new file.
        let line =
            words[1] == "convert"
            ? "models convert $MODEL \(words[2])"
            : words[0] == "models" ? command : "\(command) $CLIPS/say-00.wav"
        let outcome = try Program.shell(
            "mkdir gone; cd gone; rmdir ../gone; timeout 60 whisper-local \(line) >/dev/null; echo $?",
            in: Program.Scratch())
        #expect(outcome.output == "73\n", "\(outcome)")
        #expect(
            outcome.error.hasSuffix("error: the current folder has been deleted\ntry: change to another folder (cd)\n")
                || words[1] == "pull" && outcome.error.hasPrefix("error: the current folder has been deleted\n"),
            "\(outcome)")
    }

    @Test("from there, files with absolute paths are transcribed, and folders beside it are used")
    func elsewhere() throws {
        let outcome = try Program.shell(
            """
            here=$PWD; mkdir gone; cd gone; rmdir ../gone
            for folder in "$here/out" ../beside; do
                whisper-local transcribe -q -f txt -o "$folder" $CLIPS/say-00.wav >/dev/null; echo $?
            done
            cd ..; ls out beside
            """, in: Program.Scratch())
        #expect(outcome.output == "0\n0\nbeside:\nsay-00.txt\n\nout:\nsay-00.txt\n", "\(outcome)")
    }
}

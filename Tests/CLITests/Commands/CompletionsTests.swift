import Foundation
import Testing

@Suite("Completions")
struct CompletionsTests {
    @Test("the scripts match the recorded ones", arguments: ["bash", "zsh", "fish"])
    func scripts(shell: String) throws {
        let scratch = try Program.Scratch()
        let outcome = try Program.shell("whisper-local completions \(shell)", in: scratch)
        #expect(outcome.status == 0)
        #expect(outcome.error == "")
        try Fixtures.expect(outcome.output, equals: "completions.\(shell)")
    }

    @Test(
        "bash completes commands, options, words and files",
        arguments: [
            (["whisper-local", "tr"], ["transcribe"]),
            (["whisper-local", "transcribe", "--max-l"], ["--max-line-width", "--max-line-count"]),
            (["whisper-local", "transcribe", "--task", "tra"], ["transcribe", "translate"]),
            (["whisper-local", "transcribe", "-l", "yu"], ["yue"]),
            (["whisper-local", "transcribe", "ta"], ["talk.wav"]),
            (["whisper-local", "completions", ""], ["bash", "zsh", "fish"]),
            (["whisper-local", "hi"], ["history"]),
            (["whisper-local", "history", "s"], ["show", "search"]),
            (["whisper-local", "models", "v"], ["verify"]), (["whisper-local", "models", "info", "ta"], ["talk.wav"]),
            (["whisper-local", "history", "export", "-f", "s"], ["srt"]),
            (["whisper-local", "history", "delete", "--v"], ["--vacuum", "--version"]),
        ])
    func bash(words: [String], expected: [String]) throws {
        let scratch = try Program.Scratch()
        try scratch.write("talk.wav")
        let list = words.map { "'\($0)'" }.joined(separator: " ")
        try scratch.write(
            "try.bash",
            """
            source <(whisper-local completions bash)
            COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1)
            _whisper_local; printf '%s\\n' "${COMPREPLY[@]}"
            """)
        let outcome = try Program.shell("bash try.bash", in: scratch)
        #expect(outcome.output.split(separator: "\n").map(String.init) == expected)
        #expect(outcome.error == "")
    }
}

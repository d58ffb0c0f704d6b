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
        "bash completes commands, options and words",
        arguments: [
            (["whisper-local", "tr"], ["transcribe"]),
            (["whisper-local", "transcribe", "--max-l"], ["--max-line-width", "--max-line-count"]),
            (["whisper-local", "transcribe", "--task", "tra"], ["transcribe", "translate"]),
            (["whisper-local", "transcribe", "-l", "yu"], ["yue"]),
            (["whisper-local", "completions", ""], ["bash", "zsh", "fish"]),
            (["whisper-local", "hi"], ["history"]),
            (["whisper-local", "history", "s"], ["show", "search"]),
            (["whisper-local", "models", "v"], ["verify"]),
            (["whisper-local", "history", "export", "-f", "s"], ["srt"]),
            (["whisper-local", "history", "delete", "--v"], ["--vacuum", "--version"]),
        ])
    func bash(words: [String], expected: [String]) throws {
        let scratch = try Program.Scratch()
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

    @Test(
        "the value of -m and --model is completed with the names of models, and with files only after a slash",
        arguments: shells)
    func models(shell: String) throws {
        let scratch = try Program.Scratch()
        for name in ["talk.wav", "tuned.txt", "zoo/talk.bin"] { try scratch.write(name) }
        let names = ["talker", "two words", "x$(touch injected)`touch injected`"]
        let lines = ["transcribe -m ta", "transcribe --model two", "live -m zo", "serve -m zoo/"]
        let completed = try Self.completed(shell, lines.map { "whisper-local \($0)" }, in: scratch, models: names)
        #expect(
            completed == [
                "[transcribe][-m][talker]", "[transcribe][--model][two words]", "[live][-m][zo]",
                "[serve][-m][zoo/talk.bin]",
            ])
        #expect(!FileManager.default.fileExists(atPath: scratch.url.path + "/injected"))
    }

    /// For each line that is typed in a shell, followed by a tab, the arguments that the program gets, each in brackets.
    ///
    /// - Parameter models: the names of the installed models.
    private static func completed(
        _ shell: String, _ lines: [String], in scratch: Program.Scratch, models: [String] = []
    ) throws -> [String] {
        let shells = [
            "bash": ("bash --norc --noprofile -i", "source <(\(Program.path) completions bash)"),
            "zsh": ("zsh -f -i", "fpath=($PWD/bin $fpath); autoload -U compinit; compinit -u -D"),
            "fish": ("fish --private --no-config", "\(Program.path) completions fish | source"),
        ]
        let (start, load) = try #require(shells[shell])
        try scratch.write("models", models.map { "\($0)\n" }.joined())
        try scratch.write(
            "bin/whisper-local",
            """
            #!/bin/sh
            [ "$*" != 'models list --names' ] || exec cat models
            { for word; do printf '[%s]' "$word"; done; echo done; } >> got
            echo finished
            """)
        let typing = lines.map { "'send:\($0)\\t' 'wait:0.3' 'send:\\n' 'see:finished'" }.joined(separator: " ")
        return try Program.shell(
            """
            chmod +x bin/whisper-local; \(Program.path) completions zsh > bin/_whisper-local
            export PATH="$PWD/bin:$PATH" fish_greeting=
            in-terminal 120 30 'wait:0.5' 'send:\(load); echo rea\\x27\\x27dy\\n' 'see:ready\\r' 'wait:0.5' \\
                \(typing) 'send:\\x15exit\\n' -- \(start) > screen; cat got
            """, in: scratch, environment: ["TERM": "xterm", "PS1": "> "]
        ).output.components(separatedBy: "done\n").dropLast()
    }

    private static let shells = ["bash", "zsh", "fish"].filter {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

    @Test(
        "shells complete names with any characters, those with a leading dash after --, and folders where one is expected",
        arguments: shells)
    func files(shell: String) throws {
        let scratch = try Program.Scratch()
        let names = ["two words.wav", "it's.wav", "qu\"ote.wav", "new\nline.wav", "$HOME.wav", "ünï.wav"]
        for (index, name) in names.enumerated() { try scratch.write("folder\(index)/\(name)") }
        try scratch.write("-dash.wav")
        try scratch.write("out.wav")
        try scratch.write("out 1/x")
        let lines = names.indices.map { "whisper-local transcribe folder\($0)/" }
        let completed = try Self.completed(
            shell, lines + ["whisper-local transcribe -- -d", "whisper-local transcribe -o ou"], in: scratch)
        #expect(
            // zsh removes the slash of a folder again.
            completed.map { $0.replacingOccurrences(of: "/]", with: "]") }
                == names.enumerated().map { "[transcribe][folder\($0)/\($1)]" }
                + ["[transcribe][--][-dash.wav]", "[transcribe][-o][out 1]"])
    }
}

/// Completion scripts for shells, generated from the commands' options.
enum Completions {
    struct Command {
        /// The word after the program's name, or after the group's name.
        let word: String
        let summary: String
        let operands: FlagEntry.Completion
        let entries: [FlagEntry]
        /// The commands of a group, which has neither options nor operands.
        let members: [Command]

        init(_ entry: Commands.Entry) {
            (word, summary) = (entry.name, entry.summary)
            switch entry {
            case .command(let command):
                (operands, entries, members) = (command.manual.operands, command.entries, [])
            case .group(let group):
                (operands, entries, members) = (.nothing, [], group.members.map { Command(member: $0) })
            }
        }

        private init(member command: CommandGroup.Member) {
            (word, summary) = (command.manual.lastWord, command.manual.summary)
            (operands, entries, members) = (command.manual.operands, command.entries, [])
        }
    }

    /// For bash 4 and later; requires no other package.
    static func bash(_ commands: [Command]) -> String {
        let names = commands.map(\.word).joined(separator: " ")
        let lines =
            [
                "# bash completion for whisper-local"
            ] + bashModels + [
                "_whisper_local() {",
                "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} other",
                "    COMPREPLY=()",
                "    if [ \"$COMP_CWORD\" -eq 1 ]; then",
                "        COMPREPLY=($(compgen -W '\(names) --help --version' -- \"$word\")); return", "    fi",
                "    case ${COMP_WORDS[1]} in",
            ] + commands.flatMap { indented(bash($0), by: 4) } + [
                "    esac", "}", "complete -F _whisper_local whisper-local",
            ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// A branch of a `case`.
    private static func bash(_ command: Command) -> [String] {
        if !command.members.isEmpty {
            let words = command.members.map(\.word).joined(separator: " ")
            return [
                "\(command.word))", "    if [ \"$COMP_CWORD\" -eq 2 ]; then",
                "        COMPREPLY=($(compgen -W '\(words) --help' -- \"$word\")); return", "    fi",
                "    case ${COMP_WORDS[2]} in",
            ] + command.members.flatMap { indented(bash($0), by: 4) } + ["    esac;;"]
        }
        var lines = ["\(command.word))", "    case $before in"]
        for entry in command.entries where entry.shape == .value {
            let pattern = ([entry.name] + (entry.short.map { [$0] } ?? [])).joined(separator: "|")
            lines.append("    \(pattern)) \(bashReply(entry.completion)) return;;")
        }
        let options = command.entries.flatMap { [$0.name] + ($0.short.map { [$0] } ?? []) }
        return lines + [
            "    esac", "    for other in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do",
            "        [ \"$other\" = -- ] && { \(bashReply(command.operands)) return; }", "    done",
            "    case $word in",
            "    -*) COMPREPLY=($(compgen -W '\(options.joined(separator: " "))' -- \"$word\"));;",
            "    *) \(bashReply(command.operands))", "    esac;;",
        ]
    }

    private static func indented(_ lines: [String], by columns: Int) -> [String] {
        lines.map { String(repeating: " ", count: columns) + $0 }
    }

    static func zsh(_ commands: [Command]) -> String {
        let lines = ["#compdef whisper-local", "local -a commands"] + zshChoice(commands)
        return lines.joined(separator: "\n") + "\n"
    }

    /// Completes the next word from these commands, and the rest by the chosen command.
    private static func zshChoice(_ commands: [Command]) -> [String] {
        ["commands=("] + commands.map { "  \(quoted("\($0.word):\($0.summary)"))" }
            + [
                ")", "if (( CURRENT == 2 )); then", "  _describe command commands", "  return", "fi",
                "local command=$words[2]", "shift words", "(( CURRENT-- ))", "case $command in",
            ] + commands.flatMap(zsh) + ["esac"]
    }

    /// A branch of a `case`.
    private static func zsh(_ command: Command) -> [String] {
        if !command.members.isEmpty {
            return ["\(command.word))"] + indented(zshChoice(command.members), by: 2) + ["  ;;"]
        }
        var lines = ["\(command.word))", "  _arguments -S \\"]
        for entry in command.entries {
            let text = zshEscaped(entry.help)
            let value =
                switch entry.shape {
                case .toggle: ""
                case .boolean: "::\(zshEscaped("true or false")):(true false)"
                case .count: "::\(zshEscaped(entry.placeholder)):"
                case .optionalWord: "::\(zshEscaped(entry.placeholder)):\(zshAction(entry.completion))"
                case .value: ":\(zshEscaped(entry.placeholder)):\(zshAction(entry.completion))"
                }
            let suffix = entry.shape == .value ? "=" : entry.shape == .toggle ? "" : "=-"
            let repeats = entry.isList ? "*" : ""
            lines.append("    \(quoted("\(repeats)\(entry.name)\(suffix)[\(text)]\(value)")) \\")
            if let short = entry.short {
                let plain = entry.shape == .value ? value : ""
                lines.append("    \(quoted("\(repeats)\(short)[\(text)]\(plain)")) \\")
            }
        }
        return lines + ["    \(quoted("*:input:\(zshAction(command.operands))"))", "  ;;"]
    }

    static func fish(_ commands: [Command]) -> String {
        let lines =
            ["# fish completion for whisper-local", "complete -c whisper-local -f"] + fishChoice(commands, within: [])
        return lines.joined(separator: "\n") + "\n"
    }

    /// - Parameter words: the words already on the line.
    private static func fishChoice(_ commands: [Command], within words: [String]) -> [String] {
        let names = commands.map(\.word).joined(separator: " ")
        let none = (words.map(fishSeen) + ["not __fish_seen_subcommand_from \(names)"]).joined(separator: "; and ")
        return commands.map {
            "complete -c whisper-local -n \(quoted(none)) -a \($0.word) -d \(quoted($0.summary))"
        } + commands.flatMap { fish($0, within: words) }
    }

    private static func fishSeen(_ word: String) -> String { "__fish_seen_subcommand_from \(word)" }

    private static func fish(_ command: Command, within words: [String]) -> [String] {
        let path = words + [command.word]
        if !command.members.isEmpty { return fishChoice(command.members, within: path) }
        let start = "complete -c whisper-local -n \(quoted(path.map(fishSeen).joined(separator: "; and ")))"
        var lines: [String] = []
        switch command.operands {
        case .files, .folders, .models: lines.append("\(start) -F")
        case .words(let words): lines.append("\(start) -a \(quoted(words.joined(separator: " ")))")
        case .nothing: break
        }
        for entry in command.entries {
            var line = "\(start) -l \(entry.name.dropFirst(2))"
            if let short = entry.short { line += " -s \(short.dropFirst())" }
            if entry.shape == .value {
                switch entry.completion {
                case .words(let words): line += " -x -a \(quoted(words.joined(separator: " ")))"
                case .files: line += " -r -F"
                case .folders: line += " -x -a '(__fish_complete_directories)'"
                case .models: line += " -x -a \(quoted(fishModels))"
                case .nothing: line += " -x"
                }
            }
            lines.append("\(line) -d \(quoted(entry.help))")
        }
        return lines
    }

    private static func bashReply(_ completion: FlagEntry.Completion) -> String {
        switch completion {
        case .nothing: ":;"
        case .words(let words): "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$word\"));"
        // Names are left to bash itself, which quotes what is in them.
        case .files: "compopt -o default;"
        case .folders: "compopt -o dirnames;"
        case .models: "_whisper_local_models;"
        }
    }

    private static func zshAction(_ completion: FlagEntry.Completion) -> String {
        switch completion {
        case .nothing: " "
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .files: "_files"
        case .folders: "_files -/"
        case .models: "{ [[ $PREFIX = */* ]] && _files || compadd -- ${(f)\"$(\(modelNames))\"} }"
        }
    }

    private static let modelNames = "whisper-local models list --names 2>/dev/null"

    /// `compgen -W` would expand names like the words of a command.
    private static let bashModels = [
        "_whisper_local_models() {", "    local name", "    case $word in */*) compopt -o default; return;; esac",
        "    while IFS= read -r name; do",
        "        [[ $name = \"$word\"* ]] && COMPREPLY+=(\"$(printf %q \"$name\")\")",
        "    done < <(\(modelNames))", "}",
    ]

    private static let fishModels =
        "(if string match -q '*/*' -- (commandline -ct); __fish_complete_path (commandline -ct); else; \(modelNames); end)"

    private static func zshEscaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if "[]:\\".contains(character) { result.append("\\") }
            result.append(character)
        }
    }

    /// In single quotes, which all three shells treat alike except for a quote inside.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

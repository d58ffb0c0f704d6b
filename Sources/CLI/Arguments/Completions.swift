/// Scripts that complete command lines in a shell, made from the commands' option tables.
enum Completions {
    struct Command {
        let manual: CommandManual
        let entries: [FlagEntry]
    }

    /// For bash 4 and later; no other package is needed.
    static func bash(_ commands: [Command]) -> String {
        let names = commands.map(\.manual.name).joined(separator: " ")
        var lines = [
            "# bash completion for whisper-local", "_whisper_local() {",
            "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}",
            "    if [ \"$COMP_CWORD\" -eq 1 ]; then",
            "        COMPREPLY=($(compgen -W '\(names) --help --version' -- \"$word\")); return", "    fi",
            "    case ${COMP_WORDS[1]} in",
        ]
        for command in commands {
            lines += ["    \(command.manual.name))", "        case $before in"]
            for entry in command.entries where entry.shape == .value {
                let pattern = ([entry.name] + (entry.short.map { [$0] } ?? [])).joined(separator: "|")
                lines.append("        \(pattern)) \(bashReply(entry.completion)) return;;")
            }
            let options = command.entries.flatMap { [$0.name] + ($0.short.map { [$0] } ?? []) }
            lines += [
                "        esac", "        case $word in",
                "        -*) COMPREPLY=($(compgen -W '\(options.joined(separator: " "))' -- \"$word\"));;",
                "        *) \(bashReply(command.manual.operands))", "        esac;;",
            ]
        }
        lines += ["    esac", "}", "complete -o filenames -F _whisper_local whisper-local"]
        return lines.joined(separator: "\n") + "\n"
    }

    static func zsh(_ commands: [Command]) -> String {
        var lines = [
            "#compdef whisper-local", "local -a commands", "commands=(",
        ]
        lines += commands.map { "  \(quoted("\($0.manual.name):\($0.manual.summary)"))" }
        lines += [
            ")", "if (( CURRENT == 2 )); then", "  _describe command commands", "  return", "fi",
            "local command=$words[2]", "shift words", "(( CURRENT-- ))", "case $command in",
        ]
        for command in commands {
            lines += ["\(command.manual.name))", "  _arguments -S \\"]
            for entry in command.entries {
                let text = zshEscaped(entry.help)
                let value =
                    switch entry.shape {
                    case .toggle: ""
                    case .boolean: "::\(zshEscaped("true or false")):(true false)"
                    case .value: ":\(zshEscaped(entry.placeholder)):\(zshAction(entry.completion))"
                    }
                let sign = entry.shape == .value ? "=" : entry.shape == .boolean ? "=-" : ""
                let repeats = entry.isList ? "*" : ""
                lines.append("    \(quoted("\(repeats)\(entry.name)\(sign)[\(text)]\(value)")) \\")
                if let short = entry.short {
                    let plain = entry.shape == .value ? value : ""
                    lines.append("    \(quoted("\(repeats)\(short)[\(text)]\(plain)")) \\")
                }
            }
            lines += ["    \(quoted("*:input:\(zshAction(command.manual.operands))"))", "  ;;"]
        }
        return (lines + ["esac"]).joined(separator: "\n") + "\n"
    }

    static func fish(_ commands: [Command]) -> String {
        let none = "not __fish_seen_subcommand_from \(commands.map(\.manual.name).joined(separator: " "))"
        var lines = ["# fish completion for whisper-local", "complete -c whisper-local -f"]
        for command in commands {
            let summary = quoted(command.manual.summary)
            lines.append("complete -c whisper-local -n \(quoted(none)) -a \(command.manual.name) -d \(summary)")
        }
        for command in commands {
            let start =
                "complete -c whisper-local -n \(quoted("__fish_seen_subcommand_from \(command.manual.name)"))"
            switch command.manual.operands {
            case .files, .folders: lines.append("\(start) -F")
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
                    case .nothing: line += " -x"
                    }
                }
                lines.append("\(line) -d \(quoted(entry.help))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func bashReply(_ completion: FlagEntry.Completion) -> String {
        switch completion {
        case .nothing: "COMPREPLY=();"
        case .words(let words): "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$word\"));"
        case .files: "COMPREPLY=($(compgen -f -- \"$word\"));"
        case .folders: "COMPREPLY=($(compgen -d -- \"$word\"));"
        }
    }

    private static func zshAction(_ completion: FlagEntry.Completion) -> String {
        switch completion {
        case .nothing: " "
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .files: "_files"
        case .folders: "_files -/"
        }
    }

    private static func zshEscaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if "[]:\\".contains(character) { result.append("\\") }
            result.append(character)
        }
    }

    /// In single quotes, which all three shells read alike but for the quote itself.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

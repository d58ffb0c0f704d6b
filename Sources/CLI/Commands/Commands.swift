/// All commands, in the order of the help.
enum Commands {
    /// The first word of a command line: a command, or a group of commands.
    enum Entry: Sendable {
        case command(any Command.Type)
        case group(CommandGroup)

        var name: String {
            switch self {
            case .command(let command): command.manual.name
            case .group(let group): group.name
            }
        }

        var summary: String {
            switch self {
            case .command(let command): command.manual.summary
            case .group(let group): group.summary
            }
        }
    }

    static let entries: [Entry] = [
        .command(TranscribeCommand.self), .command(AlignCommand.self), .command(LiveCommand.self),
        .command(DictateCommand.self), .command(ServeCommand.self), .group(CacheCommands.group),
        .group(SessionHistory.commands),
        .group(SpeakerCommands.group), .group(VocabularyCommands.group), .group(ModelCommands.group),
        .command(BenchCommand.self), .command(DoctorCommand.self), .command(CompletionsCommand.self),
    ]

    /// All commands, including the members of groups.
    static var all: [any Command.Type] {
        entries.flatMap { entry in
            switch entry {
            case .command(let command): [command]
            case .group(let group): group.members
            }
        }
    }

    static func named(_ name: String) -> Entry? {
        entries.first { $0.name == name }
    }
}

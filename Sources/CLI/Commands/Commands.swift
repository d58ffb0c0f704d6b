/// All commands, in the order of the help.
enum Commands {
    static let all: [any Command.Type] = [
        TranscribeCommand.self, LiveCommand.self, DictateCommand.self, BenchCommand.self, DoctorCommand.self,
        CompletionsCommand.self,
    ]

    static var manuals: [CommandManual] { all.map { $0.manual } }

    static func named(_ name: String) -> (any Command.Type)? {
        all.first { $0.manual.name == name }
    }
}

/// What help says of a command beside its options.
struct CommandManual: Sendable {
    let name: String
    /// One sentence without its full stop.
    let summary: String
    /// What follows the command's name.
    let usage: [String]
    var notes: [String] = []
    var examples: [String] = []
    /// What a shell offers for the operands.
    var operands = FlagEntry.Completion.nothing
}

/// Commands that share their first word, such as `history list` and `history show`.
struct CommandGroup: Sendable {
    typealias Member = any Command.Type

    let name: String
    /// One sentence without its full stop.
    let summary: String
    var notes: [String] = []
    /// Their manuals' names are the group's and a word more.
    let members: [Member]

    /// The member of a second word.
    func member(_ word: String) -> Member? {
        members.first { $0.manual.name == "\(name) \(word)" }
    }

    /// The second words, in the order of the help.
    var words: [String] { members.map { $0.manual.lastWord } }
}

extension CommandManual {
    /// `list` of `history list`.
    var lastWord: String { String(name.split(separator: " ").last ?? "") }
}

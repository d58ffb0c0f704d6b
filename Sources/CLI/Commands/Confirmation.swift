extension CommandContext {
    /// Whether the user answers `y` or `yes` to a question such as `delete talk.db? [y/N]`.
    ///
    /// - Parameters:
    ///   - verb: what the command is about to do, such as `delete`.
    ///   - object: what it is about to do this to.
    /// - Throws: a report if there is no terminal to ask on.
    func confirms(_ verb: String, _ object: TerminalText) throws(ErrorReport) -> Bool {
        guard streams.input == .terminal else {
            throw ErrorReport(
                .usage, "cannot ask for confirmation: standard input is not a terminal",
                advice: "add --yes to \(verb) without asking")
        }
        streams.writeError("\(verb) \(object)? [y/N] ")
        return ["y", "yes"].contains(streams.readLine()?.lowercased())
    }
}

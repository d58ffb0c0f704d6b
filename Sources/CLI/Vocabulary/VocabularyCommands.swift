/// The `vocabulary` command.
enum VocabularyCommands {
    static let group = CommandGroup(
        name: "vocabulary", summary: "Check the names and terms that recognition prefers",
        notes: [
            "A vocabulary is a text file with one entry a line: a term, perhaps with a weight (nginx ^2) and with what it "
                + "sounds like (Siobhan ~ shivawn); a rule (engine x => nginx); a rule with a regular expression "
                + "(/(\\d+) mils?/ => $1 mg); or a comment (# …).",
            "$XDG_CONFIG_HOME/whisper-local/vocabulary is used by transcribe, live, dictate and serve; --vocabulary FILE and "
                + "--terms add to it, --no-vocabulary ignores it.",
        ],
        members: [VocabularyCheckCommand.self])
}

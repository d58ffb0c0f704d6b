import WhisperEngine

extension TranscribeCommand {
    static let modelFlags: [Flag<TranscribeOptions>] =
        ModelFlags.weights() + [
            language,
            .choice(
                "--task", in: .model, "write down what is said, or its English translation",
                sets: \.engine.decoding.task),
            .toggle(
                "--translate", in: .model, "same as --task translate", sets: \.engine.decoding.task, to: .translate),
        ] + ModelFlags.compute()

    private static let language = Flag<TranscribeOptions>(
        FlagEntry(
            name: "--language", short: "-l", group: .model, shape: .value, placeholder: "NAME|CODE|auto",
            help: "language spoken; `auto` asks the model, `help` lists all", standard: "auto", example: "en",
            completion: .words(["auto", "help"] + Language.all.map(\.code)))
    ) { (value, options) throws(UsageError) in
        let text = try TextSyntax.utf8(value, option: "--language")
        options.listsLanguages = text == "help"
        if text == "help" || text == "auto" || BooleanSyntax.isNone(value) {
            options.language = nil
            return
        }
        do {
            options.language = try Language(text)
        } catch {
            throw .unknownLanguage(text, nearest: Language.nearest(to: text))
        }
    }
}

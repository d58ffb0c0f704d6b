import WhisperEngine

/// The vocabulary of a run: the user's own file, and what the command line adds.
struct VocabularyChoice: Sendable {
    var files: [FilePath] = []
    /// What was given directly.
    var terms = UserVocabulary()
    /// Whether the user's own file is ignored.
    var ignoresOwn = false
    /// All of it, once it has been read.
    private(set) var all = UserVocabulary()

    /// The user's own file; `nil` if neither `XDG_CONFIG_HOME` nor `HOME` is an absolute path.
    static func ownFile(_ environment: ProcessEnvironment) -> FilePath? {
        environment.configFolder?.appending("vocabulary")
    }

    /// Reads the files.
    mutating func load(_ environment: ProcessEnvironment) throws(VocabularyError) {
        all = UserVocabulary()
        if !ignoresOwn, let own = Self.ownFile(environment) {
            do { all.add(try UserVocabulary(contentsOf: own)) } catch .missing {}
        }
        for file in files { all.add(try UserVocabulary(contentsOf: file)) }
        all.add(terms)
    }

    /// What is used, for `--verbose`; `nil` if there is nothing.
    var detail: String? {
        guard !all.isEmpty else { return nil }
        return "vocabulary: \(Counted.text(all.terms.count, "term")), \(Counted.text(all.rules.count, "rule"))"
    }
}

/// The options that choose a vocabulary.
enum VocabularyFlags {
    static func all<Options: OptionValues>(sets path: Path<Options, VocabularyChoice>) -> [Flag<Options>] {
        [
            Flag(
                FlagEntry(
                    name: "--vocabulary", group: .vocabulary, shape: .value, placeholder: "FILE",
                    help: "names and terms to prefer, and what to write in place of something, repeatable; added to "
                        + "$XDG_CONFIG_HOME/whisper-local/vocabulary",
                    example: "names.txt", completion: .files, isList: true)
            ) { (value, options) throws(UsageError) in
                guard !value.isEmpty, !value.contains(0) else {
                    throw .badValue(option: "--vocabulary", value: value, wanted: "the path of a vocabulary")
                }
                options[keyPath: path].files.append(FilePath(bytes: value))
            },
            Flag(
                FlagEntry(
                    name: "--terms", group: .vocabulary, shape: .value, placeholder: "TERM,TERM,…",
                    help: "names and terms to prefer, repeatable", example: "'Siobhan, nginx'", isList: true)
            ) { (value, options) throws(UsageError) in
                let list = try ValueSyntax.utf8(value, option: "--terms")
                do throws(VocabularyError) {
                    options[keyPath: path].terms.add(try UserVocabulary(list: list))
                } catch {
                    throw .badValue(
                        option: "--terms", value: value,
                        wanted: "terms separated by commas, such as 'Siobhan, nginx ^2'")
                }
            },
            Flag(
                FlagEntry(
                    name: "--no-vocabulary", group: .vocabulary, shape: .toggle,
                    help: "ignore the vocabulary in $XDG_CONFIG_HOME/whisper-local")
            ) { (_, options) in options[keyPath: path].ignoresOwn = true },
        ]
    }
}

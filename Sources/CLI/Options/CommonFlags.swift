import WhisperEngine

/// The options of every command.
enum CommonFlags {
    static let noConfig = "--no-config"
    static let names = [noConfig, "--help", "--version"]

    static func general<Options>() -> [Flag<Options>] {
        [
            // These options set nothing: `Command.perform` looks for `--no-config`, and `Dispatcher` handles the other
            // two before it parses anything. They are listed for help and completions.
            marker(noConfig, nil, "ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)"),
            marker("--help", "-h", "show this help; -h shows only what people use most"),
            marker("--version", nil, "show the version"),
        ]
    }

    /// `--yes`: the command then skips `CommandContext.confirms`.
    static func yes<Options: OptionValues>(sets path: Path<Options, Bool>) -> Flag<Options> {
        .toggle("--yes", "-y", in: .output, "do not ask for confirmation", sets: path, to: true)
    }

    private static func marker<Options>(_ name: String, _ short: String?, _ help: String) -> Flag<Options> {
        Flag(FlagEntry(name: name, short: short, group: .general, shape: .toggle, help: help), set: { (_, _) in })
    }
}

extension Flag {
    /// `--raw FORMAT`: the input is headerless samples in this layout.
    static func raw(_ help: String, sets path: Path<Options, RawFormat?>) -> Flag {
        let entry = FlagEntry(
            name: "--raw", group: .audio, shape: .value, placeholder: "FORMAT", help: help, example: "s16le:16000:1")
        return Flag(entry) { (value, options) throws(UsageError) in
            let text = try ValueSyntax.utf8(value, option: entry.name)
            guard let format = try? RawFormat(text) else {
                let encodings = SampleEncoding.allCases.map(\.rawValue).joined(separator: " ")
                throw .badValue(
                    option: entry.name, value: value,
                    wanted: "ENCODING:RATE:CHANNELS, such as s16le:16000:1; encodings: \(encodings)")
            }
            options[keyPath: path] = format
        }
    }
}

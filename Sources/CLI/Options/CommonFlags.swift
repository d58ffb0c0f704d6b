/// The options of every command.
enum CommonFlags {
    static let noConfig = "--no-config"

    static func general<Options>() -> [Flag<Options>] {
        [
            // These options set nothing: `Command.perform` looks for `--no-config`, and `Dispatcher` handles the other
            // two before it parses anything. They are listed for help and completions.
            marker(noConfig, nil, "ignore the config file ($XDG_CONFIG_HOME/whisper-local/config)"),
            marker("--help", "-h", "show this help"),
            marker("--version", nil, "show the version"),
        ]
    }

    private static func marker<Options>(_ name: String, _ short: String?, _ help: String) -> Flag<Options> {
        Flag(FlagEntry(name: name, short: short, group: .general, shape: .toggle, help: help), set: { (_, _) in })
    }
}

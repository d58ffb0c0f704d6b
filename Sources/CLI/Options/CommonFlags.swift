/// Options that every command has.
enum CommonFlags {
    static let noConfig = "--no-config"

    static func general<Options>() -> [Flag<Options>] {
        [
            Flag(
                FlagEntry(
                    name: noConfig, group: .general, shape: .toggle,
                    help: "leave the config file unread ($XDG_CONFIG_HOME/whisper-local/config)"),
                set: { (_, _) in }),
            // `Main` answers these two before a line is parsed; they stand here for help and completions.
            Flag(
                FlagEntry(name: "--help", short: "-h", group: .general, shape: .toggle, help: "show this help"),
                set: { (_, _) in }),
            Flag(
                FlagEntry(name: "--version", group: .general, shape: .toggle, help: "show the version"),
                set: { (_, _) in }),
        ]
    }
}

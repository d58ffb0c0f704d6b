import WhisperEngine

/// Options of a command that writes transcript files.
protocol OutputOptions: OptionValues {
    /// Empty where none were named.
    var formats: [OutputFormat] { get set }
    var folder: FilePath? { get set }
}

/// The options that all such commands share.
enum OutputFlags {
    static func formats<Options: OutputOptions>(_ help: String) -> Flag<Options> {
        let names = OutputFormat.allCases.map(\.rawValue)
        return Flag<Options>(
            FlagEntry(
                name: "--output-format", short: "-f", group: .output, shape: .value, placeholder: "FORMAT,…|all",
                help: help, example: "srt", completion: .words(["all"] + names), isList: true)
        ) { (value, options) throws(UsageError) in
            let text = try TextSyntax.utf8(value, option: "--output-format")
            do {
                for format in try OutputFormat.parse(list: text) where !options.formats.contains(format) {
                    options.formats.append(format)
                }
            } catch {
                let choices = names + ["all"]
                throw .badChoice(
                    option: "--output-format", value: value, choices: choices,
                    nearest: Suggestion.nearest(to: text, among: choices))
            }
        }
    }

    static func folder<Options: OutputOptions>(_ help: String, standard: String? = nil) -> Flag<Options> {
        .path(
            "--output-dir", "-o", "DIR", in: .output, help, example: "out", standard: standard, offers: .folders,
            sets: \.folder)
    }
}

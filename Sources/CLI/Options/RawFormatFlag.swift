import WhisperEngine

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

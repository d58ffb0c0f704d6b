import WhisperEngine

/// The options that `live` and `dictate` share.
enum ListeningFlags {
    static func sound<Options: ListeningOptions>() -> [Flag<Options>] {
        [
            .text(
                "--device", nil, "NAME", in: .audio,
                "microphone, by ALSA's name (default $\(AudioInput.variable), else the system's choice)",
                example: "default", sets: \.device),
            .path(
                "--file", nil, "FILE", in: .audio, "hear a recording as if it were spoken now", example: "talk.wav",
                offers: .files, sets: \.file),
            raw(),
        ]
    }

    static func detection<Options: ListeningOptions>() -> [Flag<Options>] {
        [
            .choice("--vad-model", in: .listening, "what tells speech from silence", sets: \.detector),
            .toggle("--no-vad", in: .listening, "take all sound for speech", sets: \.takesAllSound, to: true),
            .toggle(
                "--no-context", in: .listening, "recognize without the text so far", sets: \.usesContext, to: false),
            .toggle(
                "--no-phrase-filter", in: .listening,
                "keep utterances that are only a phrase which models write under silence", sets: \.filtersPhrases,
                to: false),
        ]
    }

    static func session<Options: ListeningOptions>() -> Flag<Options> {
        let entry = FlagEntry(
            name: "--session", group: .keeping, shape: .value, placeholder: "NAME",
            help: "keep what is final under this name, written down before it is shown; a known name goes on",
            example: "standup")
        return Flag(entry) { (value, options) throws(UsageError) in
            let name = try TextSyntax.utf8(value, option: "--session")
            guard (1...SessionStore.maxNameBytes).contains(value.count) else {
                throw .badValue(
                    option: "--session", value: value, wanted: "a name of 1 to \(SessionStore.maxNameBytes) bytes")
            }
            options.session = name
        }
    }

    static func talk<Options: ListeningOptions>() -> [Flag<Options>] {
        [
            .choice("--color", in: .output, "colours and dim text", sets: \.color),
            .toggle("--quiet", "-q", in: .output, "only errors on standard error", sets: \.verbosity, to: .quiet),
            .toggle("--verbose", "-v", in: .output, "tell more on standard error", sets: \.verbosity, to: .verbose),
        ]
    }

    private static func raw<Options: ListeningOptions>() -> Flag<Options> {
        let entry = FlagEntry(
            name: "--raw", group: .audio, shape: .value, placeholder: "FORMAT",
            help: "standard input or the file is samples without a header, such as s16le:16000:1 (encoding, rate, "
                + "channels)", example: "s16le:16000:1")
        return Flag(entry) { (value, options) throws(UsageError) in
            do {
                options.raw = try RawFormat(try TextSyntax.utf8(value, option: "--raw"))
            } catch let error as UsageError {
                throw error
            } catch {
                throw .badValue(option: "--raw", value: value, wanted: TranscribeCommand.rawRule)
            }
        }
    }
}

import EngineBasics

/// Options of Whisper were set for a model of another family.
public struct UnusedOptionsError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The names of the options, as in `WhisperOptions` and `DecodingOptions`; at least one.
    public let names: [String]
    /// The name of the model's family.
    public let family: String

    package init(names: [String], family: String) {
        self.names = names
        self.family = family
    }

    /// `what is wrong; what to do`.
    public var description: String {
        "\(family) models have no use for \(names.joined(separator: ", ")); keep the default, or use a Whisper model"
    }
}

extension TranscriptionOptions {
    /// The names of the options that differ from others' and that only Whisper has.
    package func whisperOptions(differingFrom others: WhisperOptions) -> [String] {
        let own = OptionsText.fields(of: whisper) + OptionsText.fields(of: whisper.decoding)
        let theirs = OptionsText.fields(of: others) + OptionsText.fields(of: others.decoding)
        return zip(own, theirs).filter { $0.value != $1.value }.map { $0.0.name }
    }

    /// The options without those that a model has no use for.
    package func suited(to model: ModelTraits) -> TranscriptionOptions {
        var options = self
        if !model.usesWhisperOptions { options.whisper = WhisperOptions() }
        return options
    }
}

extension ModelTraits {
    /// Rejects options that the model would ignore.
    package func check(_ options: TranscriptionOptions) throws(UnusedOptionsError) {
        guard !usesWhisperOptions else { return }
        let names = options.whisperOptions(differingFrom: WhisperOptions())
        if !names.isEmpty { throw UnusedOptionsError(names: names, family: family) }
    }
}

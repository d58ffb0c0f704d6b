import EngineBasics

/// Options were set that models of a family cannot use, such as those of Whisper.
public struct UnusedOptionsError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The names of the options, as in `TranscriptionOptions`, `WhisperOptions` and `DecodingOptions`; at least one.
    public let names: [String]
    /// The name of the model's family.
    public let family: String

    package init(names: [String], family: String) {
        self.names = names
        self.family = family
    }

    /// `what is wrong; what to do`.
    public var description: String {
        if ["task", "--task", "--translate"].contains(names[0]) {
            return "\(family) models cannot translate; leave \(names[0]) out, or use a Whisper model"
        }
        return "\(family) models have no use for \(names.joined(separator: ", ")); leave it out, or use a Whisper model"
    }
}

extension TranscriptionOptions {
    /// The names of the options that only Whisper has and that differ from others' or are given.
    fileprivate func whisperOptions(differingFrom others: WhisperOptions, isGiven: (String) -> Bool) -> [String] {
        let own = OptionsText.fields(of: whisper) + OptionsText.fields(of: whisper.decoding)
        let theirs = OptionsText.fields(of: others) + OptionsText.fields(of: others.decoding)
        // These are set for each window.
        return zip(own, theirs).filter { own, other in
            !["task", "language", "beamSize"].contains(own.name) && (own.value != other.value || isGiven(own.name))
        }.map { $0.0.name }
    }

    /// The options without those that a model has no use for.
    package func suited(to model: ModelTraits) -> TranscriptionOptions {
        var options = self
        if !model.usesWhisperOptions { options.whisper = WhisperOptions() }
        if model.beams == nil { options.beamSize = nil }
        return options
    }
}

extension ModelTraits {
    /// The names of the options that the model would ignore.
    ///
    /// - Parameters:
    ///   - others: the defaults of what only Whisper has.
    ///   - isGiven: whether the user has set an option, perhaps to its default.
    package func unused(
        _ options: TranscriptionOptions, differingFrom others: WhisperOptions,
        isGiven: (String) -> Bool = { _ in false }
    ) -> [String] {
        var names = usesWhisperOptions ? [] : options.whisperOptions(differingFrom: others, isGiven: isGiven)
        if !usesWhisperOptions, translation == .none, options.task == .translate { names.append("task") }
        // Without beams, the search is greedy.
        if beams == nil, options.beamSize ?? 1 > 1 { names.append("beamSize") }
        return names
    }

    /// Rejects options that the model would ignore.
    package func check(_ options: TranscriptionOptions) throws(UnusedOptionsError) {
        let names = unused(options, differingFrom: WhisperOptions())
        if !names.isEmpty { throw UnusedOptionsError(names: names, family: family) }
    }
}

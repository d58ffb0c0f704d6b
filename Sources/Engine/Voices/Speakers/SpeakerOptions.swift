/// How the speakers of a recording are identified.
public struct SpeakerOptions: Hashable, Sendable {
    public var networks: SpeakerNetworks
    /// How many speakers there may be.
    public var limits: SpeakerLimits
    /// Names for the speakers, in the order in which they first talk. Speakers without a name are numbered: with two
    /// names, the third speaker is `speaker 3`.
    public var names: [String]
    /// Voices by which speakers are named, before `names`.
    public var knownVoices: [KnownVoice]

    public init(
        networks: SpeakerNetworks, limits: SpeakerLimits = SpeakerLimits(), names: [String] = [],
        knownVoices: [KnownVoice] = []
    ) {
        self.networks = networks
        self.limits = limits
        self.names = names
        self.knownVoices = knownVoices
    }

    /// The names of the speakers with these voices, in their order.
    package func names(of voices: [SpeakerVoice]) -> [String] {
        SpeakerNaming(names: names, knownVoices: knownVoices).names(of: voices)
    }
}

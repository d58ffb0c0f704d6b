/// How the speakers of a recording are identified.
public struct SpeakerOptions: Hashable, Sendable {
    public var networks: SpeakerNetworks
    /// How many speakers there may be.
    public var limits: SpeakerLimits
    /// The speakers' names in the order in which they first talk; the others are `speaker 3` and so on.
    public var names: [String]

    public init(networks: SpeakerNetworks, limits: SpeakerLimits = SpeakerLimits(), names: [String] = []) {
        self.networks = networks
        self.limits = limits
        self.names = names
    }

    /// The name of a speaker, who counts from 0.
    func name(of speaker: Int) -> String { speaker < names.count ? names[speaker] : "speaker \(speaker + 1)" }
}

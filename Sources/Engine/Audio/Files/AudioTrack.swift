/// A sound track of a container.
public struct AudioTrack: Equatable, Sendable {
    /// Counted from 1 among the sound tracks.
    public let number: Int
    /// As the container gives it (`eng`), cleaned of control characters; `nil` where it gives none.
    public let language: String?
    public let channels: Int
    public let sampleRate: Int
    /// Short name of the coding, `aac`.
    public let codec: String

    public init(number: Int, language: String?, channels: Int, sampleRate: Int, codec: String) {
        self.number = number
        self.language = language
        self.channels = channels
        self.sampleRate = sampleRate
        self.codec = codec
    }
}

extension AudioTrack: CustomStringConvertible {
    /// `2 (eng, stereo, aac)`
    public var description: String {
        let width =
            switch channels {
            case 1: "mono"
            case 2: "stereo"
            default: "\(channels) channels"
            }
        return "\(number) (" + [language, width, codec].compactMap(\.self).joined(separator: ", ") + ")"
    }
}

/// What was noticed about a recording that can be read all the same.
public enum AudioWarning: Equatable, Sendable {
    /// There is a header, but not one sample.
    case noSound
    /// The sound ends before the length that the header gives; seconds.
    case truncated(endsAt: Double, declared: Double)
    /// The header's size field is unset, as recorders leave it that write to a pipe.
    case sizeUnset
    /// The last sample is incomplete.
    case partialSample(bytes: Int)
    /// Bytes behind the declared end of the sound.
    case trailingBytes(Int)
    /// NaN or infinity among floating-point samples, each replaced by 0.
    case notNumbers(Int)
    /// Floating-point samples beyond ±1, each clipped.
    case clipped(Int)
    /// Mixing to mono would have lost most of the sound; from the place where it began this channel, counted from 1,
    /// was taken alone.
    case channelsCancel(used: Int)
    /// Places that could not be decoded, replaced by silence of the same length; seconds.
    case damagedPlaces(count: Int, seconds: Double, first: Double)
    /// Leaps in the container's timestamps: gaps were filled with silence, what was told twice was dropped; seconds.
    case timestampLeaps(count: Int, first: Double)
    /// Several sound tracks, one of which was taken without being asked for.
    case severalTracks(taken: AudioTrack, all: [AudioTrack])

    /// How loudly it is to be told.
    public enum Level: Sendable {
        /// Only where details are asked for.
        case detail
        case note
        case warning
    }

    public var level: Level {
        switch self {
        case .sizeUnset, .partialSample: .detail
        case .severalTracks: .note
        default: .warning
        }
    }
}

extension AudioWarning: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noSound: "no sound in it (0.0 s)"
        case .truncated(let end, let declared):
            "ends at \(tenths(end)) s, header says \(tenths(declared)) s; recognized what is there"
        case .sizeUnset: "size field unset, read to the end"
        case .partialSample(let bytes): "\(counted(bytes, "byte")) of an incomplete sample ignored"
        case .trailingBytes(let bytes): "\(counted(bytes, "byte")) after the data chunk ignored"
        case .notNumbers(let count): "\(counted(count, "sample")) were not numbers, silenced"
        case .clipped(let count): "\(counted(count, "sample")) over full scale, clipped"
        case .channelsCancel(let channel): "channels cancel each other, used channel \(channel)"
        case .damagedPlaces(let count, let seconds, let first):
            "\(counted(count, "damaged place")) (\(tenths(seconds)) s) skipped at \(AudioWarning.clock(first))"
                + (count > 1 ? " …" : "")
        case .timestampLeaps(let count, let first):
            "times leap at \(counted(count, "place")), first at \(AudioWarning.clock(first)); "
                + "gaps filled with silence"
        case .severalTracks(let taken, let all):
            "\(all.count) sound tracks, took \(taken); --track chooses: "
                + all.map(\.description).joined(separator: ", ")
        }
    }

    /// `12:31.2`, `1:02:03.4`
    static func clock(_ seconds: Double) -> String {
        let total = wholeTenths(seconds)
        let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        let minutes = total / 600
        let rest = "\(two(total / 10 % 60)).\(total % 10)"
        return minutes >= 60 ? "\(minutes / 60):\(two(minutes % 60)):\(rest)" : "\(minutes):\(rest)"
    }

    /// `12.3`
    private func tenths(_ seconds: Double) -> String {
        let total = Self.wholeTenths(seconds)
        return "\(total / 10).\(total % 10)"
    }

    private static func wholeTenths(_ seconds: Double) -> Int {
        Int(exactly: (seconds * 10).rounded()).map { max(0, $0) } ?? 0
    }

    private func counted(_ count: Int, _ thing: String) -> String { count == 1 ? "1 \(thing)" : "\(count) \(thing)s" }
}

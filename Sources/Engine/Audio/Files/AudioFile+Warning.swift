import EngineBasics

extension AudioFile {
    /// A problem of a recording that did not prevent it from being read.
    public enum Warning: Equatable, Sendable {
        /// There is a header, but no samples.
        case noSamples
        /// The audio ends before the length declared in the header; seconds.
        case truncated(endsAt: Double, declared: Double)
        /// The header's size field is not set, as when a recorder writes to a pipe.
        case sizeUnset
        /// The last sample is incomplete.
        case partialSample(bytes: Int)
        /// Bytes after the declared end of the audio.
        case trailingBytes(Int)
        /// Number of NaN or infinite samples, which were replaced by 0.
        case nonFinite(Int)
        /// Number of floating-point samples outside ±1, which were clipped.
        case clipped(Int)
        /// Mixing to mono would have canceled most of the signal; there, only one channel was used.
        /// `usedChannel`: its number from 1, `nil` if it changed; `seconds`: total length, `first`: position of the first
        /// place.
        case phaseCancellation(usedChannel: Int?, seconds: Double, first: Double)
        /// Sections that could not be decoded and were replaced by silence of the same length. `seconds`: total length,
        /// `first`: position of the first one.
        case damagedSections(count: Int, seconds: Double, first: Double)
        /// Jumps in the container's timestamps: gaps were filled with silence, repeated audio was dropped. `first`: position
        /// of the first jump, seconds.
        case timestampJumps(count: Int, first: Double)
        /// There are several audio tracks, and none was selected.
        case multipleTracks(used: AudioFile.Track, all: [AudioFile.Track])

        /// The importance of a warning.
        public enum Level: Sendable {
            /// Relevant only for detailed output.
            case detail
            case note
            case warning
        }

        public var level: Level {
            switch self {
            case .sizeUnset, .partialSample: .detail
            case .multipleTracks: .note
            default: .warning
            }
        }
    }
}

extension AudioFile.Warning: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noSamples: "contains no audio (0.0 s)"
        case .truncated(let end, let declared):
            "truncated at \(tenths(end)) s, the header declares \(tenths(declared)) s"
        case .sizeUnset: "size not set in the header, read to the end"
        case .partialSample(let bytes): "ignored \(Counted.text(bytes, "byte")) of an incomplete sample"
        case .trailingBytes(let bytes): "ignored \(Counted.text(bytes, "byte")) after the data chunk"
        case .nonFinite(let count): "set \(Counted.text(count, "NaN or infinite sample")) to 0"
        case .clipped(let count): "clipped \(Counted.text(count, "sample")) over full scale"
        case .phaseCancellation(let channel, let seconds, let first):
            "channels cancel each other out for \(tenths(seconds)) s, first at \(AudioFile.Warning.clock(first)); "
                + "only \(channel.map { "channel \($0)" } ?? "the louder one") is used there"
        case .damagedSections(let count, let seconds, let first):
            "skipped \(Counted.text(count, "damaged section")) (\(tenths(seconds)) s) "
                + "\(count > 1 ? "from" : "at") \(AudioFile.Warning.clock(first))"
        case .timestampJumps(let count, let first):
            "timestamps jump in \(Counted.text(count, "place")), first at \(AudioFile.Warning.clock(first)); "
                + "gaps filled with silence"
        case .multipleTracks(let used, let all):
            "using track \(used) of \(all.count) audio tracks: " + all.map(\.description).joined(separator: ", ")
        }
    }

    /// Formats seconds as `12:31.2` or `1:02:03.4`.
    static func clock(_ seconds: Double) -> String {
        let total = wholeTenths(seconds)
        let minutes = total / 600
        let rest = "\(Digits.decimal(total / 10 % 60)).\(total % 10)"
        return minutes >= 60 ? "\(minutes / 60):\(Digits.decimal(minutes % 60)):\(rest)" : "\(minutes):\(rest)"
    }

    /// Formats seconds as `12.3`.
    private func tenths(_ seconds: Double) -> String {
        let total = Self.wholeTenths(seconds)
        return "\(total / 10).\(total % 10)"
    }

    private static func wholeTenths(_ seconds: Double) -> Int {
        Int(exactly: (seconds * 10).rounded()).map { max(0, $0) } ?? 0
    }
}

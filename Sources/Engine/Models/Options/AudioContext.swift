/// How many of a window's 1500 audio positions (20 ms each) the encoder computes. Its cost grows with their number.
public enum AudioContext: Sendable, Hashable {
    /// All positions, padding included: what the reference does and what models are trained with.
    case full
    /// The positions that contain audio, plus a margin. A window whose text is then doubtful is decoded again in full.
    case auto
    /// The positions that contain audio, plus this many.
    case margin(Int)
    /// This many positions, 1…1500. Windows are shortened to match, so that nothing is skipped.
    case positions(Int)

    /// Number of 10 ms frames of a full window: 30 s.
    package static let windowFrames = 3000
    /// Positions added after the audio by `auto`: five seconds.
    package static let margin = 256

    /// Maximum number of 10 ms frames in a window.
    package var maxFrames: Int {
        switch self {
        case .full, .auto, .margin: Self.windowFrames
        case .positions(let count): 2 * min(max(1, count), Self.windowFrames / 2)
        }
    }

    /// Positions to encode for a window with this many frames of audio, all of which are included.
    ///
    /// - Parameter limit: the model's number of positions.
    package func positions(frames: Int, limit: Int) -> Int {
        let needed = (frames + 1) / 2
        let count =
            switch self {
            case .full: limit
            case .auto: Self.rounded(needed + Self.margin)
            case .margin(let count): Self.rounded(needed + min(max(0, count), limit))
            case .positions(let count): max(needed, count)
            }
        return min(max(1, count), limit)
    }

    /// Rounds up to a multiple of the number of rows that kernels process at once.
    private static func rounded(_ positions: Int) -> Int { (positions + 63) / 64 * 64 }
}

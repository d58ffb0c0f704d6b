/// How many of a window's 1500 audio positions (20 ms each) the encoder computes. Its cost grows with their number.
public enum AudioContext: Sendable, Hashable {
    /// All positions, padding included: what the reference does and what models are trained with.
    case full
    /// The positions that contain audio and a second more; the others are those of silence. A window whose
    /// text is then doubtful is decoded again in full.
    case auto
    /// The positions that contain audio, plus this many, and no others.
    case margin(Int)
    /// This many positions, 1…1500, and no others. Windows are shortened to match, so that nothing is skipped.
    case positions(Int)

    /// Number of 10 ms frames of a full window: 30 s.
    package static let windowFrames = 3000
    /// Positions added after the audio by `auto`.
    package static let margin = 50
    /// Positions are multiples of this where silence follows them: kernels process as many at once.
    package static let step = 32

    /// Maximum number of 10 ms frames in a window.
    package var maxFrames: Int {
        switch self {
        case .full, .auto, .margin: Self.windowFrames
        case .positions(let count): 2 * min(max(1, count), Self.windowFrames / 2)
        }
    }

    /// What to encode for a window with this many frames of audio, all of which are included.
    ///
    /// - Parameter limit: the model's number of positions.
    package func extent(frames: Int, limit: Int) -> AudioExtent {
        let needed = (frames + 1) / 2
        let count =
            switch self {
            case .full: limit
            case .auto: Self.rounded(needed + Self.margin, to: Self.step)
            // The number of rows that kernels process at once.
            case .margin(let count): Self.rounded(needed + min(max(0, count), limit), to: 64)
            case .positions(let count): max(needed, count)
            }
        let positions = min(max(1, count), limit)
        return AudioExtent(positions: positions, isFollowedBySilence: self == .auto && positions < limit)
    }

    private static func rounded(_ positions: Int, to step: Int) -> Int { (positions + step - 1) / step * step }
}

/// The part of a window that the encoder computes.
package struct AudioExtent: Hashable, Sendable {
    /// The positions from the start of the window on.
    package let positions: Int
    /// Whether the rest of the window follows, as it is without sound; otherwise the window ends after the positions.
    package let isFollowedBySilence: Bool

    package init(positions: Int, isFollowedBySilence: Bool = false) {
        self.positions = positions
        self.isFollowedBySilence = isFollowedBySilence
    }
}

/// How many of a window's 1500 audio positions (20 ms each) the encoder computes. Its work grows with them.
public enum AudioContext: Sendable, Hashable {
    /// All, whatever the window holds: the reference's way, and what models are trained with.
    case full
    /// Those that hold sound, and a margin. A window of whose text the model is then not sure is decoded again in full.
    case auto
    /// Those that hold sound, and so many more.
    case margin(Int)
    /// So many, 1…1500; windows are no longer than that, so that nothing is left out.
    case positions(Int)

    /// Positions behind the sound in `auto`: five seconds.
    package static let margin = 256

    /// Most frames of 10 ms in a window.
    package var mostFrames: Int {
        switch self {
        case .full, .auto, .margin: WindowSpan.fullFrames
        case .positions(let count): 2 * min(max(1, count), WindowSpan.fullFrames / 2)
        }
    }

    /// Positions to encode for a window with so many frames of sound; all of them are in it.
    ///
    /// - Parameter most: the model's positions.
    package func positions(frames: Int, most: Int) -> Int {
        let needed = (frames + 1) / 2
        let count =
            switch self {
            case .full: most
            case .auto: Self.rounded(needed + Self.margin)
            case .margin(let count): Self.rounded(needed + min(max(0, count), most))
            case .positions(let count): max(needed, count)
            }
        return min(max(1, count), most)
    }

    /// A multiple of what kernels take at once.
    private static func rounded(_ positions: Int) -> Int { (positions + 63) / 64 * 64 }
}

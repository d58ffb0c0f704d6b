/// How a recording is opened.
public struct AudioOptions: Sendable {
    /// Which sound track, counted from 1 among the sound tracks; `nil` takes the first and notes that there are others.
    public var track: Int?
    /// The input is samples without a header, laid out so.
    public var raw: RawFormat?
    /// Called once when a pipe has given nothing for two seconds.
    public var onWaiting: (@Sendable () -> Void)?

    public init(track: Int? = nil, raw: RawFormat? = nil, onWaiting: (@Sendable () -> Void)? = nil) {
        self.track = track
        self.raw = raw
        self.onWaiting = onWaiting
    }
}

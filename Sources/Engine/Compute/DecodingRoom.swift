/// What is decoded at the same time, as far as memory depends on it.
public struct DecodingRoom: Sendable, Hashable {
    /// Windows side by side.
    public var windows: Int
    /// Beams or samples of each window.
    public var rowsPerWindow: Int

    /// - Parameter rowsPerWindow: 5 are the usual beam search.
    public init(windows: Int = 1, rowsPerWindow: Int = 5) {
        self.windows = max(1, windows)
        self.rowsPerWindow = max(1, rowsPerWindow)
    }
}

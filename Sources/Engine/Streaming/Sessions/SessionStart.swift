/// Where a session begins: at nothing, or where an earlier run of it ended.
public struct SessionStart: Sendable, Hashable {
    public var id: SessionID
    /// Samples on the session's clock.
    public var clock: Int
    /// Id of the next final.
    public var nextID: Int
    /// The last text of the earlier run, to prompt the first pass.
    public var context: String

    public init(id: SessionID = SessionID(), clock: Int = 0, nextID: Int = 0, context: String = "") {
        self.id = id
        self.clock = max(0, clock)
        self.nextID = max(0, nextID)
        self.context = context
    }
}

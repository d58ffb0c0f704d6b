/// A session as the store knows it.
package struct StoredSession: Sendable, Hashable {
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// Being recorded, or left so by a process that died and whose lock has not been tried yet.
        case open
        case closed, cancelled
        /// Its process died.
        case recovered
    }

    package let id: SessionID
    /// What the user calls it.
    package let title: String
    /// ISO 8601, UTC.
    package let created: String
    package let closed: String?
    package let source: String
    package let model: String
    package let language: String?
    package let state: State
    /// Samples on its clock: a new run begins there.
    package let nextSample: Int
    package let finals: Int
}

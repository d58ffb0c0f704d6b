import Synchronization

/// The samples of a recording for several threads: one appends, others read what is there.
package final class SharedSamples: Sendable {
    private let store: Mutex<SampleStore>

    package init() { store = Mutex(SampleStore()) }

    /// Samples held.
    package var count: Int { store.withLock { $0.count } }

    /// As `SampleStore.append`.
    package func append(_ samples: [Float]) throws { try store.withLock { try $0.append(samples) } }

    /// As `SampleStore.read`.
    package func read(_ range: Range<Int>) throws -> [Float] { try store.withLock { try $0.read(range) } }
}

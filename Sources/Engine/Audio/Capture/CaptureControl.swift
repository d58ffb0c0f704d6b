import Synchronization

/// What a capture is told from outside; whoever gives its sound looks here now and then.
package final class CaptureControl: Sendable {
    private let paused = Atomic<Bool>(false)
    private let stopped = Atomic<Bool>(false)

    package init() {}

    package var isPaused: Bool { paused.load(ordering: .acquiring) }
    package var isStopped: Bool { stopped.load(ordering: .acquiring) }

    package func pause() { paused.store(true, ordering: .releasing) }
    package func resume() { paused.store(false, ordering: .releasing) }
    package func stop() { stopped.store(true, ordering: .releasing) }
}

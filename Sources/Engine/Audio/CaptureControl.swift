import Synchronization

/// What a capture is told from outside; whoever gives its sound looks here now and then.
final class CaptureControl: Sendable {
    private let paused = Atomic<Bool>(false)
    private let stopped = Atomic<Bool>(false)

    var isPaused: Bool { paused.load(ordering: .acquiring) }
    var isStopped: Bool { stopped.load(ordering: .acquiring) }

    func pause() { paused.store(true, ordering: .releasing) }
    func resume() { paused.store(false, ordering: .releasing) }
    func stop() { stopped.store(true, ordering: .releasing) }
}

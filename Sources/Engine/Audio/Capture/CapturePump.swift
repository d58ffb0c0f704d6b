import Synchronization

/// Takes from the link what the thread has put there, at intervals: waking up is what silence costs.
actor CapturePump {
    private let link: CaptureLink
    private let rest: CaptureRest
    /// Starts the thread.
    private let start: @Sendable () throws(CaptureError) -> Void
    private var isStarted = false
    private var isAtEnd = false
    private var stopping = Duration.zero

    /// A thread that does not end within this time after stop hangs in its device, and is left to itself.
    private static let patience = Duration.seconds(2)

    init(
        _ link: CaptureLink, rest: CaptureRest, start: @escaping @Sendable () throws(CaptureError) -> Void
    ) {
        self.link = link
        self.rest = rest
        self.start = start
    }

    deinit { link.control.stop() }

    func next() async throws -> CaptureEvent? {
        guard !isAtEnd else { return nil }
        do {
            if !isStarted {
                isStarted = true
                try start()
            }
            if let event = try await wait() { return event }
        } catch {
            finish()
            throw Task.isCancelled ? CancellationError() : error
        }
        finish()
        return nil
    }

    private func wait() async throws -> CaptureEvent? {
        var hasRested = false
        while true {
            try Task.checkCancellation()
            // The ending first: nothing comes behind it.
            let ending = link.ending
            let isLast = hasRested || ending != nil || link.control.isStopped
            let least = isLast ? 1 : Int(rest.interval / .seconds(1) * Double(AudioChunk.sampleRate))
            if let event = link.next(least: least) { return event }
            switch ending {
            case .stopped?: return nil
            case .failed(let error)?: throw error
            case nil: break
            }
            if link.control.isStopped {
                guard stopping < Self.patience else { return nil }
                stopping += .milliseconds(10)
                try await Task.sleep(for: .milliseconds(10))
            } else {
                try await rest.sleep()
                hasRested = true
            }
        }
    }

    private func finish() {
        isAtEnd = true
        link.control.stop()
    }
}

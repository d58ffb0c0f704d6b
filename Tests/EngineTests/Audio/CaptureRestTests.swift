import Testing
import WhisperEngine

@Suite("Capture rest")
struct CaptureRestTests {
    private static let long = Duration.seconds(60)

    /// Starts a long rest and returns when it has begun.
    private func resting(_ rest: PollTimer) async throws -> Task<Duration, any Error> {
        let task = Task {
            let start = ContinuousClock.now
            try await rest.sleep()
            return ContinuousClock.now - start
        }
        try await Task.sleep(for: .milliseconds(100))
        return task
    }

    @Test("it lasts as long as it was asked to")
    func length() async throws {
        let start = ContinuousClock.now
        try await PollTimer(.milliseconds(30)).sleep()
        #expect(ContinuousClock.now - start >= .milliseconds(30))
    }

    @Test("it ends at once when a shorter one is asked for, and the next one is short")
    func shortened() async throws {
        let rest = PollTimer(Self.long)
        let task = try await resting(rest)
        rest.interval = .milliseconds(20)
        #expect(try await task.value < .seconds(30))
        #expect(rest.interval == .milliseconds(20))
        try await rest.sleep()
    }

    @Test("a longer one is for the next time")
    func lengthened() async throws {
        let rest = PollTimer(.milliseconds(300))
        let task = try await resting(rest)
        rest.interval = Self.long
        #expect(try await task.value >= .milliseconds(300))
    }

    @Test("it ends with its task")
    func cancelled() async throws {
        let task = try await resting(PollTimer(Self.long))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

import Testing

@Suite("Poll timer")
struct PollTimerTests {
    private static let long = Duration.seconds(60)

    /// Starts to sleep in a task and returns once it sleeps.
    private func sleeping(_ timer: PollTimer) async throws -> Task<Duration, any Error> {
        let task = Task {
            let start = ContinuousClock.now
            try await timer.sleep()
            return ContinuousClock.now - start
        }
        try await Task.sleep(for: .milliseconds(100))
        return task
    }

    @Test("it sleeps for the interval")
    func length() async throws {
        let start = ContinuousClock.now
        try await PollTimer(.milliseconds(30)).sleep()
        #expect((.milliseconds(30)..<Self.long / 2).contains(ContinuousClock.now - start))
    }

    @Test("shortening the interval ends the sleep at once and applies to the next one")
    func shortened() async throws {
        let timer = PollTimer(Self.long)
        let task = try await sleeping(timer)
        timer.interval = .milliseconds(20)
        #expect(try await task.value < Self.long / 2)
        #expect(timer.interval == .milliseconds(20))
        let start = ContinuousClock.now
        try await timer.sleep()
        #expect((.milliseconds(20)..<Self.long / 2).contains(ContinuousClock.now - start))
    }

    @Test("lengthening the interval applies to the next sleep")
    func lengthened() async throws {
        let timer = PollTimer(.milliseconds(300))
        let task = try await sleeping(timer)
        timer.interval = Self.long
        #expect((.milliseconds(300)..<Self.long / 2).contains(try await task.value))
    }

    @Test("cancelling the task ends the sleep")
    func cancelled() async throws {
        let task = try await sleeping(PollTimer(Self.long))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

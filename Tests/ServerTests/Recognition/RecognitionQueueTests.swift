import Synchronization
import Testing
import WhisperEngine
import WhisperServer

/// Who waits, for how long, and who is rejected. Each recognition lasts until the test ends it.
@Suite("Recognition queue")
struct RecognitionQueueTests {
    /// Recognitions in the order in which they ran, each held until `release`.
    private final class Work: Sendable {
        private struct State {
            var begun: [String] = []
            var held: [CheckedContinuation<Void, Never>] = []
            var isOpen = false
        }

        private let state = Mutex(State())
        var begun: [String] { state.withLock(\.begun) }

        func run(_ name: String) async -> Transcription {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    state.begun.append(name)
                    if !state.isOpen { state.held.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
            let transcript = Transcript(text: name, language: "en", duration: 1, segments: [])
            return Transcription(transcript: transcript, model: "m", seconds: 1)
        }

        func release() {
            let held = state.withLock { state in
                state.isOpen = true
                defer { state.held = [] }
                return state.held
            }
            for continuation in held { continuation.resume() }
        }
    }

    private let work = Work()

    /// Submits a recording and returns once it is waiting, running or rejected.
    private func submit(_ audio: String, of client: String, to queue: RecognitionQueue) async -> Task<Int, Never> {
        let key = RecognitionQueue.Key(audio: audio, model: "m", options: TranscriptionOptions())
        let before = await queue.waitingCount + queue.runningCount
        let done = Done()
        let task = Task { [work] in
            defer { done.set() }
            do throws(HTTPError) {
                _ = try await queue.result(for: key, client: client, updates: { _ in }) { _ in await work.run(audio) }
                return 200
            } catch {
                return error.status
            }
        }
        for _ in 0..<200 where !done.isSet {
            if await queue.waitingCount + queue.runningCount > before { break }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return task
    }

    private final class Done: Sendable {
        private let state = Mutex(false)
        var isSet: Bool { state.withLock(\.self) }
        func set() { state.withLock { $0 = true } }
    }

    private func statuses(_ tasks: [Task<Int, Never>]) async -> [Int] {
        var statuses: [Int] = []
        for task in tasks { statuses.append(await task.value) }
        return statuses
    }

    @Test("clients take turns, however many recordings each has sent before")
    func turns() async {
        let queue = RecognitionQueue(workers: 1, limit: 100)
        var tasks: [Task<Int, Never>] = []
        for number in 0..<6 { tasks.append(await submit("a\(number)", of: "a", to: queue)) }
        for number in 0..<2 { tasks.append(await submit("b\(number)", of: "b", to: queue)) }
        tasks.append(await submit("c0", of: "c", to: queue))
        work.release()
        #expect(await statuses(tasks).allSatisfy { $0 == 200 })
        #expect(work.begun == ["a0", "a1", "b0", "c0", "a2", "b1", "a3", "a4", "a5"])
    }

    @Test("nobody fills the queue: the next client finds room, however many each has sent", arguments: [2, 7, 16])
    func room(limit: Int) async {
        let queue = RecognitionQueue(workers: 1, limit: limit)
        var accepted: [Int] = []
        var tasks = [await submit("running", of: "c0", to: queue)]
        for client in 0... {
            let before = await queue.waitingCount
            for number in 0...limit { tasks.append(await submit("\(client) \(number)", of: "c\(client)", to: queue)) }
            accepted.append(await queue.waitingCount - before)
            if accepted.last == 0 { break }
        }
        #expect(accepted[0] == (limit + 1) / 2)
        #expect(accepted == accepted.sorted(by: >) && accepted.reduce(0, +) == limit)
        #expect(await queue.isFull)
        work.release()
        let found = await statuses(tasks)
        #expect(found.count { $0 == 200 } == limit + 1 && found.allSatisfy { [200, 503].contains($0) })
    }

    @Test("a client that waits for the same recording as another has its own turn")
    func sharedTurn() async {
        let queue = RecognitionQueue(workers: 1, limit: 100)
        var tasks: [Task<Int, Never>] = []
        for number in 0..<6 { tasks.append(await submit("a\(number)", of: "a", to: queue)) }
        tasks.append(await submit("a5", of: "b", to: queue))
        #expect(await queue.waitingCount == 5)
        work.release()
        #expect(await statuses(tasks).allSatisfy { $0 == 200 })
        #expect(work.begun == ["a0", "a1", "a5", "a2", "a3", "a4"])
    }

    @Test("who gives up leaves the queue, and makes room")
    func leaving() async {
        let queue = RecognitionQueue(workers: 1, limit: 4)
        var tasks = [await submit("running", of: "a", to: queue)]
        let waiting = [await submit("a0", of: "a", to: queue), await submit("a1", of: "a", to: queue)]
        #expect(await submit("a2", of: "a", to: queue).value == 503)
        for task in waiting { task.cancel() }
        for task in waiting { #expect(await task.value == 499) }
        #expect(await queue.waitingCount == 0)
        tasks.append(await submit("a3", of: "a", to: queue))
        work.release()
        #expect(await statuses(tasks) == [200, 200])
        #expect(work.begun == ["running", "a3"])
    }
}

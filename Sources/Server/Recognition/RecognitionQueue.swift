package import WhisperEngine

/// The waiting and running recognitions: bounded, and fair among clients.
///
/// Each client has its own queue, and the queues take turns, so a client that sends a hundred recordings does not keep
/// the others waiting. No client fills the room for waiting recordings: it must leave as much free as it takes, so one
/// gets half of it, two get a third each. Requests for the same result share one recognition, which waits in the queue of
/// each of their clients.
package actor RecognitionQueue {
    /// Identifies the result. Equal requests have the same result.
    package struct Key: Hashable, Sendable {
        /// The identity of the upload.
        let audio: String
        let model: String
        let options: TranscriptionOptions

        package init(audio: String, model: String, options: TranscriptionOptions) {
            self.audio = audio
            self.model = model
            self.options = options
        }
    }

    package typealias Work =
        @Sendable (_ updates: @escaping @Sendable (TranscriptUpdate) -> Void) async throws(HTTPError) -> Transcription

    /// Recognitions at a time.
    private let workers: Int
    /// Recognitions that may wait for their turn.
    private let limit: Int
    private var jobs: [Key: Job] = [:]
    private var waiting: Set<ObjectIdentifier> = []
    /// The waiting jobs of each client.
    private var lines: [String: [Job]] = [:]
    /// The clients with waiting jobs, next first.
    private var turns: [String] = []
    package private(set) var runningCount = 0

    package init(workers: Int, limit: Int) {
        self.workers = max(1, workers)
        self.limit = limit
    }

    package var waitingCount: Int { waiting.count }

    package var isFull: Bool { runningCount >= workers && waitingCount >= limit }

    /// Runs `work` when its turn comes, or waits for an earlier equal request.
    ///
    /// - Throws: 503 if too many are waiting, in all or for this client, or the error of `work`.
    package func result(
        for key: Key, client: String, updates: @escaping @Sendable (TranscriptUpdate) -> Void, work: @escaping Work
    ) async throws(HTTPError) -> Transcription {
        guard !Task.isCancelled else { throw .clientGone }
        let job: Job
        if let running = jobs[key] {
            job = running
        } else {
            guard hasRoom(for: client) else { throw .recognizerBusy }
            job = Job(key: key, work: work)
            jobs[key] = job
            waiting.insert(ObjectIdentifier(job))
        }
        if waiting.contains(ObjectIdentifier(job)), !lines[client, default: []].contains(where: { $0 === job }) {
            if lines[client] == nil { turns.append(client) }
            lines[client, default: []].append(job)
        }
        let share = job.join(updates)
        startNext()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { job.wait(share, $0) }
        } onCancel: {
            Task { await self.leave(job, share) }
        }
        return try result.get()
    }

    private func hasRoom(for client: String) -> Bool {
        runningCount < workers || lines[client, default: []].count < limit - waitingCount
    }

    /// Drops a share of a job; a job without shares is cancelled.
    private func leave(_ job: Job, _ share: Int) {
        guard job.leave(share) else { return }
        job.task?.cancel()
        if jobs[job.key] === job { jobs[job.key] = nil }
        removeFromLines(job)
    }

    private func startNext() {
        while runningCount < workers, let client = turns.first, let job = lines[client]?.first {
            turns.removeFirst()
            turns.append(client)
            removeFromLines(job)
            runningCount += 1
            job.task = Task {
                let result: Result<Transcription, HTTPError>
                do throws(HTTPError) {
                    result = .success(try await job.work { job.publish($0) })
                } catch {
                    result = .failure(error)
                }
                self.finish(job, result)
            }
        }
    }

    private func removeFromLines(_ job: Job) {
        guard waiting.remove(ObjectIdentifier(job)) != nil else { return }
        for (client, line) in lines {
            let rest = line.filter { $0 !== job }
            lines[client] = rest.isEmpty ? nil : rest
            if rest.isEmpty { turns.removeAll { $0 == client } }
        }
    }

    private func finish(_ job: Job, _ result: Result<Transcription, HTTPError>) {
        if jobs[job.key] === job { jobs[job.key] = nil }
        runningCount -= 1
        job.finish(result)
        startNext()
    }
}

extension HTTPError {
    /// Never sent.
    static let clientGone = HTTPError(499, "The client has gone.", type: "server_error")
}

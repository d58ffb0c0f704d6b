package import WhisperEngine

/// Performs the recognitions of all routes: from the cache, or by a model when their turn comes.
package final class RecognitionService: Transcriber {
    private let cache: TranscriptCache
    private let queue: RecognitionQueue
    private let metrics: ServerMetrics
    private let maxDuration: Double
    private let log: @Sendable (String) -> Void

    /// - Parameters:
    ///   - workers: recognitions at a time.
    ///   - maxWaiting: recognitions that may wait.
    ///   - maxDuration: seconds of audio in a recording.
    ///   - log: receives a line for each recognition that failed.
    package init(
        cache: TranscriptCache, metrics: ServerMetrics, workers: Int, maxWaiting: Int, maxDuration: Double,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.cache = cache
        self.log = log
        self.metrics = metrics
        self.maxDuration = maxDuration
        queue = RecognitionQueue(workers: workers, limit: maxWaiting)
    }

    /// Waiting and running recognitions.
    package var load: (waiting: Int, running: Int) {
        get async { (await queue.waitingCount, await queue.runningCount) }
    }

    /// Whether the next recording would be rejected.
    package var isFull: Bool {
        get async { await queue.isFull }
    }

    package func transcribe(
        _ upload: Upload, with model: ServedModel, options: TranscriptionOptions, client: String,
        updates: @escaping @Sendable (TranscriptUpdate) -> Void
    ) async throws(HTTPError) -> Transcription {
        let entry = CacheKey(audio: upload.identity, model: model.stamp, options: options)
        if let hit = await cache.lookup(entry) {
            for segment in hit.transcript.segments where !segment.text.isEmpty { updates(.final(segment)) }
            return Transcription(transcript: hit.transcript, model: model.name, seconds: hit.seconds)
        }
        let key = RecognitionQueue.Key(audio: upload.identity, model: model.name, options: options)
        return try await queue.result(for: key, client: client, updates: updates) { updates throws(HTTPError) in
            let result = try await self.recognize(upload, with: model, options: options, updates: updates)
            await self.cache.store(result.transcript, entry, seconds: result.seconds)
            return result
        }
    }

    private func recognize(
        _ upload: Upload, with model: ServedModel, options: TranscriptionOptions,
        updates: @escaping @Sendable (TranscriptUpdate) -> Void
    ) async throws(HTTPError) -> Transcription {
        let start = ContinuousClock.now
        // A recognizer works on one recording at a time.
        let recognizer = model.recognizers.take()
        defer { model.recognizers.give(recognizer) }
        do {
            let source = try LimitedSource(
                upload.open(), seconds: maxDuration,
                end: options.duration.map { options.offset + $0 } ?? .infinity)
            let transcript = try await recognizer.transcribe(source, options: options, updates: updates)
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            metrics.recognized(audio: transcript.duration, seconds: seconds)
            return Transcription(transcript: transcript, model: model.name, seconds: seconds)
        } catch let error as LimitedSource.TooLong {
            throw HTTPError(
                422, "The recording is longer than \(Timestamp.clock(error.seconds)). Send it in parts.",
                code: "unprocessable", param: "file")
        } catch {
            let answer = HTTPError(recognition: error)
            if [500, 507].contains(answer.status) { log("\(RequestID.current ?? "-") recognition failed: \(error)") }
            throw answer
        }
    }
}

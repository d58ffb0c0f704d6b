import Dispatch
import EngineAudio
import EngineModels
import EngineVoices
import Synchronization

/// Transcribes the chunks of a recording in parallel, each as if it were a separate recording; finished chunks are
/// delivered in order.
///
/// New chunks may be found while earlier ones are being transcribed.
final class BatchedTranscription: Sendable {
    private struct State {
        var finished: [Int: (chunk: RecordingChunk, result: DecodedChunk)] = [:]
        var failure: (any Error)?
    }

    private let decoder: any BatchDecoder
    private let chunks: ChunkQueue
    private let samples: SampleStore
    private let options: TranscriptionOptions
    private let language: String
    private let slots: Int
    private let state = Mutex(State())
    private let progress = DispatchSemaphore(value: 0)

    /// Interval between checks for cancellation.
    private static let pollInterval = DispatchTimeInterval.milliseconds(50)

    /// - Parameters:
    ///   - decoder: with `slots` slots.
    ///   - chunks: the samples of each must be stored before it is added.
    init(
        _ decoder: any BatchDecoder, slots: Int, chunks: ChunkQueue, samples: SampleStore,
        options: TranscriptionOptions, language: String
    ) {
        self.decoder = decoder
        self.slots = slots
        self.chunks = chunks
        self.samples = samples
        self.options = options
        self.language = language
    }

    /// Transcribes all chunks.
    ///
    /// - Parameter onResult: receives the results in order, on the calling thread.
    /// - Throws: `CancellationError` if the task is cancelled; the error of a chunk after the results before it have been
    ///   delivered.
    func run(onResult: (RecordingChunk, DecodedChunk) -> Void) throws {
        let threads = DispatchGroup()
        for slot in 0..<slots {
            // Serial queues get their own threads even when all cores are busy.
            DispatchQueue(label: "whisper-local.batch").async(group: threads) { self.transcribeChunks(slot) }
        }
        defer {
            decoder.stop()
            chunks.close(dropsRest: true)
            threads.wait()
        }
        var delivered = 0
        while chunks.finalCount.map({ delivered < $0 }) ?? true {
            let (result, failure) = state.withLock { ($0.finished.removeValue(forKey: delivered), $0.failure) }
            if let result {
                onResult(result.chunk, result.result)
                delivered += 1
                continue
            }
            if let failure { throw failure }
            try Task.checkCancellation()
            _ = progress.wait(timeout: .now() + Self.pollInterval)
        }
    }

    /// The body of a slot's thread.
    private func transcribeChunks(_ slot: Int) {
        defer {
            decoder.leave()
            progress.signal()
        }
        do {
            while let chunk = chunks.next() {
                let result = try decoder.decode(chunk, of: samples, slot: slot, options: options, language: language)
                state.withLock { $0.finished[chunk.number] = (chunk, result) }
                progress.signal()
            }
        } catch {
            state.withLock { if $0.failure == nil { $0.failure = error } }
            decoder.stop()
        }
    }
}

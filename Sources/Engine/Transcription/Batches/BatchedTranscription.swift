import EngineAudio
import Dispatch
import Synchronization
import EngineTranscripts
import EngineVoices
import EngineWeights
import EngineWhisper

/// Transcribes the chunks of a recording in parallel, each as if it were a separate recording; finished chunks are
/// delivered in order.
///
/// Each slot of the batch has a thread, which transcribes one chunk after the other. Fallback, word times and everything
/// else that a window may need thus work as for a single window; only the steps of the network are computed together.
///
/// New chunks may be found while earlier ones are being transcribed.
final class BatchedTranscription: Sendable {
    /// The result of a chunk, with times from the start of the chunk.
    struct ChunkResult: Sendable {
        let audio: KeptAudio
        let segments: [TranscriptSegment]
        let events: [WindowEvent]
        let text: String
    }

    private struct State {
        var finished: [Int: ChunkResult] = [:]
        var failure: (any Error)?
    }

    private let network: BatchNetwork
    private let tokenizer: Tokenizer
    private let chunks: ChunkQueue
    private let samples: SampleStore
    private let spectrogram: LogMelSpectrogram
    private let options: TranscriptionOptions
    private let language: String
    private let slots: Int
    private let state = Mutex(State())
    private let progress = DispatchSemaphore(value: 0)

    /// Audio context of what the first window of a chunk leaves over: a few seconds, in every second chunk. In full
    /// windows they would take as long to encode as the chunk itself.
    private static let remainderContext = AudioContext.margin(AudioContext.margin)

    /// Interval between checks for cancellation.
    private static let pollInterval = DispatchTimeInterval.milliseconds(50)

    /// - Parameters:
    ///   - network: with `slots` slots.
    ///   - chunks: the samples of each must be stored before it is added.
    ///   - options: apply to every chunk, except for clips and prompts.
    init(
        _ network: BatchNetwork, slots: Int, tokenizer: Tokenizer, chunks: ChunkQueue, samples: SampleStore,
        options: TranscriptionOptions, language: String
    ) {
        self.network = network
        self.slots = slots
        self.tokenizer = tokenizer
        self.chunks = chunks
        self.samples = samples
        spectrogram = LogMelSpectrogram(bands: network.model.dimensions.nMels)
        var options = options
        options.clipTimestamps = []
        options.conditionOnPreviousText = false
        self.options = options
        self.language = language
    }

    /// Transcribes all chunks.
    ///
    /// - Parameter onResult: receives the results in order, on the calling thread.
    /// - Throws: `CancellationError` if the task is cancelled; the error of a chunk after the results before it have been
    ///   delivered.
    func run(onResult: (ChunkResult) -> Void) throws {
        let threads = DispatchGroup()
        for slot in 0..<slots {
            // Serial queues get their own threads even when all cores are busy.
            DispatchQueue(label: "whisper-local.batch").async(group: threads) { self.transcribeChunks(slot) }
        }
        defer {
            network.stop()
            chunks.close(dropsRest: true)
            threads.wait()
        }
        var delivered = 0
        while chunks.finalCount.map({ delivered < $0 }) ?? true {
            let (result, failure) = state.withLock { ($0.finished.removeValue(forKey: delivered), $0.failure) }
            if let result {
                onResult(result)
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
            network.leave()
            progress.signal()
        }
        do {
            while let (number, chunk) = chunks.next() {
                let result = try transcribe(chunk, number: number, slot: slot)
                state.withLock { $0.finished[number] = result }
                progress.signal()
            }
        } catch {
            state.withLock { if $0.failure == nil { $0.failure = error } }
            network.stop()
        }
    }

    private func transcribe(_ chunk: Chunk, number: Int, slot: Int) throws -> ChunkResult {
        try network.checkStopped()
        let spectrogram = try ChunkSpectrogram(chunk.audio, of: samples, spectrogram)
        let firstFrame = (chunk.audio.ranges.first?.lowerBound ?? 0) / LogMelSpectrogram.hop
        let isOneWindow = spectrogram.contentFrames <= WindowSpan.fullFrames
        let decoder = NetworkDecoder(
            network.model, tokenizer: tokenizer, encoder: network.encoder, network: network.slot(slot, order: number),
            spectrogram: spectrogram, options: options, firstFrame: firstFrame,
            remainderContext: isOneWindow && options.audioContext == .full ? Self.remainderContext : nil,
            onStep: { [network] _, _ in try network.checkStopped() })
        var options = options
        if number > 0 { options.prefix = nil }
        let guards = options.guards ? Guards(speech: chunk.speech, options: options) : nil
        var loop = SeekLoop(
            options: options, contentFrames: spectrogram.contentFrames, tokenizer: tokenizer, language: language,
            decoder: decoder, guards: guards,
            // In batches, faster-whisper encodes the prompt without adding a leading space.
            initialPrompt: options.initialPrompt.map { tokenizer.encode($0) })
        var segments: [TranscriptSegment] = []
        var events: [WindowEvent] = []
        while let window = try loop.next() {
            segments += window
            events += loop.events
        }
        return ChunkResult(audio: chunk.audio, segments: segments, events: events, text: loop.text)
    }
}
